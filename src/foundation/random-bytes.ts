import { randomBytes as systemRandomBytes } from "node:crypto";

/** Make `count` unpredictable bytes from the system's random source. */
export function randomBytes(count: number): Uint8Array {
  return systemRandomBytes(count);
}
