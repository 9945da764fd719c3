import { createLabelSource } from "../../authority/gateway/label-source.ts";
import type { Standpoint } from "../../authority/gateway/turn-authority.ts";
import { isForeign } from "../../authority/gateway/turn-authority.ts";
import type { EntrySpan, EntryView, SessionView, SessionsLedger } from "../../operations/sessions.ts";
import type { Store } from "../../store/store.ts";
import type { SessionId } from "../../vocabulary/ids.ts";
import { parseSessionId } from "../../vocabulary/ids.ts";
import type { Influence } from "../../vocabulary/label.ts";
import type { EntryBody, SessionEntry, SessionFacts } from "../../vocabulary/calls/session.ts";
import { SESSION_CEILINGS } from "../../vocabulary/calls/session.ts";
import { TextLabel } from "../../vocabulary/calls/text-label.ts";

/** Sessions whose influence is at hand: looked at again and again, it is read on from where it was. */
const MAX_KNOWN = 128;

/** Whose words of somebody else's a stored label names. */
export function foreignIn(label: string, standpoint: Standpoint): readonly Influence[] {
  const { influence } = TextLabel.factsOf(createLabelSource().read(label));
  return influence.filter((one) => isForeign(one, standpoint));
}

/** Agents' sessions as the operation sees them. */
export function sessionsLedger(store: Pick<Store, "read">, classesOf: Standpoint["classesOf"]): SessionsLedger {
  const { sessions } = store.read;
  const carried = new Carried(store, classesOf);
  const of = (whose: string | null, limit: number): readonly SessionFacts[] =>
    whose === null
      ? sessions.list(limit)
      : sessions
          .list(SESSION_CEILINGS.sessions)
          .filter(({ person }) => person === whose)
          .slice(0, limit);
  return {
    list: (limit, whose) => of(whose, limit).map((facts) => viewOf(facts, carried.by(facts))),
    named: (beginning, whose) =>
      of(whose, SESSION_CEILINGS.sessions)
        .filter(({ id }) => id === beginning || (id.startsWith(beginning) && beginning.length > "s-".length))
        .toSorted((one, other) => Number(other.id === beginning) - Number(one.id === beginning))
        .slice(0, 2)
        .map((facts) => viewOf(facts, carried.by(facts))),
    entries: (id, span) => entriesIn(store, parseSessionId(id), span).map(({ seq, atMs, body }) => ({ seq, atMs, ...shownOf(body) })),
    spent: (id) => sessions.spent(parseSessionId(id)),
  };
}

function entriesIn({ read }: Pick<Store, "read">, id: SessionId, { last, before, after }: EntrySpan): readonly SessionEntry[] {
  if (after !== undefined) return read.sessions.entries(id, after, last);
  const end = before === undefined ? (read.sessions.facts(id)?.last ?? 0) : before - 1;
  const from = Math.max(0, end - last);
  return read.sessions.entries(id, from, end - from);
}

function viewOf(facts: SessionFacts, carries: SessionView["carries"]): SessionView {
  const { id, character, person, place, parent, createdAtMs, usedAtMs, current, last, bytes } = facts;
  return { id, character, person, place, parent: parent?.id ?? null, createdAtMs, usedAtMs, current, entries: last, bytes, carries };
}

interface Known {
  readonly last: number;
  /** The entry that was read last, as far as it tells whether the history is still the same one. */
  readonly end: string;
  readonly since: ReadonlyMap<Influence, number>;
}

/**
 * Whose words each session carries, and since when. A history only grows, so that what was read stays read; one that lost entries,
 * because somebody was forgotten, is read anew.
 */
class Carried {
  readonly #reads: Store["read"]["sessions"];
  readonly #classesOf: Standpoint["classesOf"];
  readonly #endorsed: Standpoint["endorsed"];
  readonly #known = new Map<SessionId, Known>();

  constructor({ read }: Pick<Store, "read">, classesOf: Standpoint["classesOf"]) {
    this.#reads = read.sessions;
    this.#classesOf = classesOf;
    this.#endorsed = (sha256) => read.calls.endorsed(sha256);
  }

  by(facts: SessionFacts): SessionView["carries"] {
    const before = this.#known.get(facts.id);
    const isSame = before !== undefined && before.last <= facts.last && before.end === this.#endOf(facts.id, before.last);
    const known = isSame ? (before.last === facts.last ? before : this.#readOn(facts, before)) : this.#readOn(facts, NOTHING);
    this.#known.delete(facts.id);
    this.#known.set(facts.id, known);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_KNOWN && oldest !== undefined) this.#known.delete(oldest);
    const { person, character } = facts;
    const standpoint = { person, character, classesOf: this.#classesOf, endorsed: this.#endorsed };
    return [...known.since].flatMap(([whose, sinceMs]) => (isForeign(whose, standpoint) ? [{ whose, sinceMs }] : []));
  }

  #readOn({ id, last, person, character }: SessionFacts, before: Known): Known {
    const since = new Map(before.since);
    // An endorsement may come and go: what is kept knows of none.
    const standpoint = { person, character, classesOf: this.#classesOf, endorsed: () => false };
    for (const { label, sinceMs } of this.#reads.labels(id, before.last))
      for (const whose of foreignIn(label, standpoint)) if (!since.has(whose)) since.set(whose, sinceMs);
    return { last, end: this.#endOf(id, last), since };
  }

  #endOf(id: SessionId, last: number): string {
    const [end] = last === 0 ? [] : this.#reads.entries(id, last - 1, 1);
    return end === undefined ? "" : `${end.atMs} ${end.label}`;
  }
}

const NOTHING: Known = { last: 0, end: "", since: new Map() };

function shownOf(body: EntryBody): Omit<EntryView, "seq" | "atMs" | "cut"> {
  const about = { text: "", call: null, tool: null, calls: [] };
  switch (body.kind) {
    case "said":
    case "note":
      return { ...about, what: body.kind, text: body.text };
    case "answered": {
      const calls = body.calls.map(({ id, name, arguments: text }) => ({ call: id, tool: name, arguments: text }));
      return { ...about, what: body.kind, text: body.text, calls };
    }
    case "begun":
      return { ...about, what: body.kind, call: body.call };
    case "result":
      return { ...about, what: body.status, text: body.text, call: body.call, tool: body.name };
  }
}
