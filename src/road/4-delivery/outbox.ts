import { withDeadline } from "../../foundation/cancellation.ts";
import type { Clock } from "../../foundation/clock.ts";
import { codeOf } from "../../foundation/errors.ts";
import type { Log } from "../../foundation/log.ts";
import { printable } from "../../foundation/printable.ts";
import type { SettleRow } from "../../store/store.ts";
import type { Surface } from "../../surfaces/surface.ts";
import type { SurfaceName } from "../../vocabulary/ids.ts";
import type { SentParts } from "../../vocabulary/delivery-observation.ts";
import type { Part, Receipt, SendOutcome } from "../../vocabulary/part.ts";
import type { PartId } from "../../vocabulary/ids.ts";
import type { PlaceId } from "../../vocabulary/place.ts";
import { Pacing } from "./pacing.ts";

/** A part that is older than this when its turn comes is not sent any more (TR-042). */
export const MAX_PART_AGE_MS: number = 15 * 60_000;
const SEND_DEADLINE_MS = 30_000;

/** What the outbox works with. */
export interface OutboxNeeds {
  readonly clock: Clock;
  readonly log: Log;
  readonly surface: (name: SurfaceName) => Surface | undefined;
  readonly settle: (row: SettleRow, place: PlaceId) => Promise<{ readonly settled: boolean }>;
  readonly claim: (part: PartId, atMs: number) => Promise<{ readonly claimed: boolean }>;
  readonly receipt: (receipt: Receipt) => void;
  /** Told just before a part goes to its platform, so that its echo is known even when it comes first (MC-021). */
  readonly sending?: (part: Part) => void;
  /** The part as its platform gets it: with what is drawn under it. */
  readonly drawn?: (part: Part) => Part;
}

/** What came of putting a waiting part on its way. */
type Claimed = { readonly kind: "claimed" | "gone" } | { readonly kind: "expired"; readonly atMs: number };

/**
 * Sends parts that are already durable, one place at a time (TR-042, MC-059, MC-061).
 *
 * O1  A part is sent only while its row says `sending`, and that was committed before; it is sent at most once by a process.
 * O2  The parts of a turn leave in order and without another turn's parts between them in that place.
 * O3  The right to speak and the pace are waited for before a part becomes `sending`, so that a crash while waiting loses nothing.
 * O4  An unknown or failed part is never sent again; the parts behind it are.
 */
export class Outbox {
  readonly #needs: OutboxNeeds;
  readonly #pacing: Pacing;

  constructor(needs: OutboxNeeds) {
    this.#needs = needs;
    this.#pacing = new Pacing(needs.clock, (surface) => needs.surface(surface)?.profile.pacing);
  }

  /** Wait until nobody else speaks in the part's place and its pace allows a part; dispose when the turn has spoken. */
  takeFloor(part: Pick<Part, "place">, signal: AbortSignal): Promise<Disposable> {
    return this.#pacing.takeFloor(part.place, signal);
  }

  /**
   * Send the parts of one turn, the first of which is `sending`, and tell how many arrived or may have, and when the last one was
   * settled, as its row says. The caller holds the floor. Ends early on abort, when the rest has become too old, or once `cut`
   * aborts: what has not left by then never does.
   */
  async sendTurn(
    parts: readonly Part[],
    signal: AbortSignal,
    cut: AbortSignal | null = null,
  ): Promise<SentParts & { readonly arrived: number; readonly settledAtMs: number }> {
    let [arrived, delivered, late, settledAtMs] = [0, 0, false, 0];
    for (const [at, part] of parts.entries()) {
      if (cut?.aborted === true) {
        settledAtMs = await this.#cancel(part);
        break;
      }
      const next = parts[at + 1] ?? null;
      const outcome = await this.#send(part, signal);
      if (outcome.kind !== "failed") arrived += 1;
      if (outcome.kind === "delivered") delivered += 1;
      else late ||= outcome.reason === "deadline";
      const settled = await this.#settle(part, outcome, next, signal);
      settledAtMs = settled.atMs;
      if (settled.goesOn || next === null) continue;
      // Whatever waited behind was given up: it had become too old.
      late = true;
      break;
    }
    return { arrived, delivered, late, count: parts.length, settledAtMs };
  }

