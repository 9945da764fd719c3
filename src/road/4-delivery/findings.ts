import type { Reply } from "../../vocabulary/reply.ts";

/** What makes a whole reply stay unsaid (TR-059 within SE-093). */
export type Finding = "canary" | "scaffold" | "credential" | "authorization" | "role_marker" | "tool_schema";

/** A registered operation or tool, by the names that calls of it are written with. */
export interface ToolShape {
  readonly name: string;
  readonly parameters: readonly string[];
}

const SCAFFOLD_WORDS = 12;
const CREDENTIALS: readonly RegExp[] = [
  /\bsk-[A-Za-z0-9_-]{20,}/,
  /\b(?:ghp|gho|ghs|ghu|github_pat)_[A-Za-z0-9_]{20,}/,
  /\bxox[abprs]-[A-Za-z0-9-]{20,}/,
  /\bAKIA[0-9A-Z]{16}\b/,
  /\bAIza[0-9A-Za-z_-]{35}\b/,
  /\b[MNO][A-Za-z\d_-]{23,25}\.[A-Za-z\d_-]{6}\.[A-Za-z\d_-]{27,}/,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  /\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/,
];
const AUTHORIZATION = /\b(?:authorization\s*:\s*\S+|bearer\s+[A-Za-z0-9._~+/-]{20,})/i;
const ROLE_MARKER = /^[ \t]*(?:system|assistant|user)[ \t]*:/im;

/**
 * Look for what a speaker must never say aloud. Whatever stands in the destination's own visible conversation is never a
 * finding: checks on the way out must not answer a guesser's question (SE-093).
 */
export function findingIn(
  text: string,
  reply: Pick<Reply, "scaffold" | "canaries" | "visibleText">,
  tools: readonly ToolShape[],
): Finding | null {
  // Read only where there is something to compare with it.
  const known = (): string => reply.visibleText;
  if (reply.canaries.some((canary) => canary !== "" && text.includes(canary))) return "canary";
  if (echoesScaffold(text, reply.scaffold, known)) return "scaffold";
  if (CREDENTIALS.some((pattern) => isNew(pattern, text, known))) return "credential";
  if (isNew(AUTHORIZATION, text, known)) return "authorization";
  if (isNew(ROLE_MARKER, text, known)) return "role_marker";
  return holdsToolCall(text, known, tools) ? "tool_schema" : null;
}

const CALL_WORDS = ["arguments", "parameters", "args", "input"];

/** The name of a registered tool as a JSON text, with one of its parameters or the word for them as a JSON key (MC-054). */
function holdsToolCall(text: string, known: () => string, tools: readonly ToolShape[]): boolean {
  const json = text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1);
  if (!json.startsWith("{") || known().includes(json)) return false;
  const holdsKey = (key: string): boolean => new RegExp(`["']${escape(key)}["']\\s*:`, "i").test(json);
  return tools.some(
    ({ name, parameters }) =>
      new RegExp(`["']${escape(name)}["'](?!\\s*:)`, "i").test(json) && (parameters.some(holdsKey) || CALL_WORDS.some(holdsKey)),
  );
}

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&");
}

function isNew(pattern: RegExp, text: string, known: () => string): boolean {
  if (!pattern.test(text)) return false;
  const seen = known().toLowerCase();
  // Each is looked at: one that everyone saw must not hide the next.
  return Array.from(text.matchAll(new RegExp(pattern, `${pattern.flags}g`))).some(([found]) => !seen.includes(found.trim().toLowerCase()));
}

/** Twelve words in a row of the prompt's own scaffold, that the conversation itself does not hold. */
function echoesScaffold(text: string, scaffold: readonly string[], known: () => string): boolean {
  const words = wordsOf(text);
  if (words.length < SCAFFOLD_WORDS) return false;
  const shingles = SHINGLES.get(scaffold) ?? new Set(scaffold.flatMap((piece) => shinglesOf(wordsOf(piece))));
  SHINGLES.set(scaffold, shingles);
  const echoes = shinglesOf(words).filter((shingle) => shingles.has(shingle));
  if (echoes.length === 0) return false;
  const knownText = ` ${wordsOf(known()).join(" ")} `;
  return echoes.some((shingle) => !knownText.includes(` ${shingle} `));
}

/** A scaffold is one list for all packets of its kind. */
const SHINGLES = new WeakMap<readonly string[], ReadonlySet<string>>();

function wordsOf(text: string): string[] {
  return (
    text
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{N}_]+/gu) ?? []
  );
}

function shinglesOf(words: readonly string[]): string[] {
  const shingles: string[] = [];
  for (let at = 0; at + SCAFFOLD_WORDS <= words.length; at += 1) shingles.push(words.slice(at, at + SCAFFOLD_WORDS).join(" "));
  return shingles;
}
