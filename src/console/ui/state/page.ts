import type { ReadonlySignal } from "@preact/signals";
import { computed } from "@preact/signals";
import type { RoomView } from "../../../surfaces/room/protocol.ts";
import type { ConsolePart } from "./console-part.ts";
import type { StageSession } from "./stage-session.ts";
import type { StageState } from "./stage-state.ts";
import type { ViewState } from "./view-state.ts";

/** What every part of the page is handed: what is so, what is shown, and the one who talks to the server. */
export interface Page {
  readonly stage: ReadonlySignal<StageState>;
  /** The rarely changing part of {@link stage}, so that a line is drawn anew only when it has to be. */
  readonly room: ReadonlySignal<RoomView | null>;
  /** Whether what is shown is what is so this second. */
  readonly isLive: ReadonlySignal<boolean>;
  readonly view: ViewState;
  readonly session: StageSession;
  /** This machine's clock, told once a second. */
  readonly nowMs: ReadonlySignal<number>;
  /** The operators' pages, once their door has opened; null for guests. */
  readonly part: ReadonlySignal<ConsolePart | null>;
}

/** Put a page together. */
export function createPage(given: Pick<Page, "stage" | "view" | "session" | "nowMs" | "part">): Page {
  return {
    ...given,
    room: computed(() => given.stage.value.room),
    isLive: computed(() => given.stage.value.link.kind === "live"),
  };
}

/** The server's clock now. */
export function serverNowMs(page: Page): number {
  return page.nowMs.value + page.stage.value.offsetMs;
}
