import type { ReadonlySignal, Signal } from "@preact/signals";
import { effect, signal } from "@preact/signals";
import { browserClock } from "./browser-clock.ts";
import type { ConsolePart } from "./console-part.ts";
import type { Credentials } from "./credentials.ts";
import type { KeptText } from "./kept-text.ts";
import { freshId } from "./fresh-id.ts";
import type { InviteKeeper } from "./invite-keeper.ts";
import { nextStage } from "./next-stage.ts";
import { createPage } from "./page.ts";
import type { Page } from "./page.ts";
import { RoomClient } from "./room-client.ts";
import { scopedText } from "./scoped-text.ts";
import { StageSession } from "./stage-session.ts";
import type { StageStore } from "./stage-session.ts";
import { emptyStage } from "./stage-state.ts";
import { keepUnsent, readUnsent } from "./unsent-keeper.ts";
import { createViewState } from "./view-state.ts";

/** What the pages of all rooms share. */
export interface Shared {
  readonly lasting: KeptText;
  readonly tab: KeptText;
  readonly credentials: Credentials;
  readonly invites: InviteKeeper;
  readonly nowMs: ReadonlySignal<number>;
  readonly part: Signal<ConsolePart | null>;
}

/** Put the page of one room together, not connected yet; null is the first room, which a guest's page has alone. */
export function openRoomPage(shared: Shared, room: string | null): Page {
  const { lasting, credentials, invites, nowMs, part } = shared;
  const tab = scopedText(shared.tab, room);
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
    room,
  });
  const view = createViewState(lasting, tab);
  const onGone = (): void => {
    view.drafts.value = {};
  };
  const session = new StageSession({ client, store, credentials, invites, onGone, clock: browserClock, random: Math.random, freshId });
  return createPage({ stage, session, view, nowMs, part });
}

/**
 * Show another room of the operators' side. The one before stays in view until the new one has told what is in it, then its
 * stream ends; what was being written there is kept.
 */
export function visitRoom(shared: Shared, shown: Signal<Page>, name: string): void {
  const before = shown.peek();
  const known = before.room.peek();
  if (known === null || known.name === name) return;
  const room = known.operator?.rooms[0]?.name === name ? null : name;
  const next = openRoomPage(shared, room);
  let isShown = false;
  const stop = effect(() => {
    const { phase } = next.stage.value;
    if (isShown || phase.kind === "starting") return;
    isShown = true;
    shown.value = next;
    history.replaceState(null, "", `${room === null ? location.pathname : `?room=${encodeURIComponent(room)}`}${location.hash}`);
    before.session[Symbol.asyncDispose]().catch(() => undefined);
    queueMicrotask(() => stop());
  });
  next.session.open(null);
}
