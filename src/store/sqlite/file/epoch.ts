import { numberIn } from "../rows/columns.ts";
import type { Statements } from "../rows/statements.ts";
import type { VerbContext } from "../verbs/verbs.ts";

const META = "select cast(value as integer) as value from meta where key = :key";

/** Work that belongs outside a transaction and is done once the batch's commit stands. */
export interface Due {
  /** The second file must learn the new epoch before the batch is answered. */
  epoch: boolean;
  /** Somebody came onto the forget list, which stands in the second file too. */
  list: boolean;
  /** Erased bytes must be driven out of the files. */
  scrub: boolean;
  /** Something was committed since the epoch last rose. */
  worked: boolean;
}

/** Read the database's epoch; 0 before it ever rose. */
export function epochOf(sql: Statements): number {
  const row = sql.get(META, { key: "epoch" });
  return row === null ? 0 : numberIn(row, "value");
}

/** Let the epoch rise, at least above `floor`: from then on any older copy of the database is known for one (SE-099). */
export function raiseEpoch({ sql, due }: Pick<VerbContext, "sql" | "due">, floor: number = 0): void {
  sql.run(
    `insert into meta(key, value) values ('epoch', cast(:floor + 1 as text))
     on conflict(key) do update set value = cast(max(cast(value as integer), :floor) + 1 as text)`,
    { floor },
  );
  due.epoch = true;
  due.worked = false;
}

/** Note that erased bytes may still stand in the files; the note lasts until they do not, also across a crash. */
export function dueScrub({ sql, due }: Pick<VerbContext, "sql" | "due">): void {
  sql.run("insert into meta(key, value) values ('scrub_due', '1') on conflict(key) do nothing");
  due.scrub = true;
}

/** Whether an earlier process left erased bytes in the files. */
export function isScrubDue(sql: Statements): boolean {
  return sql.get(META, { key: "scrub_due" }) !== null;
}
