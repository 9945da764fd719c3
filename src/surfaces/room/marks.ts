import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { PlaceId } from "../../vocabulary/place.ts";
import type { PrincipalId } from "../../vocabulary/principal.ts";

const KEY_BYTES = 32;
const IV_BYTES = 12;
const SEQ_BYTES = 8;
const TAG_BYTES = 16;
const MARK = /^[A-Za-z0-9_-]{48}$/;

/**
 * Where a member's page of lines begins, sealed with a key of this process and bound to member and place: nobody else can use
 * it, and neither its value nor its length says how much is said (SE-087).
 */
export class Marks {
  readonly #key = randomBytes(KEY_BYTES);

  /** Seal the order number of a line. */
  seal(reader: PrincipalId, place: PlaceId, seq: number): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv("aes-256-gcm", this.#key, iv);
    cipher.setAAD(Buffer.from(`${reader} ${place}`));
    const plain = Buffer.alloc(SEQ_BYTES);
    plain.writeBigUInt64BE(BigInt(seq));
    return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]).toString("base64url");
  }

  /** The order number in a mark; null when it was not sealed by this process for this reader and place. */
  open(reader: PrincipalId, place: PlaceId, mark: string): number | null {
    if (!MARK.test(mark)) return null;
    const bytes = Buffer.from(mark, "base64url");
    const decipher = createDecipheriv("aes-256-gcm", this.#key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(`${reader} ${place}`));
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    try {
      const plain = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
      return Number(plain.readBigUInt64BE());
    } catch {
      // Forged, foreign, or of an earlier process: all are the same answer.
      return null;
    }
  }
}
