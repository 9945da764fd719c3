import { hash, randomFillSync } from "node:crypto";

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const ID_CHARACTERS = 12;

/** Where new ids come from, so that tests can have them in order. */
export interface IdSource {
  /** A fresh id: the prefix, a dash, 12 characters of 5 random bits each. Collisions are caught by unique keys. */
  next(prefix: string): string;
}

/** Ids from the system's random source. */
export const randomIds: IdSource = { next: (prefix) => `${prefix}-${encode(freshBytes())}` };

// Asking the system for twelve bytes at a time costs more than all else about an id, so they are drawn from a pool, each once.
const pool = new Uint8Array(ID_CHARACTERS * 256);
let used = pool.length;

function freshBytes(): Uint8Array {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += ID_CHARACTERS;
  return pool.subarray(used - ID_CHARACTERS, used);
}

function encode(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += ALPHABET.charAt(byte & 31);
  return text;
}

/** SHA-256 as lower-case hex. */
export function sha256Hex(data: string | Uint8Array): string {
  return hash("sha256", data, "hex");
}

/**
 * A keyed hash as an id body of 12 characters: unpredictable without the key, equal for equal input (TR-033). SHA-256 over the
 * key and the SHA-256 of key and data; the nesting, as in HMAC, keeps anyone from extending a known value.
 */
export function keyedId(key: Uint8Array, data: string): string {
  return keyedIds(key, data)[0];
}

/** Two of them at once, of which neither tells anything of the other. */
export function keyedIds(key: Uint8Array, data: string): readonly [string, string] {
  const text = Buffer.allocUnsafe(key.length + Buffer.byteLength(data));
  text.set(key);
  text.write(data, key.length);
  const inner = hash("sha256", text, "buffer");
  const outer = hash("sha256", Buffer.concat([key, inner]), "buffer");
  return [encode(outer.subarray(0, ID_CHARACTERS)), encode(outer.subarray(ID_CHARACTERS, 2 * ID_CHARACTERS))];
}
