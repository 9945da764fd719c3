import type { StoreReader } from "../../store/store.ts";
import type { SessionId } from "../../vocabulary/ids.ts";
import { parseMessageId } from "../../vocabulary/ids.ts";
import type { Influence } from "../../vocabulary/label.ts";
import type { PlaceId } from "../../vocabulary/place.ts";
import type { EntryBody, SessionEntry, SessionFacts, SessionNote } from "../../vocabulary/calls/session.ts";
import { SESSION_CEILINGS } from "../../vocabulary/calls/session.ts";

/** Texts that one list may name. */
export const MAX_LISTED = 32;
/** Sessions behind the present one whose texts can still be asked about. */
const MAX_ANCESTORS = 8;
/** Newest entries of a session among which a ref must have been shown. */
const SHOWN_ENTRIES = 512;

/** A text of somebody else that a session is told about without its words. */
export interface UnreadText {
  /** Names it: an id of ours, never anybody's text. */
  readonly ref: string;
  readonly by: readonly Influence[];
  readonly atMs: number;
  readonly characters: number;
  /** Where it was said; null for what was left behind. */
  readonly place: PlaceId | null;
}

/** What unread texts are found in. */
export interface UnreadNeeds {
  readonly sessions: StoreReader["sessions"];
  readonly conversations: Pick<StoreReader["conversations"], "heardLately">;
  readonly event: StoreReader["event"];
  /** Whose words of somebody else's a label names, for the session's person and character. */
  readonly foreignIn: (label: string, facts: Pick<SessionFacts, "person" | "character">) => readonly Influence[];
}

/**
 * Texts that an agent may ask about though it does not read them (SE-091): lines of people in public places where its character was,
 * and what `/clean` left behind. Private lines of others are not among them.
 */
export interface UnreadTexts {
  /** The newest lines, oldest first; of one place where it is named. */
  lines(session: SessionId, wish: { readonly last: number; readonly place?: PlaceId }): readonly UnreadText[];
  /** The newest texts that stayed behind, oldest first. */
  left(session: SessionId, last: number): readonly UnreadText[];
  /** The words behind a ref that this session was shown; null for any other, and for what is gone. */
  read(session: SessionId, ref: string): string | null;
}

/** Look for unread texts in the store. */
export function createUnreadTexts(needs: UnreadNeeds): UnreadTexts {
  const { sessions } = needs;
  return {
    lines(session, { last, place }) {
      const facts = sessions.facts(session);
      if (facts === null) return [];
      return needs.conversations.heardLately(facts.character, last, place).map(({ id, influence, atMs, text, place: at }) => ({
        ref: id,
        by: influence,
        atMs,
        characters: text.length,
        place: at,
      }));
    },
    left(session, last) {
      const facts = sessions.facts(session);
      if (facts === null) return [];
      return leftBehind(facts, needs)
        .map(({ ref, by, atMs, text }) => ({ ref, by, atMs, characters: text.length, place: null }))
        .toSorted((one, other) => one.atMs - other.atMs)
        .slice(-last);
    },
    read(session, ref) {
      const facts = sessions.facts(session);
      if (facts === null || !wasShown(facts, ref, needs)) return null;
      if (/^m-[0-9a-z]{4,32}$/u.test(ref)) return lineOf(facts, ref, needs);
      return leftBehind(facts, needs).find((one) => one.ref === ref)?.text ?? null;
    },
  };
}

/** The tool whose results show refs. */
export const LISTS_UNREAD = "unread_list";

function wasShown({ id, last }: SessionFacts, ref: string, { sessions }: UnreadNeeds): boolean {
  return sessions
    .entries(id, Math.max(0, last - SHOWN_ENTRIES), SHOWN_ENTRIES)
    .some(({ body }) => body.kind === "result" && body.name === LISTS_UNREAD && body.status === "ok" && refsIn(body.text).includes(ref));
}

/** A ref stands in a list's result as `[ref X: …]`. */
function refsIn(text: string): readonly string[] {
  return [...text.matchAll(/\[ref ([a-z0-9.-]{3,60}):/gu)].flatMap(([, ref]) => (ref === undefined ? [] : [ref]));
}

function lineOf({ character }: SessionFacts, ref: string, needs: UnreadNeeds): string | null {
  const event = needs.event(parseMessageId(ref));
  const isThere = event !== null && event.state === "said" && event.author.kind === "person" && event.witnesses.includes(character);
  return isThere && event.place.startsWith("public:") && event.text !== "" ? event.text : null;
}

interface LeftText {
  readonly ref: string;
  readonly by: readonly Influence[];
  readonly atMs: number;
  readonly text: string;
}

/** What the sessions that this one goes on from hold beyond where it left them, as far as it is somebody else's. */
function leftBehind(facts: SessionFacts, needs: UnreadNeeds): readonly LeftText[] {
  const found: LeftText[] = [];
  let at = facts;
  for (let depth = 0; depth < MAX_ANCESTORS && at.parent !== null; depth += 1) {
    const parent = needs.sessions.facts(at.parent.id);
    if (parent === null || parent.place !== facts.place || parent.person !== facts.person) break;
    const entries = needs.sessions.entries(parent.id, at.parent.upTo, SESSION_CEILINGS.entries);
    found.push(...entries.flatMap((entry) => ofEntry(parent, entry, needs)), ...notesOf(parent, needs));
    at = parent;
  }
  return found;
}

function ofEntry(facts: SessionFacts, { body, label, seq, atMs }: SessionEntry, needs: UnreadNeeds): readonly LeftText[] {
  const text = wordsIn(body);
  const by = text === "" ? [] : needs.foreignIn(label, facts);
  return by.length === 0 ? [] : [{ ref: `${facts.id}.${seq}`, by, atMs, text }];
}

/** Notes are named by their place in the list: a name is itself words that others may have shaped. */
function notesOf(facts: SessionFacts, needs: UnreadNeeds): readonly LeftText[] {
  return needs.sessions.notes(facts.id).flatMap((note: SessionNote, at): readonly LeftText[] => {
    const by = needs.foreignIn(note.label, facts);
    return by.length === 0 ? [] : [{ ref: `${facts.id}.n${at + 1}`, by, atMs: note.atMs, text: `${note.name}\n${note.text}` }];
  });
}

function wordsIn(body: EntryBody): string {
  return body.kind === "begun" ? "" : body.text;
}
