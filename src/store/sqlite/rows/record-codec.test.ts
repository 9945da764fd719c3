import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { VoiceRecord } from "../../../vocabulary/reply.ts";
import { readGate, readRecord, toRecordColumn } from "./record-codec.ts";

/** Objects as JSON gives them. */
const plain = <T>(model: { [Key in keyof T]: fc.Arbitrary<T[Key]> }): fc.Arbitrary<T> => fc.record(model, { noNullPrototype: true });
const count = fc.nat();
const word = fc.string();
const skipped = fc.option(fc.array(plain({ by: word, reason: word }), { minLength: 1 }));
const record: fc.Arbitrary<VoiceRecord> = plain({
  voice: fc.constantFrom("responder", "operation", "agent"),
  by: word,
  packet: fc.option(
    plain({
      id: word,
      bytes: count,
      segments: fc.array(plain({ kind: word, count, bytes: count })),
      withheld: fc.array(plain({ class: word, count })),
    }),
  ),
  usage: plain({ promptTokens: count, completionTokens: count, costMicros: fc.option(count) }),
  firstTokenMs: fc.option(count),
  candidates: count,
  skipped,
}).map(({ skipped: passed, ...rest }) => (passed === null ? rest : { ...rest, skipped: passed }));

test("TR-003 a record comes back as it was stored", () => {
  assert.equal(toRecordColumn(null), null);
  fc.assert(fc.property(record, (value) => assert.deepEqual(readRecord(toRecordColumn(value)), value)));
});

test("TR-085 a record that is damaged is missing, and never throws", () => {
  assert.equal(readRecord(null), null);
  for (const text of ["", "{", "[]", "7", "null", '["king","",null,[1,2,null],null,0]', '["agent"]', '{"voice":"agent"}'])
    assert.equal(readRecord(text), null, text);
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value);
      const read = readRecord(text);
      assert.ok(read === null || ["responder", "operation", "agent"].includes(read.voice));
      assert.ok(readGate(text).every((entry) => typeof entry.code === "string" && typeof entry.count === "number"));
    }),
  );
  assert.deepEqual(readGate('[{"code":"a","count":2},7,null,{"code":3}]'), [
    { code: "a", count: 2 },
    { code: "", count: 0 },
  ]);
});
