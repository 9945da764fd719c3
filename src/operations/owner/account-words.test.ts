import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { accountsIn } from "./account-words.ts";

const id = fc.bigInt({ min: 10n ** 16n, max: 2n ** 64n - 1n }).map(String);
const written = id.chain((one) => fc.constantFrom(`<@${one}>`, `<@!${one}>`, one, `${one},`).map((word) => ({ one, word })));

test("VS-014 mentions and ids come mixed, each account counts once and in its order", () => {
  fc.assert(
    fc.property(fc.array(written), (entries) => {
      const { people, invalid } = accountsIn(entries.map(({ word }) => word));
      assert.deepEqual(people, [...new Set(entries.map(({ one }) => `discord:${one}`))]);
      assert.deepEqual(invalid, []);
    }),
  );
});

test("VS-014 whatever is no account is given back as it was written, and keeps no other out", () => {
  const good = "177117296140091393";
  const bad = [
    "Ann",
    "@Ann",
    "123",
    "<@&177117296140091393>",
    "<#177117296140091393>",
    "0177117296140091393",
    "99999999999999999999",
    "<@12>",
    `${good}x`,
    `discord:${good}`,
  ];
  assert.deepEqual(accountsIn([...bad, good]), { people: [`discord:${good}`], invalid: bad });
  fc.assert(
    fc.property(fc.array(fc.string()), (words) => {
      const { people, invalid } = accountsIn(words);
      for (const person of people) assert.match(person, /^discord:[1-9]\d{16,19}$/);
      assert.ok(invalid.length + people.length <= words.length);
    }),
  );
});
