import { dirname, join, resolve } from "node:path";
import { z } from "zod";
import { RuntimeError } from "../foundation/errors.ts";
import type { Line } from "../foundation/line.ts";
import { line, toned } from "../foundation/line.ts";
import { printable } from "../foundation/printable.ts";
import type { Declared, Operation } from "./operation.ts";
import { OWNER_ONLY, declare } from "./operation.ts";

/** Where the configuration stands in an archive that holds one. */
const CONFIG_IN_ARCHIVE = "config/troupe.yaml";
const MAX_PATH_CHARACTERS = 4_096;

/** Arguments of `backup`. */
export interface BackupArguments {
  readonly file: string;
  readonly with_secrets?: boolean | undefined;
}

/** What an archive holds. */
export interface BackupAnswer {
  readonly file: string;
  readonly version: string;
  readonly madeAtMs: number;
  readonly withSecrets: boolean;
  readonly files: readonly { readonly name: string; readonly bytes: number; readonly sha256: string }[];
}

/** Arguments of `restore`. */
export interface RestoreArguments {
  readonly file: string;
  readonly check?: boolean | undefined;
  readonly to?: string | undefined;
}

/** Result of `restore`: `restored` is null when it was only checked. */
export interface RestoreAnswer {
  readonly backup: BackupAnswer;
  readonly folder: string | null;
  readonly restored: { readonly approvals: number; readonly parts: number; readonly messages: number; readonly trusted: number } | null;
}

/** Where a copy of the database stands, and what it is of. */
export interface DatabaseCopied {
  readonly path: string;
  readonly epoch: number;
  readonly schema: number;
}

const contents: z.ZodType<BackupAnswer> = z.object({
  file: z.string(),
  version: z.string(),
  madeAtMs: z.number(),
  withSecrets: z.boolean(),
  files: z.array(z.object({ name: z.string(), bytes: z.int(), sha256: z.string() })),
});

/** `troupe backup`. */
export const backup: Declared<BackupArguments, BackupAnswer> = declare<BackupArguments, BackupAnswer>({
  name: "backup",
  summary: "copy everything that is kept into one file, while the characters go on",
  arguments: z.strictObject({
    file: z.string().min(1).max(4_096).describe("the file to make; it must not be there yet"),
    with_secrets: z.boolean().optional().describe("the install key too; keep such a file as you keep a password"),
  }),
  positional: ["file"],
  who: OWNER_ONLY,
  result: contents,
  render: (answer) => [toned("good", line`Made: ${printable(answer.file)}`), ...renderFiles(answer)],
});

/** `troupe restore`. */
export const restore: Declared<RestoreArguments, RestoreAnswer> = declare<RestoreArguments, RestoreAnswer>({
  name: "restore",
  summary: "look a backup through, or put it into an empty folder without its authority",
  arguments: z.strictObject({
    file: z.string().min(1).max(4_096).describe("a file that troupe backup made"),
    check: z.boolean().optional().describe("only compare it with its manifest"),
    to: z.string().min(1).max(4_096).optional().describe("a folder that is missing or empty"),
  }),
  positional: ["file"],
  who: OWNER_ONLY,
  result: z.object({
    backup: contents,
    folder: z.string().nullable(),
    restored: z.object({ approvals: z.int(), parts: z.int(), messages: z.int(), trusted: z.int() }).nullable(),
  }),
  render: renderRestore,
});

/** Asks whoever holds the store for a copy of the database; the command line alone shows it, as `troupe backup`. */
export const copyDatabase: Declared<Record<string, never>, DatabaseCopied> = declare<Record<string, never>, DatabaseCopied>({
  name: "copy-database",
  summary: "copy the database into a new file of the state folder",
  arguments: z.strictObject({}),
  positional: [],
  who: OWNER_ONLY,
  result: z.object({ path: z.string(), epoch: z.int(), schema: z.int() }),
  render: () => [line`The database was copied.`],
});

