import { lstat, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { RuntimeError } from "../../foundation/errors.ts";
import { sha256Hex } from "../../foundation/ids.ts";

/** Longest socket path used as it is; systems cut or refuse from 104 bytes on. */
const MAX_PATH_BYTES = 100;
const SOCKET_NAME = "troupe.sock";

/** Where the running process listens for the commands of its own user. */
export interface SocketPath {
  readonly path: string;
  /** The folder that keeps others out; null where the system has named pipes instead. */
  readonly folder: string | null;
  /** Whether the folder stands outside the state folder, made for the socket alone. */
  readonly elsewhere: boolean;
}

/** What decides the path, so that tests can set it. */
export interface SocketPathFacts {
  readonly stateDirectory: string;
  readonly temporaryDirectory: string;
  /** This machine's where it is absent. */
  readonly platform?: NodeJS.Platform;
}

/** The socket of a state folder: in it, or where that path is too long in a folder of its own named by its hash (TR-041). */
export function socketPathOf({ stateDirectory, temporaryDirectory, platform = process.platform }: SocketPathFacts): SocketPath {
  const hash = sha256Hex(stateDirectory).slice(0, 20);
  if (platform === "win32") return { path: `\\\\.\\pipe\\troupe-${hash}`, folder: null, elsewhere: false };
  const path = join(stateDirectory, SOCKET_NAME);
  if (Buffer.byteLength(path) <= MAX_PATH_BYTES) return { path, folder: stateDirectory, elsewhere: false };
  const folder = join(temporaryDirectory, `troupe-${hash}`);
  return { path: join(folder, SOCKET_NAME), folder, elsewhere: true };
}

/**
 * Make sure that only this user reaches the socket's folder, making the folder elsewhere if need be (0700).
 * @throws RuntimeError `state_unwritable` when it is a link, another user's, or open to others.
 */
export async function secureSocketFolder({ folder, elsewhere }: SocketPath): Promise<void> {
  if (folder === null) return;
  if (elsewhere) await mkdir(folder, { mode: 0o700 }).catch(ignoreExisting);
  const found = await lstat(folder).catch((cause: unknown) => refuse("it cannot be looked at", cause));
  if (elsewhere && !found.isDirectory()) refuse("it is no folder");
  if (elsewhere && found.uid !== process.getuid?.()) refuse("it is another user's");
  if (elsewhere && (found.mode & 0o077) !== 0) refuse("others may enter it");
}

function ignoreExisting(error: unknown): void {
  if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) refuse("it cannot be made", error);
}

function refuse(why: string, cause?: unknown): never {
  throw new RuntimeError("state_unwritable", `Cannot use the folder of the local socket: ${why}`, { cause });
}
