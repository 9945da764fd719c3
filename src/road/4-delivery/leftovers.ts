import { withDeadline } from "../../foundation/cancellation.ts";
import type { Clock } from "../../foundation/clock.ts";
import { codeOf } from "../../foundation/errors.ts";
import type { Log } from "../../foundation/log.ts";
import { printable } from "../../foundation/printable.ts";
import type { Recovery } from "../../store/store.ts";
import type { Surface } from "../../surfaces/surface.ts";
import type { SurfaceName } from "../../vocabulary/ids.ts";
import type { Part, ReadBack } from "../../vocabulary/part.ts";
import type { Outbox } from "./outbox.ts";

const READ_BACK_DEADLINE_MS = 10_000;

/** What is left to send of one turn: `again` was `sending` and is surely not there; the rest waits behind it. */
export interface Leftover {
  readonly again: Part | null;
  readonly queued: readonly Part[];
}

/**
 * Settle what may have been sent before the process died (TR-042): ask the platform where it can tell; what it has is
 * delivered, what it surely lacks is sent again, anything else is `unknown` and never sent again.
 * Returns what is left to send, by turn, in order. Surfaces are connected but not open yet.
 */
export async function settleLeftovers(
  needs: { clock: Clock; log: Log; outbox: Outbox; surface: (name: SurfaceName) => Surface | undefined },
  recovery: Pick<Recovery, "sending" | "queued">,
  signal: AbortSignal,
): Promise<readonly Leftover[]> {
  const turns = new Map<string, { again: Part | null; queued: Part[] }>();
  for (const part of recovery.sending) {
    const found = await readBack(needs, part, signal);
    if (found.kind === "absent") turns.set(part.turn, { again: part, queued: [] });
    else {
      await needs.outbox.conclude(
        part,
        found.kind === "present" ? { kind: "delivered", platformId: found.platformId } : { kind: "unknown", reason: "not_readable" },
      );
    }
  }
  for (const part of recovery.queued) {
    const turn = turns.get(part.turn);
    if (turn === undefined) turns.set(part.turn, { again: null, queued: [part] });
    else turn.queued.push(part);
  }
  return [...turns.values()];
}

/** Send what a turn left, once the floor of its place is free. */
export async function sendLeftover(outbox: Outbox, leftover: Leftover, signal: AbortSignal): Promise<void> {
  const first = leftover.again ?? leftover.queued[0];
  if (first === undefined) return;
  using _floor = await outbox.takeFloor(first, signal);
  if (leftover.again !== null) {
    await outbox.sendTurn([leftover.again, ...leftover.queued], signal);
    return;
  }
  if (await outbox.claim(first, signal)) await outbox.sendTurn(leftover.queued, signal);
}

async function readBack(
  needs: { clock: Clock; log: Log; surface: (name: SurfaceName) => Surface | undefined },
  part: Part,
  signal: AbortSignal,
): Promise<ReadBack> {
  const surface = needs.surface(part.place.surface);
  if (surface === undefined || !surface.profile.readsBack) return { kind: "unreadable" };
  using deadline = withDeadline(needs.clock, READ_BACK_DEADLINE_MS, signal);
  try {
    return await surface.readBack(part, deadline.signal);
  } catch (error) {
    if (signal.aborted) throw error;
    needs.log.write("warn", "read_back_failed", { part: printable(part.id), code: printable(codeOf(error)) });
    return { kind: "unreadable" };
  }
}
