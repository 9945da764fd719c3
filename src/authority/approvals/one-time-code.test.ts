import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ANSWER_CODE, CODE_ALPHABET, codeIn, codeLine, withCode } from "../../vocabulary/calls/answer-code.ts";
import type { CodeBinding } from "./one-time-code.ts";
import { isCode, issueCode } from "./one-time-code.ts";

const BINDING: CodeBinding = {
  approval: "a-0001",
  digest: "d".repeat(64),
  person: "grid:osgrid:6f3c0000-0000-4000-8000-000000000001",
  generation: 3,
};

test("SE-081 a code is eight letters of which none looks like another, counts five minutes and three times, and only its hash is kept", () => {
  assert.doesNotMatch(CODE_ALPHABET, /[0O1ILU]/);
  assert.equal(new Set(CODE_ALPHABET).size, CODE_ALPHABET.length);
  const seen = new Set<string>();
  for (let at = 0; at < 200; at += 1) {
    const { code, kept } = issueCode(BINDING, 1_000);
    assert.equal(codeIn(code), code);
    assert.deepEqual([kept.expiresAtMs, kept.tries], [301_000, 3]);
    assert.ok(!JSON.stringify(kept).includes(code) && /^[0-9a-f]{64}$/.test(kept.hash));
    seen.add(code);
  }
  assert.equal(seen.size, 200);
  const uneven = issueCode(BINDING, 0, (count) => Uint8Array.from({ length: count }, (_, at) => (at % 2 === 0 ? 255 : 7)));
  assert.equal(uneven.code, CODE_ALPHABET.charAt(7).repeat(ANSWER_CODE.letters), "bytes that would favour a letter are thrown away");
});

test("SE-081 the code of one question opens nothing else: not another call, person or start, nor any other code", () => {
  const { code, kept } = issueCode(BINDING, 0);
  assert.ok(isCode(code, kept, BINDING));
  assert.ok(isCode(`${code.slice(0, 4).toLowerCase()}-${code.slice(4)}`, kept, BINDING), "as people type it");
  for (const other of [
    { approval: "a-0002" },
    { digest: "e".repeat(64) },
    { person: "grid:osgrid:6f3c0000-0000-4000-8000-000000000002" },
    { generation: 4 },
  ])
    assert.ok(!isCode(code, kept, { ...BINDING, ...other }), JSON.stringify(other));
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...CODE_ALPHABET), minLength: 8, maxLength: 8 })), (typed) => {
      assert.equal(isCode(typed, kept, BINDING), codeIn(typed) === code);
    }),
  );
  assert.ok(!isCode(code, { ...kept, hash: "" }, BINDING));
  assert.ok(!isCode("", { ...kept, hash: issueCode(BINDING, 0).kept.hash }, BINDING));
});

test("SE-081 the code stands in the first line of the message that leaves, and nowhere else in it", () => {
  const body = `${codeLine(7)}\nQuestion 7: ########\n${codeLine(7)}`;
  const said = withCode(body, 7, "K7QM2XHP");
  assert.equal(said.split("K7QM2XHP").length, 2);
  assert.match(said, /^Only with this code, which nobody else is shown: allow 7 K7QM2XHP \(/);
  assert.equal(withCode(`x${body}`, 7, "K7QM2XHP"), `x${body}`);
  assert.equal(withCode(body, 8, "K7QM2XHP"), body);
});
