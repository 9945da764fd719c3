import { createHash, createHmac, randomBytes } from "node:crypto";

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const ID_CHARACTERS = 12;

/** Where new ids come from, so that tests can have them in order. */
export interface IdSource {
  /** A fresh id: the prefix, a dash, 12 characters of 5 random bits each. Collisions are caught by unique keys. */
  next(prefix: string): string;
}

/** Ids from the system's random source. */
export const randomIds: IdSource = { next: (prefix) => `${prefix}-${encode(randomBytes(ID_CHARACTERS))}` };

function encode(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += ALPHABET.charAt(byte & 31);
  return text;
}

/** SHA-256 as lower-case hex. */
export function sha256Hex(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}

/** A keyed hash as an id body of 12 characters: unpredictable without the key, equal for equal input (TR-033). */
export function keyedId(key: Uint8Array, data: string): string {
  return encode(createHmac("sha256", key).update(data).digest().subarray(0, ID_CHARACTERS));
}
