import { canonicalJson } from "../../foundation/canonical-json.ts";
import { RuntimeError } from "../../foundation/errors.ts";
import type { Influence } from "../label.ts";
import type { Assurance } from "../principal.ts";
import { ASSURANCES } from "../principal.ts";
import type { AskScope } from "./tool-definition.ts";
import { ASK_SCOPES } from "./tool-definition.ts";

/** Bytes of a call that may be approved away from the own machine, and without having been shown apart (SE-084). */
export const MAX_PLAIN_ASK_BYTES = 2_048;
/** Bytes of a call that can be asked about at all. */
export const MAX_ASK_BYTES = 65_536;
const MAX_WORDS = 1_000;

/** A question about a call, frozen: everything that its card shows (SE-084). */
export interface Ask {
  readonly session: string;
  /** The call's id in it. */
  readonly call: string;
  readonly tool: string;
  /** What runs if it is allowed: canonical JSON of tool, its definition's digest, arguments, folder and files. Its SHA-256 is the question's digest. */
  readonly bytes: string;
  /** Which rule asks, as a code. */
  readonly rule: string;
  /** Why, in the words of the operator who wrote that rule; absent for rules of the code. */
  readonly reason?: string;
  /** Everybody whose words may have shaped it. */
  readonly influence: readonly Influence[];
  /** Those of them who are not the person asked. */
  readonly foreign: readonly Influence[];
  /** Where its words would go, as that place is known; "" for nowhere. */
  readonly destination: string;
  readonly scopes: readonly AskScope[];
  /** The least assurance of the line that answers. */
  readonly least: Assurance;
  /** Whether what it does is not wholly said by its bytes. */
  readonly dynamic: boolean;
  /** What the runtime reckons to follow from it, as it was when it was asked; absent for nothing. */
  readonly foretold?: readonly string[];
  /** What the model wrote beside it. */
  readonly words: string;
}

/** A question as text, the one way. */
export function askText(ask: Ask): string {
  return canonicalJson({ ...ask, words: Array.from(ask.words).slice(0, MAX_WORDS).join("") });
}

/** Whether a question can be answered only where all of it was shown before. */
export function mustBeShown({ bytes, dynamic }: Pick<Ask, "bytes" | "dynamic">): boolean {
  return dynamic || Buffer.byteLength(bytes) > MAX_PLAIN_ASK_BYTES;
}

/** Read a question again; null for what is none. */
export function parseAsk(text: string): Ask | null {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null) return null;
    return readAsk(new Map<string, unknown>(Object.entries(value)));
  } catch {
    return null; // A damaged row asks nothing.
  }
}

function readAsk(fields: ReadonlyMap<string, unknown>): Ask {
  const least = ASSURANCES.find((one) => one === fields.get("least"));
  const dynamic = fields.get("dynamic");
  if (least === undefined || typeof dynamic !== "boolean") throw unreadable();
  const scopes = wordsIn(fields, "scopes");
  return {
    session: textIn(fields, "session"),
    call: textIn(fields, "call"),
    tool: textIn(fields, "tool"),
    bytes: textIn(fields, "bytes"),
    rule: textIn(fields, "rule"),
    ...(fields.has("reason") ? { reason: textIn(fields, "reason") } : {}),
    // oxlint-disable-next-line no-unsafe-type-assertion -- shown and compared as words, never as an authority
    influence: wordsIn(fields, "influence") as readonly Influence[],
    // oxlint-disable-next-line no-unsafe-type-assertion -- shown and compared as words, never as an authority
    foreign: wordsIn(fields, "foreign") as readonly Influence[],
    destination: textIn(fields, "destination"),
    scopes: ASK_SCOPES.filter((scope) => scopes.includes(scope)),
    least,
    dynamic,
    ...(fields.has("foretold") ? { foretold: wordsIn(fields, "foretold") } : {}),
    words: textIn(fields, "words"),
  };
}

function textIn(fields: ReadonlyMap<string, unknown>, name: string): string {
  const value = fields.get(name);
  if (typeof value !== "string") throw unreadable();
  return value;
}

function wordsIn(fields: ReadonlyMap<string, unknown>, name: string): readonly string[] {
  const value = fields.get(name);
  if (!Array.isArray(value) || !value.every((word): word is string => typeof word === "string")) throw unreadable();
  return value;
}

function unreadable(): RuntimeError {
  return new RuntimeError("state_corrupt", "Cannot read a question: it is not of its form");
}
