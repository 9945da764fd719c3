import type { Signal } from "@preact/signals";
import { effect, signal } from "@preact/signals";
import { render } from "preact";
import { App } from "./parts/app.tsx";
import { listenToKeys } from "./parts/keys.ts";
import { listenToWriting } from "./parts/writing.ts";
import { browserClock } from "./state/browser-clock.ts";
import { Credentials, parseFragment } from "./state/credentials.ts";
import { freshId } from "./state/fresh-id.ts";
import { InviteKeeper } from "./state/invite-keeper.ts";
import { createKeptText, keptNumber } from "./state/kept-text.ts";
import type { KeptText } from "./state/kept-text.ts";
import type { Page } from "./state/page.ts";
import { openRoomPage, visitRoom } from "./state/room-page.ts";
import type { Shared } from "./state/room-page.ts";
import { keepUnsent } from "./state/unsent-keeper.ts";
import { dropDrafts } from "./state/view-state.ts";

const NOTICES_READ = "troupe.notices-read";

/** Where the page is put together: storage, clock, and the room that is shown. */
function start(): void {
  const lasting = createKeptText(() => localStorage);
  const tab = createKeptText(() => sessionStorage);
  const credentials = new Credentials(lasting, tab);
  const invites = new InviteKeeper(tab, freshId);
  const take = (): string | null => takeFragment(credentials, invites, tab);
  const code = take();
  const shared: Shared = { lasting, tab, credentials, invites, nowMs: tellTime(), part: signal(null) };
  const shown = signal(openRoomPage(shared, new URLSearchParams(location.search).get("room")));
  const root = document.getElementById("page");
  effect(() => {
    if (root !== null) render(<App page={shown.value} />, root);
  });
  const current = (): Page => shown.peek();
  listenToKeys(current);
  listenToWriting(current);
  listenToWindow(current, take);
  loadConsole(shared, shown);
  current().session.open(code);
}

/** Load the operators' pages once the server has said that this is their door; a load that failed is tried when the link is back. */
function loadConsole(shared: Shared, shown: Signal<Page>): void {
  const { credentials, lasting, part } = shared;
  let isLoading = false;
  const isWanted = (): boolean => (shown.value.room.value?.operator ?? null) !== null && shown.value.isLive.value && part.value === null;
  effect(() => {
    if (!isWanted() || isLoading) return;
    isLoading = true;
    import("./console/entry.tsx").then(
      ({ openConsole }) => {
        part.value = openConsole({
          fetch: (path, init) => fetch(path, init),
          clock: browserClock,
          bearer: () => credentials.bearer(),
          page: shown,
          noticesReadMs: keptNumber(lasting, NOTICES_READ),
          isVisible: () => document.visibilityState === "visible",
          visit: (room) => visitRoom(shared, shown, room),
        });
      },
      () => {
        isLoading = false;
      },
    );
  });
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
  if (asked.kind === "name") {
    credentials.offer(asked.name);
    return null;
  }
  credentials.beNew();
  keepUnsent(tab, []);
  dropDrafts(tab);
  return null;
}

function listenToWindow(current: () => Page, take: () => string | null): void {
  // A new link pasted into the open page changes its fragment and nothing else.
  addEventListener("hashchange", () => {
    const asked = parseFragment(location.hash);
    if (asked.kind === "as_new") location.reload();
    else if (asked.kind === "invite") {
      take();
      current().session.lookAtInvite();
    } else if (asked.kind === "code") {
      const code = take();
      if (code !== null) current().session.exchange(code);
    }
  });
  const tryNow = (): void => {
    if (document.visibilityState === "visible" && current().stage.peek().link.kind === "down") current().session.wake();
  };
  addEventListener("online", tryNow);
  document.addEventListener("visibilitychange", tryNow);
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
