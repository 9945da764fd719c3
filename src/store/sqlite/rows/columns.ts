import type { SQLOutputValue } from "node:sqlite";
import { RuntimeError } from "../../../foundation/errors.ts";

/** A row as the database gives it. */
export type Row = Readonly<Record<string, SQLOutputValue>>;

function damaged(name: string): never {
  throw new RuntimeError("state_corrupt", `Cannot read column ${name}: its value is not of the kind it must be`);
}

/** The text of a column. @throws RuntimeError `state_corrupt` unless it holds text. */
export function textIn(row: Row, name: string): string {
  const value = row[name];
  return typeof value === "string" ? value : damaged(name);
}

/** The text of a column, or null. @throws RuntimeError `state_corrupt` unless it holds text or nothing. */
export function optionalTextIn(row: Row, name: string): string | null {
  return row[name] === null ? null : textIn(row, name);
}

/** The number of a column. @throws RuntimeError `state_corrupt` unless it holds one. */
export function numberIn(row: Row, name: string): number {
  const value = row[name];
  return typeof value === "number" ? value : damaged(name);
}

/** The number of a column, or null. @throws RuntimeError `state_corrupt` unless it holds one or nothing. */
export function optionalNumberIn(row: Row, name: string): number | null {
  return row[name] === null ? null : numberIn(row, name);
}

/** One of a closed list. @throws RuntimeError `state_corrupt` */
export function wordIn<Word extends string>(row: Row, name: string, words: readonly Word[]): Word {
  const text = textIn(row, name);
  return words.find((word) => word === text) ?? damaged(name);
}