  /** Settle a part without sending it: what read-back found, or what is given up. */
  async conclude(part: Part, outcome: SendOutcome): Promise<void> {
    await this.#needs.settle(this.#row(part, outcome, null), part.place.id);
    this.#publish(part, outcome.kind, false);
  }

  /** Give up a part that is marked `sending` and has not left, and all behind it; gives when. */
  async #cancel(part: Part): Promise<number> {
    const outcome: SendOutcome = { kind: "failed", reason: "removed" };
    const row: SettleRow = { ...this.#row(part, outcome, null), state: "cancelled", rest: "cancelled" };
    await this.#needs.settle(row, part.place.id);
    this.#publish(part, "cancelled", true);
    return row.atMs;
  }

  /** Claim a queued part that an earlier process left, keeping the pace; false when it is gone or too old. */
  async claim(part: Part, signal: AbortSignal): Promise<boolean> {
    return (await this.#claim(part, signal)).kind === "claimed";
  }

  async #claim(part: Part, signal: AbortSignal): Promise<Claimed> {
    await this.#pacing.pace(part.place, signal);
    if (this.#isTooOld(part)) {
      const row: SettleRow = { ...this.#row(part, { kind: "failed", reason: "too_old" }, null), state: "expired", rest: "expired" };
      await this.#needs.settle(row, part.place.id);
      this.#publish(part, "expired", true);
      return { kind: "expired", atMs: row.atMs };
    }
    const { claimed } = await this.#needs.claim(part.id, this.#needs.clock.nowMs());
    return { kind: claimed ? "claimed" : "gone" };
  }

  /** Settle a part, and put the next one on its way; `atMs` is the last moment that a row of this turn was settled at. */
  async #settle(
    part: Part,
    outcome: SendOutcome,
    next: Part | null,
    signal: AbortSignal,
  ): Promise<{ readonly goesOn: boolean; readonly atMs: number }> {
    const together = next !== null && this.#pacing.tryPace(part.place) && !this.#isTooOld(next);
    const row = this.#row(part, outcome, together ? next.id : null);
    const { settled } = await this.#needs.settle(row, part.place.id);
    this.#publish(part, outcome.kind, next === null);
    if (next === null || together) return { goesOn: together && settled, atMs: row.atMs };
    const claimed = await this.#claim(next, signal);
    return { goesOn: claimed.kind === "claimed", atMs: claimed.kind === "expired" ? claimed.atMs : row.atMs };
  }

  async #send(part: Part, signal: AbortSignal): Promise<SendOutcome> {
    const surface = this.#needs.surface(part.place.surface);
    if (surface === undefined) return { kind: "failed", reason: "no_surface" };
    using deadline = withDeadline(this.#needs.clock, surface.profile.sendDeadlineMs ?? SEND_DEADLINE_MS, signal);
    try {
      this.#needs.sending?.(part);
      return await surface.send(this.#needs.drawn?.(part) ?? part, deadline.signal);
    } catch (error) {
      // While stopping the row stays `sending`: the next start asks the platform.
      if (signal.aborted) throw error;
      this.#needs.log.failure("part_send_failed", error, { part: printable(part.id) });
      return { kind: "unknown", reason: codeOf(error) };
    }
  }

  #row(part: Part, outcome: SendOutcome, next: PartId | null): SettleRow {
    return {
      part: part.id,
      state: outcome.kind,
      reason: outcome.kind === "delivered" ? "" : outcome.reason,
      platformId: outcome.kind === "delivered" ? outcome.platformId : null,
      atMs: this.#needs.clock.nowMs(),
      next,
      rest: null,
    };
  }

  #publish(part: Part, state: Receipt["state"], last: boolean): void {
    this.#needs.receipt({ part: part.id, turn: part.turn, place: part.place, character: part.character, state, last });
  }

  #isTooOld(part: Part): boolean {
    return this.#needs.clock.nowMs() - part.createdAtMs > MAX_PART_AGE_MS;
  }
}