function renderFiles({ files, withSecrets }: BackupAnswer): readonly Line[] {
  const rows = files.map(
    ({ name, bytes, sha256 }) => line`  ${printable(name)}  ${printable(`${bytes} bytes, sha256 ${sha256.slice(0, 16)}…`)}`,
  );
  return withSecrets ? [...rows, toned("strong", line`  It holds the install key: keep it as you keep a password.`)] : rows;
}

function renderRestore({ backup: made, folder, restored }: RestoreAnswer): readonly Line[] {
  const whole = [
    toned("good", line`Whole: ${printable(made.file)} of ${printable(new Date(made.madeAtMs).toISOString())}`),
    ...renderFiles(made),
  ];
  if (folder === null || restored === null) return whole;
  const { approvals, parts, messages, trusted } = restored;
  const taken = `${parts} parts and ${messages} messages are never sent or answered again, ${approvals} questions are void, ${trusted} trusted people wait for troupe trust`;
  const start = made.files.some(({ name }) => name === CONFIG_IN_ARCHIVE)
    ? `--config ${join(folder, "troupe.yaml")}`
    : `--state ${join(folder, ".troupe")}`;
  return [
    ...whole,
    line`Restored into ${printable(folder)}: ${printable(taken)}; today's budgets count as spent.`,
    toned("strong", line`Start it: troupe run ${printable(start, MAX_PATH_CHARACTERS)}`),
  ];
}

/** What makes, looks through and restores archives. */
export interface Archives {
  /** Pack a copy of the database, which is removed then, with the configuration. */
  pack(
    request: { readonly file: string; readonly copy: DatabaseCopied; readonly withSecrets: boolean },
    signal: AbortSignal,
  ): Promise<BackupAnswer>;
  check(file: string, signal: AbortSignal): Promise<BackupAnswer>;
  restore(file: string, folder: string, signal: AbortSignal): Promise<RestoreAnswer>;
  /** Whether something stands at a path. */
  exists(path: string): boolean;
  /** Whether a path lies in the state folder, by where it really leads. */
  isProtected(path: string): boolean;
}

/** What both need of the command's own process. */
export interface BackupNeeds {
  readonly cwd: string;
  readonly archives: Archives;
  /** Run an operation of whoever holds the store. */
  remote(name: string, args: unknown, signal: AbortSignal): Promise<unknown>;
}

/** Bind `backup` and `restore`: whoever holds the store copies the database, this process does the rest. */
export function bindBackup(needs: BackupNeeds): readonly Operation[] {
  const { cwd, archives } = needs;
  return [
    backup.bind(async ({ file: written, with_secrets }, { signal }) => {
      const file = resolve(cwd, written);
      if (archives.exists(file)) throw new RuntimeError("usage", `Cannot make ${printable(file)}: it is there already; name a new file`);
      const folder = dirname(file);
      if (!archives.exists(folder))
        throw new RuntimeError("usage", `Cannot make ${printable(file)}: there is no folder ${printable(folder)}`);
      // Forgetting somebody empties the state folder of their words: no archive may stand in it.
      if (archives.isProtected(file))
        throw new RuntimeError("usage", `Cannot make ${printable(file)}: it lies in the state folder; name a file elsewhere`);
      const copy = copyDatabase.parse(await needs.remote(copyDatabase.name, {}, signal));
      return archives.pack({ file, copy, withSecrets: with_secrets === true }, signal);
    }),
    restore.bind(async ({ file: written, check, to }, { signal }) => {
      const file = resolve(cwd, written);
      if (check === true && to !== undefined)
        throw new RuntimeError("usage", "Cannot restore: --check only looks it through and --to restores it; give one of them");
      if (check === true) return { backup: await archives.check(file, signal), folder: null, restored: null };
      if (to === undefined)
        throw new RuntimeError("usage", "Cannot restore: name an empty folder with --to, or look it through with --check");
      return archives.restore(file, resolve(cwd, to), signal);
    }),
  ];
}

/** Bind the copying to the store. */
export function bindCopyDatabase(copyAside: (signal: AbortSignal) => Promise<DatabaseCopied>): Operation {
  return copyDatabase.bind((_, { signal }) => copyAside(signal));
}
