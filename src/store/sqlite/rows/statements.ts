import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { RuntimeError } from "../../../foundation/errors.ts";
import type { Row } from "./columns.ts";

/** Values of named parameters, without the colon. Each must occur in the statement, and no other may. */
export type Params = Readonly<Record<string, SQLInputValue>>;

/** What stands in quotes is text; what stands behind a colon outside of them is the name of a value. */
const NAMES = /'[^']*'|:([A-Za-z]+)/g;
const NO_PARAMS: Params = {};

interface Prepared {
  readonly statement: StatementSync;
  /** Which value stands at each place. */
  readonly places: readonly string[];
  /** How many different values that are. */
  readonly names: number;
}

/**
 * Prepared statements of one connection, each compiled once. The number kept is the number of statements in the source: texts
 * are constants, never built from data. Values are named where people read them, and bound by place: a name would be looked for
 * among all names of the statement at each run, which for a wide row takes longer than the rest of the insert.
 */
export class Statements {
  readonly #db: DatabaseSync;
  readonly #prepared = new Map<string, Prepared>();

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** Run a statement; gives how many rows it changed. */
  run(text: string, params: Params = NO_PARAMS): number {
    const prepared = this.#prepare(text);
    return Number(prepared.statement.run(...valuesOf(prepared, params)).changes);
  }

  /** Run a statement that inserts one row; gives the row's number. */
  insert(text: string, params: Params): number {
    const prepared = this.#prepare(text);
    return Number(prepared.statement.run(...valuesOf(prepared, params)).lastInsertRowid);
  }

  /** The first row, or null. */
  get(text: string, params: Params = NO_PARAMS): Row | null {
    const prepared = this.#prepare(text);
    return prepared.statement.get(...valuesOf(prepared, params)) ?? null;
  }

  /** All rows; statements bound their number themselves. */
  all(text: string, params: Params = NO_PARAMS): readonly Row[] {
    const prepared = this.#prepare(text);
    return prepared.statement.all(...valuesOf(prepared, params));
  }

  /** One row after another, for a statement that gives more than should be held at once. */
  each(text: string, params: Params = NO_PARAMS): Iterable<Row> {
    const prepared = this.#prepare(text);
    return prepared.statement.iterate(...valuesOf(prepared, params));
  }

  /** Run several statements that are not kept. */
  script(text: string): void {
    this.#db.exec(text);
  }

  #prepare(text: string): Prepared {
    const known = this.#prepared.get(text);
    if (known !== undefined) return known;
    const places: string[] = [];
    const bare = text.replaceAll(NAMES, (found: string, name: string | undefined) => {
      if (name === undefined) return found;
      places.push(name);
      return "?";
    });
    const prepared = { statement: this.#db.prepare(bare), places, names: new Set(places).size };
    this.#prepared.set(text, prepared);
    return prepared;
  }
}

function valuesOf({ places, names }: Prepared, params: Params): SQLInputValue[] {
  const values = places.map((name) => {
    const value = params[name];
    if (value === undefined) throw new RuntimeError("internal", "Cannot run a statement: one of its values is missing");
    return value;
  });
  if (Object.keys(params).length !== names)
    throw new RuntimeError("internal", "Cannot run a statement: it was given a value that it does not name");
  return values;
}
