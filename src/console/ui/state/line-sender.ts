import type { Clock } from "../../../foundation/clock.ts";
import type { ApiError, PlaceView } from "../../../surfaces/room/protocol.ts";
import { troubleOf } from "./next-stage.ts";
import type { StageStore } from "./stage-session.ts";
import type { RoomClient } from "./room-client.ts";
import type { UnsentLine } from "./stage-state.ts";

/** How long a line waits before it is sent again while the stream still stands. */
export const RESEND_MS = 1_000;

/** What the sender stands on. */
export interface LineSenderNeeds {
  readonly client: RoomClient;
  readonly store: StageStore;
  readonly clock: Clock;
  readonly freshId: () => string;
  readonly start: (task: (signal: AbortSignal) => Promise<void>) => void;
  readonly onUnauthorized: (error: ApiError) => void;
}

/**
 * Sends what is said, in the order it was said, one line at a time.
 *
 * L1  A line's id is made once. A try whose answer never came is repeated under the same id, so the server hears it once.
 * L2  A line goes from the state only when the script has it, or when its author gives it up.
 * L3  While the link is down nothing is sent; the next snapshot starts the sending again.
 */
export class LineSender {
  readonly #needs: LineSenderNeeds;
  #isDraining = false;

  constructor(needs: LineSenderNeeds) {
    this.#needs = needs;
  }

  /** Take a line in; false when the link is down (L3). */
  say(line: { readonly place: PlaceView; readonly to: string | null; readonly text: string }): boolean {
    const { store, clock, freshId } = this.#needs;
    if (store.read().link.kind !== "live") return false;
    store.dispatch({ type: "unsent", line: { ...line, clientLineId: freshId(), atMs: clock.nowMs(), state: { kind: "sending" } } });
    this.#drain();
    return true;
  }

  /** Send a refused line once more. */
  again(clientLineId: string): void {
    const line = this.#needs.store.read().unsent.find((each) => each.clientLineId === clientLineId);
    if (line === undefined || line.state.kind !== "refused") return;
    this.#put({ ...line, state: { kind: "waiting" } });
    this.#drain();
  }

  /** The link stands: send what waits. What the server kept and the snapshot does not show lies further back in the history. */
  onConnected(): void {
    for (const line of this.#needs.store.read().unsent) {
      if (line.state.kind === "kept") this.#needs.store.dispatch({ type: "unsent_gone", clientLineId: line.clientLineId });
    }
    this.#drain();
  }

  #drain(): void {
    if (this.#isDraining) return;
    this.#isDraining = true;
    this.#needs.start(async (signal) => {
      try {
        for (let line = this.#next(); line !== undefined; line = this.#next()) await this.#send(line, signal);
      } finally {
        this.#isDraining = false;
      }
    });
  }

  #next(): UnsentLine | undefined {
    const { link, unsent } = this.#needs.store.read();
    if (link.kind !== "live") return undefined;
    return unsent.find((line) => line.state.kind === "sending" || line.state.kind === "waiting");
  }

  async #send(line: UnsentLine, signal: AbortSignal): Promise<void> {
    const { client, clock } = this.#needs;
    this.#put({ ...line, state: { kind: "sending" } });
    const request = { clientLineId: line.clientLineId, to: line.to, private: line.place.kind === "direct", text: line.text };
    const answer = await client.say(request, signal);
    if (answer.kind === "ok") return this.#put({ ...line, state: { kind: "kept", lineId: answer.value.lineId } });
    const mayPass = answer.kind === "unreachable" || answer.error.code === "closing";
    if (answer.kind === "refused" && answer.error.code === "unauthorized") {
      this.#put({ ...line, state: { kind: "waiting" } });
      return this.#needs.onUnauthorized(answer.error);
    }
    if (answer.kind === "refused" && !mayPass)
      return this.#put({ ...line, state: { kind: "refused", trouble: troubleOf(answer.error, clock.nowMs()) } });
    this.#put({ ...line, state: { kind: "waiting" } });
    return clock.sleep(RESEND_MS, signal);
  }

  #put(line: UnsentLine): void {
    this.#needs.store.dispatch({ type: "unsent", line });
  }
}
