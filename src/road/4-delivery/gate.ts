import { RuntimeError } from "../../foundation/errors.ts";
import type { Redactor } from "../../foundation/redact.ts";
import type { Place } from "../../vocabulary/place.ts";
import type { Reply } from "../../vocabulary/reply.ts";
import type { Finding, ToolShape } from "./findings.ts";
import { findingIn } from "./findings.ts";
import type { Changes, InertRules } from "./inert.ts";
import { inertText } from "./inert.ts";

const MINT = Symbol("safe-reply");

/** Words, gesture, and the command prefixes that may begin no line of them in their place. */
export interface SafeContent {
  readonly speech: string;
  readonly action: string;
  readonly prefixes: string;
}

/** What passed the gate: the only thing the outbox takes. A look-alike or a copy is refused (TR-002). */
export class SafeReply {
  readonly #speech: string;
  readonly #action: string;
  readonly #prefixes: string;

  constructor(mint: symbol, content: SafeContent) {
    if (mint !== MINT || new.target !== SafeReply) throw new RuntimeError("forged", "Cannot make a SafeReply: only the delivery gate may");
    this.#speech = content.speech;
    this.#action = content.action;
    this.#prefixes = content.prefixes;
    Object.freeze(this);
  }

  /** Words and gesture of a genuine value. @throws RuntimeError `forged` */
  static contentOf(value: SafeReply): SafeContent {
    if (!(#speech in value)) throw new RuntimeError("forged", "Cannot deliver: the reply did not pass the gate");
    return { speech: value.#speech, action: value.#action, prefixes: value.#prefixes };
  }
}

/** Passed, with what was changed by code and count; or withheld whole. */
export type GateResult =
  | { readonly kind: "passed"; readonly reply: SafeReply; readonly changes: readonly { readonly code: string; readonly count: number }[] }
  | { readonly kind: "withheld"; readonly finding: Finding | "empty" };

/** The gate every outgoing text goes through (TR-059, SE-093, SE-095), whichever voice it comes from. */
export interface Gate {
  /** `maxBytes` bounds words and gesture together, before they are split (MC-057). */
  pass(reply: Reply, to: { readonly place: Place; readonly maxBytes: number }): GateResult;
  /**
   * The card of a question for its person's own line, byte for byte: what is shown is what runs (SE-084). Null where that may not
   * be: in public, or where it holds a configured secret.
   */
  card(text: string, place: Place): SafeReply | null;
  /** Fixed texts of the runtime: made inert, never withheld. */
  notice(text: string, place: Place): SafeReply;
}

/** What a gate stands on. */
export interface GateNeeds {
  readonly redactor: Redactor;
  /** The rules of one place, read anew for each reply: no place's allowance holds in another (TR-090). */
  readonly rules: (place: Place) => InertRules;
  /** Registered operations and tools. */
  readonly tools: () => readonly ToolShape[];
}

/** Times the reply's own bound that are looked at; what is beyond could not be sent anyway. */
const LOOK_AHEAD = 4;

/** Make a gate over these secrets and rules. */
export function createGate(needs: GateNeeds): Gate {
  return {
    pass(reply, { place, maxBytes }) {
      const changes: Changes = new Map();
      // A configured secret is redacted, so it is no finding; what only looks like one is.
      const [rawAction = "", rawSpeech = ""] = [reply.action, reply.speech].map((text) =>
        counted(needs.redactor, text.slice(0, maxBytes * LOOK_AHEAD), changes),
      );
      const finding = findingIn(`${rawAction}\n${rawSpeech}`, reply, needs.tools());
      if (finding !== null) return { kind: "withheld", finding };
      const rules = needs.rules(place);
      // Secrets went first, in the raw text; and go again at the end, since taking characters out may join a split one.
      const clean = (text: string): string => needs.redactor.clean(inertText(text, rules, changes)).trim();
      const action = bounded(clean(rawAction).replaceAll("\n", " "), Math.min(maxBytes, 400), changes);
      const speech = bounded(clean(rawSpeech), maxBytes - Buffer.byteLength(action), changes);
      if (speech === "" && action === "") return { kind: "withheld", finding: "empty" };
      return {
        kind: "passed",
        reply: new SafeReply(MINT, { speech, action, prefixes: rules.commandPrefixes }),
        changes: [...changes].map(([code, count]) => ({ code, count })),
      };
    },
    card(text, place) {
      if (place.kind !== "direct" || needs.redactor.clean(text) !== text) return null;
      return new SafeReply(MINT, { speech: text, action: "", prefixes: "" });
    },
    notice(text, place) {
      const rules = needs.rules(place);
      return new SafeReply(MINT, { speech: inertText(text, rules, new Map()), action: "", prefixes: rules.commandPrefixes });
    },
  };
}

function counted(redactor: Redactor, text: string, changes: Changes): string {
  const clean = redactor.clean(text);
  if (clean !== text) changes.set("secret", (changes.get("secret") ?? 0) + 1);
  return clean;
}

const graphemes = new Intl.Segmenter("und", { granularity: "grapheme" });

/** Bound a text before it is split (MC-057): cut between graphemes, marked with an ellipsis. */
function bounded(text: string, maxBytes: number, changes: Changes): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  changes.set("shortened", 1);
  let left = maxBytes - Buffer.byteLength("…");
  let length = 0;
  for (const { segment } of graphemes.segment(text)) {
    left -= Buffer.byteLength(segment);
    if (left < 0) break;
    length += segment.length;
  }
  return `${text.slice(0, length).trimEnd()}…`;
}
