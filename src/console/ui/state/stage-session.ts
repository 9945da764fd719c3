import { orAbort } from "../../../foundation/cancellation.ts";
import type { Clock } from "../../../foundation/clock.ts";
import { TaskGroup } from "../../../foundation/task-group.ts";
import type { ApiError, EndReason, PlaceView, StreamEvent } from "../../../surfaces/room/protocol.ts";
import { Arrival } from "./arrival.ts";
import { waitBeforeTry } from "./backoff.ts";
import type { Credentials } from "./credentials.ts";
import type { InviteKeeper } from "./invite-keeper.ts";
import { LineSender } from "./line-sender.ts";
import type { StageAction } from "./next-stage.ts";
import type { RoomClient, StreamEnd } from "./room-client.ts";
import { keyOf } from "./stage-state.ts";
import type { ClosedBy, StageState } from "./stage-state.ts";
import { troubleOfAnswer } from "./trouble.ts";

/** What holds the page's state. */
export interface StageStore {
  read(): StageState;
  dispatch(action: StageAction): void;
}

/** What a session stands on. */
export interface StageSessionNeeds {
  readonly client: RoomClient;
  readonly store: StageStore;
  readonly credentials: Credentials;
  readonly invites: InviteKeeper;
  /** Called when this browser's person is gone: what the page wrote down of them goes too. */
  readonly onGone: () => void;
  readonly clock: Clock;
  /** From 0 to 1, for the length of a wait. */
  readonly random: () => number;
  /** A fresh id of 1 to 64 of `A-Z a-z 0-9 _ -` for a line that is said. */
  readonly freshId: () => string;
}

/**
 * The page's conversation with its server: come in, read the stream, come back when it breaks, say lines, ask why.
 *
 * P1  One stream at a time. Whatever ends it, the next one begins with a snapshot, so nothing is stitched together here.
 * P2  A line keeps its id through every retry, so the server never hears it twice ({@link LineSender}).
 * P3  What the server does not know any more (401) is forgotten, and the page asks for a name or a code; lines and drafts stay.
 */
export class StageSession implements AsyncDisposable {
  readonly #needs: StageSessionNeeds;
  readonly #tasks: TaskGroup;
  readonly #sender: LineSender;
  readonly #arrival: Arrival;
  #wake: PromiseWithResolvers<void> = Promise.withResolvers<void>();
  #failures = 0;
  #connection = new AbortController();
  /** What the last stream was asked for with. */
  #used: string | null = null;

