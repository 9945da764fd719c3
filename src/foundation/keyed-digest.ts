import { createHmac } from "node:crypto";

/** A short digest that only whoever holds the key can make: 16 letters of base64url, so 96 bits. */
export function keyedDigest(key: Uint8Array, words: readonly string[]): string {
  const mac = createHmac("sha256", key);
  // Each with its length in front, so that no two lists have one digest.
  for (const word of words) mac.update(`${Buffer.byteLength(word)}:${word}`);
  return mac.digest("base64url").slice(0, 16);
}
