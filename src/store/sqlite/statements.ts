import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import type { Row } from "./columns.ts";

/** Values of named parameters, without the colon. Each must occur in the statement. */
export type Params = Readonly<Record<string, SQLInputValue>>;

/**
 * Prepared statements of one connection, each compiled once. The number kept is the number of statements in the source: texts
 * are constants, never built from data.
 */
export class Statements {
  readonly #db: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** Run a statement; gives how many rows it changed. */
  run(text: string, params: Params = {}): number {
    return Number(this.#prepare(text).run(params).changes);
  }

  /** The first row, or null. */
  get(text: string, params: Params = {}): Row | null {
    return this.#prepare(text).get(params) ?? null;
  }

  /** All rows; statements bound their number themselves. */
  all(text: string, params: Params = {}): readonly Row[] {
    return this.#prepare(text).all(params);
  }

  /** Run several statements that are not kept. */
  script(text: string): void {
    this.#db.exec(text);
  }

  #prepare(text: string): StatementSync {
    const known = this.#prepared.get(text);
    if (known !== undefined) return known;
    const statement = this.#db.prepare(text);
    this.#prepared.set(text, statement);
    return statement;
  }
}
