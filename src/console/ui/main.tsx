import { signal } from "@preact/signals";
import { render } from "preact";
import { App } from "./parts/app.tsx";
import { listenToKeys } from "./parts/keys.ts";
import { listenToWriting } from "./parts/writing.ts";
import { browserClock } from "./state/browser-clock.ts";
import { Credentials, parseFragment } from "./state/credentials.ts";
import { InviteKeeper } from "./state/invite-keeper.ts";
import { createKeptText } from "./state/kept-text.ts";
import type { KeptText } from "./state/kept-text.ts";
import { nextStage } from "./state/next-stage.ts";
import { createPage } from "./state/page.ts";
import type { Page } from "./state/page.ts";
import { RoomClient } from "./state/room-client.ts";
import { StageSession } from "./state/stage-session.ts";
import type { StageStore } from "./state/stage-session.ts";
import { emptyStage } from "./state/stage-state.ts";
import { keepUnsent, readUnsent } from "./state/unsent-keeper.ts";
import { createViewState, dropDrafts } from "./state/view-state.ts";

/** Where the page is put together: storage, clock, client, session, and one signal that holds the state. */
function start(): void {
  const lasting = createKeptText(() => localStorage);
  const tab = createKeptText(() => sessionStorage);
  const credentials = new Credentials(lasting, tab);
  const invites = new InviteKeeper(tab, freshId);
  const code = takeFragment(credentials, invites, tab);
  const stage = signal(emptyStage(readUnsent(tab)));
  const store: StageStore = {
    read: () => stage.peek(),
    dispatch(action) {
      const before = stage.peek();
      stage.value = nextStage(before, action);
      if (stage.peek().unsent !== before.unsent) keepUnsent(tab, stage.peek().unsent);
    },
  };
  const client = new RoomClient({
    fetch: (path, init) => fetch(path, init),
    clock: browserClock,
    bearer: () => credentials.bearer(),
    room: new URLSearchParams(location.search).get("room"),
  });
  const view = createViewState(lasting, tab);
  const onGone = (): void => {
    view.drafts.value = {};
  };
  const session = new StageSession({ client, store, credentials, invites, onGone, clock: browserClock, random: Math.random, freshId });
  const page = createPage({ stage, session, view, nowMs: tellTime() });
  const root = document.getElementById("page");
  if (root !== null) render(<App page={page} />, root);
  listenToKeys(page);
  listenToWriting(page);
  listenToWindow(page, () => takeFragment(credentials, invites, tab));
  session.open(code);
}

/**
 * Read what the fragment asks for and take it off the address, so that a code stands in no history (SE-086). An invite is held by
 * the tab, an operator's code is given back.
 */
function takeFragment(credentials: Credentials, invites: InviteKeeper, tab: KeptText): string | null {
  const asked = parseFragment(location.hash);
  if (asked.kind === "none") return null;
  history.replaceState(null, "", location.pathname + location.search);
  if (asked.kind === "code") return asked.code;
  if (asked.kind === "invite") {
    invites.hold(asked.code);
    return null;
  }
  credentials.beNew();
  keepUnsent(tab, []);
  dropDrafts(tab);
  return null;
}

function listenToWindow(page: Page, take: () => string | null): void {
  // A new link pasted into the open page changes its fragment and nothing else.
  addEventListener("hashchange", () => {
    const asked = parseFragment(location.hash);
    if (asked.kind === "as_new") location.reload();
    else if (asked.kind === "invite") {
      take();
      page.session.lookAtInvite();
    } else if (asked.kind === "code") {
      const code = take();
      if (code !== null) page.session.exchange(code);
    }
  });
  const tryNow = (): void => {
    if (document.visibilityState === "visible" && page.stage.peek().link.kind === "down") page.session.wake();
  };
  addEventListener("online", tryNow);
  document.addEventListener("visibilitychange", tryNow);
}

/** 128 random bits as an id for a line. `randomUUID` is missing where the room is reached over plain HTTP. */
function freshId(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** This machine's clock, once a second. */
function tellTime(): Page["nowMs"] {
  const nowMs = signal(browserClock.nowMs());
  const tick = (): void => {
    nowMs.value = browserClock.nowMs();
    browserClock.after(1_000, tick);
  };
  tick();
  return nowMs;
}

start();
