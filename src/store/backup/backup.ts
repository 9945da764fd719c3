import { copyFile, lstat, mkdir, readFile, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../foundation/clock.ts";
import { RuntimeError } from "../../foundation/errors.ts";
import { silentLog } from "../../foundation/log.ts";
import { printable } from "../../foundation/printable.ts";
import { EPOCH_FILE } from "../sqlite/file/epoch-file.ts";
import { SCHEMA_VERSION } from "../sqlite/file/schema.ts";
import { openStore } from "../sqlite/sqlite.ts";
import { DATABASE_NAME } from "../sqlite/file/state-folder.ts";
import type { Restored } from "../store.ts";
import { readArchive, writeArchive } from "./archive.ts";
import type { Manifest } from "./manifest.ts";
import { ARCHIVE_FORMAT } from "./manifest.ts";

/** Where things stand in an archive. */
const IN_ARCHIVE = { database: DATABASE_NAME, config: "config/troupe.yaml", key: "secrets/install.key" } as const;
const STATE_FOLDER = ".troupe";

/** What goes into a backup. */
export interface BackupParts {
  /** A copy of the database, made to be kept; it is removed once it is packed. */
  readonly databaseCopy: string;
  readonly copy: { readonly epoch: number; readonly schema: number };
  /** The configuration's file; null when there is none. */
  readonly config: string | null;
  /** The install key's file, when secrets were asked for; null otherwise. */
  readonly installKey: string | null;
}

/** Pack a copy of the database and the configuration into one file (TR-095). @throws RuntimeError as {@link writeArchive}. */
export async function packBackup(
  to: string,
  parts: BackupParts,
  how: { readonly version: string; readonly madeAtMs: number },
  signal: AbortSignal,
): Promise<Manifest> {
  const { databaseCopy, config, installKey, copy } = parts;
  try {
    const files = [
      { name: IN_ARCHIVE.database, from: databaseCopy },
      ...(config === null ? [] : [{ name: IN_ARCHIVE.config, from: config }]),
      ...(installKey === null ? [] : [{ name: IN_ARCHIVE.key, from: installKey }]),
    ];
    return await writeArchive(to, files, { format: ARCHIVE_FORMAT, ...how, ...copy, withSecrets: installKey !== null }, signal);
  } finally {
    await rm(databaseCopy, { force: true });
  }
}

/** Read a backup to its end and compare everything with its manifest; nothing is written. @throws RuntimeError as {@link readArchive}, `state_newer`. */
export async function checkBackup(file: string, signal: AbortSignal): Promise<Manifest> {
  const manifest = await readArchive(file, null, signal);
  if (manifest.schema > SCHEMA_VERSION)
    throw new RuntimeError(
      "state_newer",
      `Cannot use ${printable(file)}: a newer version made it; restore it with version ${printable(manifest.version, 40)} or later`,
    );
  return manifest;
}

/** Where a backup is restored to, and what of this installation goes along. */
export interface RestoreRequest {
  /** Missing or empty. Gets `troupe.yaml` and `.troupe/`. */
  readonly folder: string;
  /** The state folder in use here, if there is one: its key and forget list go along, so that who was forgotten since stays so. */
  readonly besides: string | null;
  readonly clock: Clock;
}

/**
 * Check a backup, put it into an empty folder and take its authority there (SE-099): what the folder then holds can simply be
 * started. Nothing is left of a restore that fails.
 * @throws RuntimeError `usage` when the folder is not empty, and as {@link checkBackup}.
 */
export async function restoreBackup(
  file: string,
  request: RestoreRequest,
  signal: AbortSignal,
): Promise<{ readonly manifest: Manifest; readonly restored: Restored }> {
  await checkBackup(file, signal);
  const { folder, besides, clock } = request;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await readdir(folder)).length > 0)
    throw new RuntimeError("usage", `Cannot restore into ${printable(folder)}: it is not empty; name a new folder`);
  try {
    const aside = join(folder, ".restoring");
    const manifest = await readArchive(file, aside, signal);
    const state = join(folder, STATE_FOLDER);
    await mkdir(state, { mode: 0o700 });
    await move(join(aside, IN_ARCHIVE.database), join(state, DATABASE_NAME));
    await move(join(aside, IN_ARCHIVE.config), join(folder, "troupe.yaml"));
    await move(join(aside, IN_ARCHIVE.key), join(state, "install.key"));
    if (besides !== null) await goAlong(besides, state);
    await rm(aside, { recursive: true, force: true });
    return { manifest, restored: await disarm(state, clock, signal) };
  } catch (error) {
    for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true });
    throw error;
  }
}

async function disarm(directory: string, clock: Clock, signal: AbortSignal): Promise<Restored> {
  const key = await keyOf(join(directory, "install.key"));
  await using store = await openStore(
    { directory, clock, log: silentLog, installation: { restored: true, ...(key === null ? {} : { key }) } },
    signal,
  );
  return store.restored ?? { approvals: 0, parts: 0, messages: 0, trusted: 0 };
}

async function keyOf(path: string): Promise<Uint8Array | null> {
  return (await exists(path)) ? readFile(path) : null;
}

async function goAlong(from: string, to: string): Promise<void> {
  for (const name of ["install.key", EPOCH_FILE])
    if ((await exists(join(from, name))) && !(await exists(join(to, name)))) await copyFile(join(from, name), join(to, name));
}

async function move(from: string, to: string): Promise<void> {
  if (await exists(from)) await rename(from, to);
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
