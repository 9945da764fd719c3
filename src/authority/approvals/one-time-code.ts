import { createHash, timingSafeEqual } from "node:crypto";
import { randomBytes } from "../../foundation/random-bytes.ts";
import { ANSWER_CODE, CODE_ALPHABET, codeIn } from "../../vocabulary/calls/answer-code.ts";

/** What a code is bound to: it opens nothing else, and nothing in another start of the process. */
export interface CodeBinding {
  readonly approval: string;
  /** Of the call's bytes. */
  readonly digest: string;
  /** Who alone may use it. */
  readonly person: string;
  readonly generation: number;
}

/** A code as it is kept. */
export interface KeptCode {
  readonly hash: string;
  readonly salt: string;
  readonly expiresAtMs: number;
  readonly tries: number;
}

const SALT_BYTES = 16;

/** Make a code for one question: the code, which is said once to its person, and what is kept of it. */
export function issueCode(
  binding: CodeBinding,
  nowMs: number,
  random: (count: number) => Uint8Array = randomBytes,
): { readonly code: string; readonly kept: KeptCode } {
  const code = lettersFrom(random);
  const salt = Buffer.from(random(SALT_BYTES)).toString("base64url");
  return {
    code,
    kept: { hash: hashOf(code, salt, binding), salt, expiresAtMs: nowMs + ANSWER_CODE.forMs, tries: ANSWER_CODE.tries },
  };
}

/** Whether what was typed is the code, told in a time that says nothing of how near it came. */
export function isCode(typed: string, kept: Pick<KeptCode, "hash" | "salt">, binding: CodeBinding): boolean {
  const given = Buffer.from(hashOf(codeIn(typed) ?? "", kept.salt, binding), "hex");
  const right = Buffer.from(kept.hash, "hex");
  return given.length === right.length && timingSafeEqual(given, right);
}

/** Every letter as likely as any other: a byte beyond the last whole round of letters is thrown away. */
function lettersFrom(random: (count: number) => Uint8Array): string {
  const limit = 256 - (256 % CODE_ALPHABET.length);
  let code = "";
  while (code.length < ANSWER_CODE.letters)
    for (const byte of random(ANSWER_CODE.letters))
      if (byte < limit && code.length < ANSWER_CODE.letters) code += CODE_ALPHABET.charAt(byte % CODE_ALPHABET.length);
  return code;
}

function hashOf(code: string, salt: string, { approval, digest, person, generation }: CodeBinding): string {
  const hash = createHash("sha256");
  // Each with its length in front, so that no two lists have one hash.
  for (const word of ["answer code", salt, approval, digest, person, String(generation), code])
    hash.update(`${Buffer.byteLength(word)}:${word}`);
  return hash.digest("hex");
}
