import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { isRuntimeError } from "../../../foundation/errors.ts";
import { Statements } from "./statements.ts";

const INTERNAL = (error: unknown): boolean => isRuntimeError(error, "internal");

test("a value that is named twice stands in both places, and a colon in quotes is no name", () => {
  using db = new DatabaseSync(":memory:");
  const sql = new Statements(db);
  const row = sql.get("select :person as one, ':person:' || :person as two, :other as three", { other: 3, person: "p" });
  assert.deepEqual({ ...row }, { one: "p", two: ":person:p", three: 3 });
});

test("a value that is missing, undefined or not named is refused, and nothing is written", () => {
  using db = new DatabaseSync(":memory:");
  const sql = new Statements(db);
  sql.script("create table one(a text, b text)");
  const insert = "insert into one(a, b) values (:a, :b)";
  assert.throws(() => sql.run(insert, { a: "a" }), INTERNAL);
  assert.throws(() => sql.run(insert, { a: "a", c: "c" }), INTERNAL);
  assert.throws(() => sql.run(insert, { a: "a", b: "b", c: "c" }), INTERNAL);
  assert.equal(sql.run(insert, { b: "b", a: null }), 1);
  assert.deepEqual(
    sql.all("select a, b from one").map((row) => ({ ...row })),
    [{ a: null, b: "b" }],
  );
});
