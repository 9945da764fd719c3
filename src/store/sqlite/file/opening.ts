import type { DatabaseSync } from "node:sqlite";
import { dirname } from "node:path";
import { isRuntimeError } from "../../../foundation/errors.ts";
import type { PrincipalId } from "../../../vocabulary/principal.ts";
import { parsePrincipalId } from "../../../vocabulary/principal.ts";
import type { Restored } from "../../store.ts";
import { numberIn } from "../rows/columns.ts";
import { copyBeforeMigration } from "./earlier-copies.ts";
import type { EpochFile } from "./epoch-file.ts";
import { epochOf, isScrubDue, raiseEpoch } from "./epoch.ts";
import { storeFailure } from "./failure.ts";
import type { ForgetSlice, ForgetSubject } from "../verbs/forget-verbs.ts";
import { FORGET_TABLES, forgetEnd, forgetSlice } from "../verbs/forget-verbs.ts";
import { takeLease } from "./lease.ts";
import { currentProcess } from "./process-identity.ts";
import type { WriterOptions } from "../protocol.ts";
import type { PseudonymOf } from "../rows/pseudonym.ts";
import { isPseudonym, pseudonymsOf } from "../rows/pseudonym.ts";
import { isMarkedCopy, joinForgotten, peopleIn, voidAuthority } from "./restored.ts";
import { MIGRATIONS, SCHEMA_VERSION, migrate, schemaVersion } from "./schema.ts";
import { scrub } from "./scrub.ts";
import type { Statements } from "../rows/statements.ts";
import type { VerbContext } from "../verbs/verbs.ts";

/** Free pages are used again; only when they are more than this, and more than what is used, is the file made smaller, at a start. */
const MAX_FREE_BYTES = 16 * 1024 * 1024;

/** What opening a database gives. */
export interface Opening {
  readonly generation: number;
  readonly tookOver: boolean;
  /** What was taken from a restored copy; null for a database that simply goes on. */
  readonly restored: Restored | null;
  /** The forget list as it now stands in the database. */
  readonly forgotten: ReadonlyMap<string, number>;
}

/** What an opening works with. */
export interface OpeningNeeds {
  readonly db: DatabaseSync;
  readonly context: Pick<VerbContext, "sql" | "due" | "numbers" | "charges">;
  readonly options: WriterOptions;
  /** What the second file knows. */
  readonly file: EpochFile;
  transaction<T>(action: () => T): T;
}

/**
 * Bring a database to the current version, take the lease, let the epoch rise, and take the authority from a copy (SE-099). The
 * second file is written only afterwards: a crash in between leaves it behind the database, never before it.
 * @throws RuntimeError `state_busy`, `state_older`, `state_corrupt`: nothing was changed.
 */
export function openDatabase(needs: OpeningNeeds): Opening {
  const { context, options, file } = needs;
  const { sql } = context;
  const directory = dirname(options.path);
  const version = schemaVersion(sql);
  if (version > 0 && version < SCHEMA_VERSION) {
    refuseOlder(sql, file, options);
    copyBeforeMigration(options.path, directory, { to: SCHEMA_VERSION, nowMs: options.nowMs });
  }
  const begun = needs.transaction(() => begin(context, file, { options, isNew: version === 0 }));
  const generation = begun.lease.generation;
  finishForgetting(needs, generation, begun.forgotten.due);
  // The steps that made a new one have left more room in it than it takes.
  if (version === 0 || isScrubDue(sql) || isMostlyFree(sql)) scrub(needs.db, sql);
  return { generation, tookOver: begun.lease.tookOver, restored: begun.restored, forgotten: begun.forgotten.all };
}

function begin(
  context: Pick<VerbContext, "sql" | "due" | "numbers" | "charges">,
  file: EpochFile,
  how: { options: WriterOptions; isNew: boolean },
) {
  const { sql } = context;
  const { options, isNew } = how;
  migrate(sql, MIGRATIONS);
  const lease = takeLease(sql, { owner: options.owner, self: currentProcess(), nowMs: options.nowMs });
  if (lease.kind === "busy")
    throw storeFailure("state_busy", options.path, {
      why: `process ${lease.pid} on ${lease.host} is using it; stop that process, or name another folder with TROUPE_STATE`,
    });
  // A database that was made just now holds no authority that could come back.
  if (!isNew) refuseOlder(sql, file, options);
  const restored = options.restored === true && !isNew ? voidAuthority(sql, options.nowMs) : null;
  raiseEpoch(context, file.epoch);
  return { lease, restored, forgotten: joinForgotten(sql, file.forgotten) };
}

function refuseOlder(sql: Statements, file: EpochFile, options: WriterOptions): void {
  if (options.restored !== true && (isMarkedCopy(sql) || epochOf(sql) < file.epoch)) throw storeFailure("state_older", options.path);
}

/** Erase people whom this database does not know as forgotten: an older copy was put here, or a forgetting was cut short. */
function finishForgetting(needs: OpeningNeeds, generation: number, due: ReadonlyMap<string, number>): void {
  const { context, options } = needs;
  const key = options.key ?? null;
  if (due.size === 0 || key === null) return;
  const verbs: VerbContext = { ...context, generation, owner: options.owner };
  for (const subject of subjectsOf(peopleIn(context.sql), due, pseudonymsOf(key))) eraseAtOnce(needs, verbs, subject);
  needs.transaction(() => context.sql.run("update forgotten set done = 1 where done = 0"));
}

/** Those of the people in a database who are on the list. */
function subjectsOf(people: readonly string[], due: ReadonlyMap<string, number>, pseudonymOf: PseudonymOf): readonly ForgetSubject[] {
  return people.flatMap((text) => {
    const person = personOf(text);
    if (person === null || isPseudonym(person)) return [];
    const pseudonym = pseudonymOf(person);
    const atMs = due.get(pseudonym);
    return atMs === undefined ? [] : [{ person, pseudonym, atMs }];
  });
}

function eraseAtOnce(needs: OpeningNeeds, verbs: VerbContext, subject: ForgetSubject): void {
  for (const table of FORGET_TABLES)
    for (let after: number | null = 0; after !== null;) {
      const slice: ForgetSlice = { ...subject, table, after, keep: null, dryRun: false };
      after = needs.transaction(() => forgetSlice(verbs, slice)).next;
    }
  needs.transaction(() => forgetEnd(verbs, subject));
}

function personOf(text: string): PrincipalId | null {
  try {
    return parsePrincipalId(text);
  } catch (error) {
    // A character's or an import's word among the labels.
    if (isRuntimeError(error, "invalid_argument")) return null;
    throw error;
  }
}

function isMostlyFree(sql: Statements): boolean {
  const number = (name: string): number => numberIn(sql.get(`pragma ${name}`) ?? {}, name);
  const free = number("freelist_count");
  return free * number("page_size") > MAX_FREE_BYTES && free * 2 > number("page_count");
}
