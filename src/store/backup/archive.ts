import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { mkdir, open, rename, rm, stat } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { dirname, join } from "node:path";
import { throwIfAborted } from "../../foundation/cancellation.ts";
import { RuntimeError } from "../../foundation/errors.ts";
import { printable } from "../../foundation/printable.ts";
import { fileFailureOf } from "../sqlite/file/failure.ts";
import type { Manifest, ManifestFile } from "./manifest.ts";
import { MANIFEST_NAME, MAX_MANIFEST_BYTES, parseManifest } from "./manifest.ts";
import { BLOCK_BYTES, paddingOf, readTarHeader, tarHeader } from "./tar.ts";

const CHUNK_BYTES = 1024 * 1024;
/** Files of one archive at most. */
const MAX_FILES = 64;

/** A file to be put into an archive. */
export interface Packed {
  readonly name: string;
  readonly from: string;
}

/**
 * Write files and, last, their manifest into one new archive (an uncompressed tar, 0600). It appears under its name once it is
 * whole and flushed; nothing is left of one that is not. @throws RuntimeError `usage` when the file is there already, `disk_full`,
 * `state_unwritable`; the signal's reason on abort.
 */
export async function writeArchive(
  to: string,
  files: readonly Packed[],
  facts: Omit<Manifest, "files">,
  signal: AbortSignal,
): Promise<Manifest> {
  const aside = `${to}.part`;
  const out = await guarded(aside, () =>
    open(aside, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | (constants.O_NOFOLLOW ?? 0), 0o600),
  );
  try {
    const packed: ManifestFile[] = [];
    for (const file of files) packed.push(await guarded(aside, () => pack(out, file, facts.madeAtMs, signal)));
    const manifest: Manifest = { ...facts, files: packed };
    const bytes = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
    await guarded(aside, async () => {
      await out.writeFile(
        Buffer.concat([
          tarHeader({ name: MANIFEST_NAME, bytes: bytes.length }, facts.madeAtMs),
          bytes,
          zeros(paddingOf(bytes.length) + 2 * BLOCK_BYTES),
        ]),
      );
      await out.sync();
      await out.close();
      await rename(aside, to);
    });
    return manifest;
  } catch (error) {
    await out.close().catch(() => undefined);
    await rm(aside, { force: true });
    throw error;
  }
}

/**
 * Read an archive to its end and compare every file with the manifest; with a folder given, put the files there (0600) on the way.
 * @throws RuntimeError `not_found`, `state_corrupt` (then what was put there is not to be used); the signal's reason on abort.
 */
export async function readArchive(from: string, into: string | null, signal: AbortSignal): Promise<Manifest> {
  const archive = await open(from, constants.O_RDONLY).catch((cause: unknown) => {
    throw new RuntimeError("not_found", `Cannot read ${printable(from)}: there is no such file, or this user may not read it`, { cause });
  });
  try {
    const found: ManifestFile[] = [];
    for (let at = 0; found.length <= MAX_FILES;) {
      const entry = readTarHeader(await exactly(archive, at, BLOCK_BYTES));
      if (entry === null) break;
      const start = at + BLOCK_BYTES;
      if (entry.name === MANIFEST_NAME) return await compared(archive, { start, bytes: entry.bytes }, found);
      found.push(await unpack(archive, { ...entry, start }, into, signal));
      at = start + entry.bytes + paddingOf(entry.bytes);
    }
    throw damaged();
  } finally {
    await archive.close();
  }
}

async function pack(out: FileHandle, file: Packed, atMs: number, signal: AbortSignal): Promise<ManifestFile> {
  const { size } = await stat(file.from);
  const source = await open(file.from, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  const hash = createHash("sha256");
  try {
    await out.writeFile(tarHeader({ name: file.name, bytes: size }, atMs));
    for (let at = 0; at < size;) {
      throwIfAborted(signal);
      const chunk = await exactly(source, at, Math.min(CHUNK_BYTES, size - at));
      hash.update(chunk);
      await out.writeFile(chunk);
      at += chunk.length;
    }
    await out.writeFile(zeros(paddingOf(size)));
    return { name: file.name, bytes: size, sha256: hash.digest("hex") };
  } finally {
    await source.close();
  }
}

async function unpack(
  archive: FileHandle,
  entry: { readonly name: string; readonly bytes: number; readonly start: number },
  into: string | null,
  signal: AbortSignal,
): Promise<ManifestFile> {
  const hash = createHash("sha256");
  const target = into === null ? null : await create(join(into, entry.name));
  try {
    for (let at = 0; at < entry.bytes;) {
      throwIfAborted(signal);
      const chunk = await exactly(archive, entry.start + at, Math.min(CHUNK_BYTES, entry.bytes - at));
      hash.update(chunk);
      await target?.writeFile(chunk);
      at += chunk.length;
    }
    await target?.sync();
  } finally {
    await target?.close();
  }
  return { name: entry.name, bytes: entry.bytes, sha256: hash.digest("hex") };
}

async function create(path: string): Promise<FileHandle> {
  return guarded(path, async () => {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    return open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  });
}

async function compared(archive: FileHandle, at: { start: number; bytes: number }, found: readonly ManifestFile[]): Promise<Manifest> {
  if (at.bytes > MAX_MANIFEST_BYTES) throw damaged();
  const manifest = parseManifest((await exactly(archive, at.start, at.bytes)).toString("utf8"));
  if (manifest === null || JSON.stringify(manifest.files) !== JSON.stringify(found)) throw damaged();
  return manifest;
}

async function exactly(file: FileHandle, at: number, bytes: number): Promise<Buffer> {
  const buffer = Buffer.alloc(bytes);
  for (let have = 0; have < bytes;) {
    const { bytesRead } = await file.read(buffer, have, bytes - have, at + have);
    if (bytesRead === 0) throw damaged();
    have += bytesRead;
  }
  return buffer;
}

async function guarded<T>(path: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (cause) {
    if (cause instanceof RuntimeError) throw cause;
    throw new RuntimeError(fileFailureOf(cause), `Cannot write ${printable(path)}: the disk is full, or this user may not write there`, {
      cause,
    });
  }
}

function zeros(bytes: number): Uint8Array {
  return new Uint8Array(bytes);
}

function damaged(): RuntimeError {
  return new RuntimeError("state_corrupt", "Cannot read the backup: it is damaged or not a backup of this program");
}
