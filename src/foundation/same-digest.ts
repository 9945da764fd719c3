import { timingSafeEqual } from "node:crypto";

/** Whether two digests in hex are the same, told in a time that says nothing of where they differ. */
export function sameDigest(left: string, right: string): boolean {
  const [one, other] = [Buffer.from(left, "hex"), Buffer.from(right, "hex")];
  return one.length > 0 && one.length === other.length && timingSafeEqual(one, other);
}
