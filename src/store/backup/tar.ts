import { RuntimeError } from "../../foundation/errors.ts";

/** Size of a tar block. */
export const BLOCK_BYTES = 512;
/** What a size field can say. */
export const MAX_ENTRY_BYTES: number = 8 ** 11 - 1;
const MAGIC = "ustar\u000000";
/** A folder at most, and nothing that leads out of the archive. */
const NAME = /^(?:[a-z][a-z0-9-]{0,30}\/)?[a-zA-Z0-9][a-zA-Z0-9._-]{0,60}$/;

/** One file of an archive. */
export interface TarEntry {
  readonly name: string;
  readonly bytes: number;
}

/** The header block of a regular file (POSIX ustar), readable by its owner alone. @throws RuntimeError `invalid_argument`, `capacity`. */
export function tarHeader(entry: TarEntry, atMs: number): Uint8Array {
  if (!NAME.test(entry.name))
    throw new RuntimeError("invalid_argument", "Cannot put a file into an archive: its name is not of the agreed form");
  if (entry.bytes > MAX_ENTRY_BYTES) throw new RuntimeError("capacity", "Cannot put a file into an archive: it is over 8 GiB");
  const block = Buffer.alloc(BLOCK_BYTES);
  block.write(entry.name, 0, "latin1");
  block.write("0000600\0", 100, "latin1");
  block.write("0000000\0", 108, "latin1");
  block.write("0000000\0", 116, "latin1");
  block.write(`${octal(entry.bytes, 11)}\0`, 124, "latin1");
  block.write(`${octal(Math.max(0, Math.floor(atMs / 1_000)), 11)}\0`, 136, "latin1");
  block.write("0", 156, "latin1");
  block.write(MAGIC, 257, "latin1");
  block.write(`${octal(checksum(block), 6)}\0 `, 148, "latin1");
  return block;
}

/** Read a header block: null at the end mark. @throws RuntimeError `state_corrupt` for anything but a plain file of ours. */
export function readTarHeader(block: Uint8Array): TarEntry | null {
  const bytes = Buffer.from(block.buffer, block.byteOffset, block.byteLength);
  if (bytes.every((byte) => byte === 0)) return null;
  const text = (from: number, to: number): string => bytes.toString("latin1", from, to).replace(/\0.*$/s, "");
  const name = text(0, 100);
  const size = text(124, 136).trim();
  const sum = text(148, 156).trim();
  const sound =
    NAME.test(name) &&
    /^[0-7]{1,11}$/.test(size) &&
    /^[0-7]{1,7}$/.test(sum) &&
    Number.parseInt(sum, 8) === checksum(bytes) &&
    text(156, 157) === "0" &&
    text(257, 262) === "ustar";
  if (!sound) throw new RuntimeError("state_corrupt", "Cannot read the backup: it is damaged or not a backup of this program");
  return { name, bytes: Number.parseInt(size, 8) };
}

/** Zeros behind a file, up to the next block. */
export function paddingOf(bytes: number): number {
  return (BLOCK_BYTES - (bytes % BLOCK_BYTES)) % BLOCK_BYTES;
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, "0");
}

/** The sum of all bytes, the checksum's own field counting as spaces. */
function checksum(block: Uint8Array): number {
  let sum = 0;
  block.forEach((byte, at) => (sum += at >= 148 && at < 156 ? 32 : byte));
  return sum;
}
