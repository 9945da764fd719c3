import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Clock } from "../foundation/clock.ts";
import { protectionOf } from "../config/files/protected-state.ts";
import type { Archives, BackupAnswer } from "../operations/backup.ts";
import type { StartRequest } from "../operations/runtime-face.ts";

const DATABASE = "troupe.db";

/** What archives need of the command's own process; the heavy parts are loaded when they are used. */
export interface ArchivesNeeds {
  readonly version: string;
  readonly clock: Clock;
  readonly request: StartRequest;
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  stateDirectory(request: StartRequest): string;
}

/** Make, look through and restore backups of this installation (TR-095). */
export function createArchives(needs: ArchivesNeeds): Archives {
  const { version, clock, request } = needs;
  return {
    async pack({ file, copy, withSecrets }, signal) {
      const { packBackup } = await import("../store/backup/backup.ts");
      const { path, ...made } = copy;
      const state = needs.stateDirectory(request);
      const config = configFileOf(needs);
      const installKey = withSecrets && existsSync(join(state, "install.key")) ? join(state, "install.key") : null;
      const how = { version, madeAtMs: clock.nowMs() };
      return answerOf(file, await packBackup(file, { databaseCopy: path, copy: made, config, installKey }, how, signal));
    },
    async check(file, signal) {
      const { checkBackup } = await import("../store/backup/backup.ts");
      return answerOf(file, await checkBackup(file, signal));
    },
    async restore(file, folder, signal) {
      const { restoreBackup } = await import("../store/backup/backup.ts");
      const state = needs.stateDirectory(request);
      const besides = existsSync(join(state, DATABASE)) || existsSync(join(state, "epoch.json")) ? state : null;
      const { manifest, restored } = await restoreBackup(file, { folder, besides, clock }, signal);
      return { backup: answerOf(file, manifest), folder, restored };
    },
    exists: (path) => existsSync(path),
    isProtected: (path) => protectionOf(path, { stateDirectory: needs.stateDirectory(request), sealed: [], guarded: [] }) === "deny",
  };
}

/** The configuration's file by the rules of its loader; null when the built-in example is used. */
function configFileOf({ request, cwd, environment }: ArchivesNeeds): string | null {
  const named = request.config ?? (environment["TROUPE_CONFIG"] || "troupe.yaml");
  const path = resolve(cwd, named);
  return existsSync(path) ? path : null;
}

function answerOf(file: string, manifest: Omit<BackupAnswer, "file">): BackupAnswer {
  const { version, madeAtMs, withSecrets, files } = manifest;
  return { file, version, madeAtMs, withSecrets, files };
}
