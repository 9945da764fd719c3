import { createLabelSource } from "../authority/gateway/label-source.ts";
import type { Standpoint } from "../authority/gateway/turn-authority.ts";
import { isForeign } from "../authority/gateway/turn-authority.ts";
import type { SessionView, SessionsLedger } from "../operations/sessions.ts";
import type { Store } from "../store/store.ts";
import { parseSessionId } from "../vocabulary/ids.ts";
import type { Influence } from "../vocabulary/label.ts";
import type { EntryBody, SessionFacts } from "../vocabulary/session.ts";
import { SESSION_CEILINGS } from "../vocabulary/session.ts";
import { TextLabel } from "../vocabulary/text-label.ts";

/** Whose words of somebody else's a stored label names. */
export function foreignIn(label: string, standpoint: Standpoint): readonly Influence[] {
  const { influence } = TextLabel.factsOf(createLabelSource(() => false).read(label));
  return influence.filter((one) => isForeign(one, standpoint));
}

/** Agents' sessions as the operation sees them. */
export function sessionsLedger(store: Pick<Store, "read">, classesOf: Standpoint["classesOf"]): SessionsLedger {
  const { sessions } = store.read;
  return {
    list: (limit) => sessions.list(limit).map((facts) => viewOf(facts, carriedBy(store, facts, classesOf))),
    entries(id, last) {
      const session = parseSessionId(id);
      const facts = sessions.facts(session);
      const after = Math.max(0, (facts?.last ?? 0) - last);
      return sessions.entries(session, after, last).map(({ seq, atMs, body }) => ({ seq, atMs, ...shownOf(body) }));
    },
  };
}

function viewOf({ id, character, person, usedAtMs, current, last, bytes }: SessionFacts, carries: SessionView["carries"]): SessionView {
  return { id, character, person, usedAtMs, current, entries: last, bytes, carries };
}

function carriedBy(
  { read }: Pick<Store, "read">,
  { id, person, character }: SessionFacts,
  classesOf: Standpoint["classesOf"],
): SessionView["carries"] {
  const since = new Map<Influence, number>();
  const known = new Map<string, readonly Influence[]>();
  for (const { label, atMs } of read.sessions.entries(id, 0, SESSION_CEILINGS.entries)) {
    const foreign = known.get(label) ?? foreignIn(label, { person, character, classesOf });
    known.set(label, foreign);
    for (const whose of foreign) if (!since.has(whose)) since.set(whose, atMs);
  }
  return [...since].map(([whose, sinceMs]) => ({ whose, sinceMs }));
}

function shownOf(body: EntryBody): { readonly what: string; readonly text: string } {
  switch (body.kind) {
    case "said":
    case "note":
      return { what: body.kind, text: body.text };
    case "answered":
      return {
        what: body.kind,
        text: [body.text, ...body.calls.map(({ id, name, arguments: args }) => `${id} ${name} ${args}`)].join(" ").trim(),
      };
    case "begun":
      return { what: body.kind, text: body.call };
    case "result":
      return { what: body.status, text: `${body.call} ${body.name}: ${body.text}` };
  }
}
