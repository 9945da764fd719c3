import type { Reply } from "../../vocabulary/reply.ts";

/** What makes a whole reply stay unsaid (TR-059 within SE-093). */
export type Finding = "canary" | "scaffold" | "credential" | "authorization" | "role_marker";

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
export function findingIn(text: string, reply: Pick<Reply, "scaffold" | "canaries" | "visibleText">): Finding | null {
  const known = reply.visibleText;
  if (reply.canaries.some((canary) => canary !== "" && text.includes(canary))) return "canary";
  if (echoesScaffold(text, reply.scaffold, known)) return "scaffold";
  if (CREDENTIALS.some((pattern) => isNew(pattern, text, known))) return "credential";
  if (isNew(AUTHORIZATION, text, known)) return "authorization";
  return isNew(ROLE_MARKER, text, known) ? "role_marker" : null;
}

function isNew(pattern: RegExp, text: string, known: string): boolean {
  const found = pattern.exec(text)?.[0];
  return found !== undefined && !known.toLowerCase().includes(found.trim().toLowerCase());
}

/** Twelve words in a row of the prompt's own scaffold, that the conversation itself does not hold. */
function echoesScaffold(text: string, scaffold: readonly string[], known: string): boolean {
  const words = wordsOf(text);
  if (words.length < SCAFFOLD_WORDS) return false;
  const shingles = new Set(scaffold.flatMap((piece) => shinglesOf(wordsOf(piece))));
  const knownText = ` ${wordsOf(known).join(" ")} `;
  return shinglesOf(words).some((shingle) => shingles.has(shingle) && !knownText.includes(` ${shingle} `));
}

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
