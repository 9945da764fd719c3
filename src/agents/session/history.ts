import type { Clock } from "../../foundation/clock.ts";
import { RuntimeError } from "../../foundation/errors.ts";
import type { Charge, Store, StoreReader } from "../../store/store.ts";
import type { ToolCall } from "../../vocabulary/calls/agent-model.ts";
import type { LabelSource } from "../../vocabulary/calls/gateway.ts";
import type { MessageId, SessionId } from "../../vocabulary/ids.ts";
import type { EntryBody, SessionEntry } from "../../vocabulary/calls/session.ts";
import { SESSION_CEILINGS } from "../../vocabulary/calls/session.ts";
import type { TextLabel } from "../../vocabulary/calls/text-label.ts";
import { joinLabels, labelText } from "../../vocabulary/calls/text-label.ts";

/** Entries read at once. */
const PAGE = 2_048;

/** What histories stand on. */
export interface HistoryNeeds {
  readonly verbs: Pick<Store["sessions"], "append">;
  readonly reads: Pick<StoreReader["sessions"], "entries">;
  readonly labels: Pick<LabelSource, "read" | "ofRuntime">;
  readonly clock: Pick<Clock, "nowMs">;
}

/** Whose turn entries are of, and what shaped them. */
export interface AddedBy {
  readonly root: MessageId | null;
  readonly label: TextLabel;
  readonly charges?: readonly Charge[];
}

/** A call that nothing final came of yet. */
export interface OpenCall {
  readonly call: ToolCall;
  readonly root: MessageId | null;
  /** Whether it began to run. */
  readonly begun: boolean;
  /** Whether it has a result that says it waits. */
  readonly waiting: boolean;
}

/**
 * The history of one session while a turn runs in it (TR-057).
 *
 * H1  It only grows, and what is in it is durable: an entry is added once its commit stands.
 * H2  Its label is the join of every entry's label, whether or not that entry still fits into a request (TR-014).
 * H3  A commit that finds another end than ours keeps nothing, and the turn fails: somebody was forgotten, or the line goes on elsewhere.
 */
export class History {
  readonly id: SessionId;
  readonly #needs: HistoryNeeds;
  readonly #entries: SessionEntry[];
  readonly #open = new Map<string, OpenCall>();
  #label: TextLabel;

  constructor(id: SessionId, needs: HistoryNeeds) {
    this.id = id;
    this.#needs = needs;
    this.#entries = [...readAll(id, needs.reads)];
    for (const entry of this.#entries) this.#follow(entry);
    // Most entries have one of a few labels.
    const labels = new Set(this.#entries.map(({ label }) => label));
    this.#label = joinLabels(needs.labels.ofRuntime(), ...[...labels].map((label) => needs.labels.read(label)));
  }

  get entries(): readonly SessionEntry[] {
    return this.#entries;
  }

  get label(): TextLabel {
    return this.#label;
  }

  /** Entries of one root's turn, in order. */
  of(root: MessageId): readonly SessionEntry[] {
    return this.#entries.filter((entry) => entry.root === root);
  }

  /** Every call that nothing final came of yet, oldest first. */
  openCalls(): readonly OpenCall[] {
    return [...this.#open.values()];
  }

  /** Calls of a new answer, under ids that nothing else in the session has. */
  named(calls: readonly Pick<ToolCall, "name" | "arguments">[]): readonly ToolCall[] {
    const seq = this.#entries.length + 1;
    return calls.map((call, at) => ({ id: `c${seq}-${at}`, name: call.name, arguments: call.arguments }));
  }

  /** Add entries of one label, as one commit. @throws RuntimeError `capacity` when the history is full, `closed` when it is no longer ours. */
  async add(bodies: readonly EntryBody[], of: AddedBy): Promise<void> {
    const { root, label, charges = [] } = of;
    const text = labelText(label);
    const after = this.#entries.length;
    const atMs = this.#needs.clock.nowMs();
    const fresh = bodies.map((body, at): SessionEntry => ({ body, root, label: text, atMs, seq: after + at + 1 }));
    const appended = await this.#needs.verbs.append({ session: this.id, after, entries: fresh, atMs, charges });
    if (appended.kind === "full")
      throw new RuntimeError("capacity", "Cannot go on in this session: its history is full; begin a new one with /new");
    if (appended.kind === "stale") throw new RuntimeError("closed", "Cannot go on in this session: its history is another one now");
    this.#entries.push(...fresh);
    for (const entry of fresh) this.#follow(entry);
    if (fresh.length > 0) this.#label = joinLabels(this.#label, label);
  }

  #follow({ body, root }: SessionEntry): void {
    if (body.kind === "answered") for (const call of body.calls) this.#open.set(call.id, { call, root, begun: false, waiting: false });
    const open = body.kind === "begun" || body.kind === "result" ? this.#open.get(body.call) : undefined;
    if (open === undefined) return;
    if (body.kind === "begun") this.#open.set(open.call.id, { ...open, begun: true });
    else if (body.kind === "result" && body.status === "waiting") this.#open.set(open.call.id, { ...open, waiting: true });
    else this.#open.delete(open.call.id);
  }
}

function readAll(id: SessionId, reads: HistoryNeeds["reads"]): readonly SessionEntry[] {
  const all: SessionEntry[] = [];
  while (all.length < SESSION_CEILINGS.entries) {
    const page = reads.entries(id, all.length, PAGE);
    all.push(...page);
    if (page.length < PAGE) break;
  }
  return all;
}