  constructor(needs: StageSessionNeeds) {
    this.#needs = needs;
    this.#tasks = new TaskGroup({ clock: needs.clock, joinMs: 1_000, onFailure: (error) => this.#onFailure(error) });
    this.#sender = new LineSender({
      ...needs,
      start: (task) => this.#tasks.start(task),
      onUnauthorized: (error) => this.#onUnauthorized(error),
    });
    this.#arrival = new Arrival({ ...needs, show: (phase) => this.#dispatch({ type: "phase", phase }) });
  }

  /** Begin. `code` is a one-time code from the address, exchanged before anything else. */
  open(code: string | null): void {
    this.#tasks.start(async (signal) => {
      if (code !== null) await this.#arrival.exchange(code, this.#needs.store.read().phase, signal);
      await this.#stay(signal);
    });
  }

  /** Come in under a name. What goes wrong is in the phase. */
  join(name: string): void {
    this.#tasks.start(async (signal) => {
      if (await this.#arrival.join(name, signal)) this.wake();
    });
  }

  /** Look at the invite that this tab holds now: it was pasted into the open page. */
  lookAtInvite(): void {
    this.#dispatch({ type: "phase", phase: { kind: "starting" } });
    this.#connection.abort();
    this.wake();
  }

  /** Come in by the invite that this tab holds. */
  acceptInvite(): void {
    this.#tasks.start(async (signal) => {
      // Whoever was here in this browser leaves that name, and nothing of theirs is said under the new one.
      if (this.#needs.credentials.bearer() !== null) {
        await this.#needs.client.leave(signal);
        this.#clear();
      }
      if (await this.#arrival.accept(signal)) this.wake();
    });
  }

  /** Exchange a one-time code that somebody typed or followed. */
  exchange(code: string): void {
    this.#tasks.start(async (signal) => {
      if (await this.#arrival.exchange(code, this.#needs.store.read().phase, signal)) this.wake();
    });
  }

  /** Say a line; false when the link is down and the words should stay where they are. */
  say(line: { readonly place: PlaceView; readonly to: string | null; readonly text: string }): boolean {
    return this.#sender.say(line);
  }

  /** Send a refused line once more, under its old id. */
  sayAgain(clientLineId: string): void {
    this.#sender.again(clientLineId);
  }

  /** Give up a refused line. */
  takeBack(clientLineId: string): void {
    this.#dispatch({ type: "unsent_gone", clientLineId });
  }

  /** Try to connect now instead of waiting. */
  wake(): void {
    this.#wake.resolve();
    this.#wake = Promise.withResolvers<void>();
  }

  /** Read the lines before the oldest that is held. */
  readOlder(place: PlaceView): void {
    const held = this.#needs.store.read().places[keyOf(place)];
    const mark = held?.mark ?? null;
    if (held === undefined || mark === null || held.older.kind === "reading") return;
    this.#dispatch({ type: "older", place, older: { kind: "reading" } });
    this.#tasks.start(async (signal) => {
      const answer = await this.#needs.client.lines(place, mark, signal);
      if (answer.kind === "ok") this.#dispatch({ type: "older_came", page: answer.value });
      else this.#dispatch({ type: "older", place, older: { kind: "failed", trouble: troubleOfAnswer(answer, this.#needs.clock.nowMs()) } });
    });
  }

  /** Ask why a line was answered or not; the answer is in `whys`. */
  askWhy(lineId: string): void {
    if (this.#needs.store.read().whys[lineId]?.kind === "reading") return;
    this.#dispatch({ type: "why", lineId, why: { kind: "reading" } });
    this.#tasks.start(async (signal) => {
      const answer = await this.#needs.client.why(lineId, signal);
      const why =
        answer.kind === "ok"
          ? ({ kind: "told", why: answer.value } as const)
          : ({ kind: "failed", trouble: troubleOfAnswer(answer, this.#needs.clock.nowMs()) } as const);
      this.#dispatch({ type: "why", lineId, why });
    });
  }

  /** Leave the room: the membership ends, and this browser keeps no key of it, also where the room can't be told any more. */
  leave(): void {
    this.#tasks.start(async (signal) => {
      await this.#needs.client.leave(signal);
      this.#onLeft();
    });
  }

  /** End everything; nothing is sent after it. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#tasks.close();
  }

  async #stay(signal: AbortSignal): Promise<void> {
    for (;;) {
      const woken = this.#wake.promise;
      const { phase } = this.#needs.store.read();
      if (phase.kind !== "starting" && phase.kind !== "stage") await orAbort(woken, signal);
      else if (this.#needs.invites.held() !== null) await this.#lookAtHeld(woken, signal);
      else if (this.#needs.credentials.bearer() === null) await this.#learnDoor(woken, signal);
      else await this.#connect(woken, signal);
    }
  }

  /** Nobody is known here yet: what is asked for depends on which of the two doors this is. */
  async #learnDoor(woken: Promise<void>, signal: AbortSignal): Promise<void> {
    await this.#answered(await this.#arrival.learnDoor(signal), woken, signal);
  }

  async #lookAtHeld(woken: Promise<void>, signal: AbortSignal): Promise<void> {
    await this.#answered(await this.#arrival.look(signal), woken, signal);
  }

  /** Nothing is known to be so before the first snapshot: the link is neither up nor down while a door stands there. */
  async #answered(answered: boolean, woken: Promise<void>, signal: AbortSignal): Promise<void> {
    if (!answered) return this.#waitDown("lost", woken, signal);
    this.#failures = 0;
    return this.#dispatch({ type: "link", link: { kind: "connecting" } });
  }

  async #connect(woken: Promise<void>, signal: AbortSignal): Promise<void> {
    this.#connection = new AbortController();
    this.#used = this.#needs.credentials.bearer();
    const end = await this.#needs.client
      .stream((event) => this.#onEvent(event), AbortSignal.any([signal, this.#connection.signal]))
      .catch((error: unknown): StreamEnd => {
        if (signal.aborted) throw error;
        return { kind: "dropped" };
      });
    if (end.kind !== "dropped") await this.#afterStream(end, woken, signal);
  }

  async #afterStream(end: StreamEnd, woken: Promise<void>, signal: AbortSignal): Promise<void> {
    if (end.kind === "refused" && end.error.code === "unauthorized") return this.#onUnauthorized(end.error);
    if (end.kind === "ended") return this.#afterEnd(end.reason, woken, signal);
    return this.#waitDown("lost", woken, signal);
  }

  async #afterEnd(reason: EndReason, woken: Promise<void>, signal: AbortSignal): Promise<void> {
    if (reason === "left") return this.#onLeft();
    if (reason === "revoked" || reason === "expired") return this.#onShownOut(`stay_${reason}`);
    if (reason === "ended" || (reason === "slow" && this.#failures === 0)) {
      this.#failures = 1;
      return this.#dispatch({ type: "link", link: { kind: "connecting" } });
    }
    return this.#waitDown(reason === "closing" ? "closing" : "lost", woken, signal);
  }

  async #waitDown(why: "closing" | "lost", woken: Promise<void>, signal: AbortSignal): Promise<void> {
    const { clock, random, store } = this.#needs;
    this.#failures += 1;
    const waitMs = waitBeforeTry(this.#failures, random());
    const { link } = store.read();
    const sinceMs = link.kind === "down" ? link.sinceMs : clock.nowMs();
    const down = { kind: "down", sinceMs, why: link.kind === "down" ? link.why : why } as const;
    this.#dispatch({ type: "link", link: { ...down, retryAtMs: clock.nowMs() + waitMs } });
    const waited = new AbortController();
    try {
      await orAbort(Promise.race([woken, clock.sleep(waitMs, AbortSignal.any([signal, waited.signal])).catch(() => undefined)]), signal);
    } finally {
      waited.abort();
    }
    this.#dispatch({ type: "link", link: { ...down, retryAtMs: null } });
  }

  #onEvent(event: StreamEvent): void {
    this.#dispatch({ type: "stream", event, nowMs: this.#needs.clock.nowMs() });
    if (event.type === "snapshot") {
      this.#failures = 0;
      this.#sender.onConnected();
    }
    const told = event.type === "outcome" ? event.lineId : null;
    if (told !== null && this.#needs.store.read().whys[told] !== undefined) this.askWhy(told);
  }

  #onUnauthorized(error: ApiError): void {
    const door = error.door ?? this.#needs.store.read().room?.door;
    this.#failures = 0;
    this.#dispatch({ type: "link", link: { kind: "connecting" } });
    this.#arrival.turnedAway({ ...error, ...(door === undefined ? {} : { door }) });
    if (error.ended !== undefined) this.#clear();
  }

  #onLeft(): void {
    this.#clear();
    this.#dispatch({ type: "phase", phase: { kind: "left" } });
  }

  /** The invite has ended: whatever was shown or written here is nobody's any more. */
  #onShownOut(why: ClosedBy): void {
    const { name } = this.#needs.credentials;
    this.#clear();
    this.#dispatch({ type: "phase", phase: { kind: "closed", why, name } });
  }

  #clear(): void {
    this.#needs.credentials.forget(this.#used);
    this.#dispatch({ type: "forget" });
    this.#needs.onGone();
  }

  /** A task failed by a fault of the page's own: the link is the one state that says "what you see may be old". */
  #onFailure(error: unknown): void {
    const nowMs = this.#needs.clock.nowMs();
    this.#dispatch({ type: "link", link: { kind: "down", sinceMs: nowMs, retryAtMs: null, why: "lost" } });
    throw error;
  }

  #dispatch(action: StageAction): void {
    this.#needs.store.dispatch(action);
  }
}
