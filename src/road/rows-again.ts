import type { InboxRow, ResumeRow } from "../store/store.ts";
import type { MessageId } from "../vocabulary/ids.ts";
import { parseMessageId } from "../vocabulary/ids.ts";
import type { Admitted } from "./1-admission/admission.ts";
import type { Lanes } from "./2-lanes/lanes.ts";
import type { RoadNeeds } from "./road.ts";

const KEPT: Promise<void> = Promise.resolve();
const NOTHING_RESERVED = { kind: "reserved", charges: [], release: (): void => {} } as const;

/** A row that waited in an earlier process, or goes on from a question. */
export function again(needs: RoadNeeds, row: InboxRow, attempts: number): Admitted {
  const reservation = row.class === "talk" ? needs.authority.reserve(row.person, row.place.surface) : NOTHING_RESERVED;
  // A row that was admitted keeps its right to an answer: what the budget says today only counts, it does not refuse.
  const { charges, release } = reservation.kind === "exhausted" ? NOTHING_RESERVED : reservation;
  return {
    row,
    origin: needs.authority.originOfKept(row),
    charges,
    release,
    refusal: null,
    attempts,
    kept: true,
    durable: KEPT,
    stands: () => true,
  };
}

/** Keep a person's answer, and let the turn that asked go on as a row of its own. */
export async function resume(needs: RoadNeeds, lanes: Lanes<Admitted>, answer: Omit<ResumeRow, "inbox" | "atMs">): Promise<boolean> {
  const { clock, ids } = needs.environment;
  const id = parseMessageId(ids.next("m"));
  const { resumed } = await needs.ledger.resume({ ...answer, inbox: id, atMs: clock.nowMs() });
  if (resumed) takeUp(needs, lanes, id);
  return resumed;
}

/** Let a row that is kept run. */
export function takeUp(needs: RoadNeeds, lanes: Lanes<Admitted>, id: MessageId): void {
  const row = needs.ledger.inbox(id);
  if (row === null) return;
  // Whoever waits for the message behind it is told that its question is answered, before anything follows from that.
  for (const message of needs.ledger.putAside(row.trigger.id)) needs.observer.waits?.(message, false);
  lanes.enqueue(again(needs, row, 0));
}

/** Take a waiting line out of its lane first, so that no turn can have it when its row ends. */
export async function withdraw(
  { ledger, observer, environment }: RoadNeeds,
  lanes: Lanes<Admitted>,
  { id, reason }: { readonly id: MessageId; readonly reason: "withdrawn" | "removed" },
): Promise<boolean> {
  const row = ledger.inbox(id);
  const line = row === null ? null : lanes.withdraw(row, (one) => one.row.id === id);
  // A line whose turn waits for a person's answer stands in no lane; taken away where it was said, it waits no more.
  if (row === null || (line === null && reason === "withdrawn")) return false;
  line?.release();
  const ending = { end: "cancelled", reason } as const;
  const atMs = environment.clock.nowMs();
  const { closed } = await ledger.close({ inbox: id, turn: null, ...ending, atMs, record: null });
  if (closed) observer.ended({ row: line?.row ?? row, ...ending, words: false, endedAtMs: atMs });
  return closed;
}
