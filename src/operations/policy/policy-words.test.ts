import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { ResponseMode } from "../../vocabulary/response-policy.ts";
import { MAX_POLICY_ENTRIES, STANDARD_POLICY } from "../../vocabulary/response-policy.ts";
import { readPolicy, toKept } from "./kept-policy.ts";
import { POLICY_KEYS, changedPolicy, policyKeyOf, policyWords } from "./policy-words.ts";

const command = fc.stringMatching(/^[a-z][a-z-]{0,30}$/).filter((name) => name !== "none");
const mode = fc.constantFrom<ResponseMode>("channel", "dm");
const policies = fc
  .tuple(
    mode,
    fc.uniqueArray(command, { maxLength: MAX_POLICY_ENTRIES }),
    fc.array(fc.tuple(command, mode), { maxLength: MAX_POLICY_ENTRIES }).map((entries) => new Map(entries)),
  )
  .map(([defaultMode, sensitiveCommands, overrides]) => ({ defaultMode, sensitiveCommands, overrides }));

test("VS-046 a key is known whatever its case, and with the marks of other spellings; another is none", () => {
  for (const word of ["defaultMode", "DEFAULTMODE", "default_mode", "default-mode"]) assert.equal(policyKeyOf(word), "defaultMode");
  for (const word of ["", "mode", "owner", "__proto__"]) assert.equal(policyKeyOf(word), null);
});

test("VS-046 whatever a policy is shown as sets the same policy again, and what is kept is read back as it was", () => {
  fc.assert(
    fc.property(policies, (policy) => {
      const words = policyWords(policy);
      const again = POLICY_KEYS.reduce((sofar, key) => {
        const changed = changedPolicy(sofar, key, words[key].split(" "));
        assert.equal(changed.kind, "policy");
        return changed.kind === "policy" ? changed.policy : sofar;
      }, STANDARD_POLICY);
      assert.deepEqual(again, policy);
      assert.deepEqual(readPolicy(JSON.stringify(toKept(policy))), policy);
    }),
  );
});

test("VS-043 VS-046 any other words change nothing, and any other text is no policy", () => {
  for (const [key, words] of [
    ["defaultMode", []],
    ["defaultMode", ["loud"]],
    ["defaultMode", ["dm", "channel"]],
    ["sensitiveCommands", ["White list!"]],
    ["sensitiveCommands", Array.from({ length: MAX_POLICY_ENTRIES + 1 }, (_, at) => `c${"x".repeat(at % 20)}`)],
    ["overrides", ["about"]],
    ["overrides", ["about=loud"]],
    ["overrides", ["about=dm=dm"]],
    ["overrides", ["=dm"]],
  ] as const)
    assert.equal(changedPolicy(STANDARD_POLICY, key, words).kind, "refused", `${key} ${words.join(" ")}`);
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      const read = readPolicy(text);
      if (read !== null) assert.deepEqual(readPolicy(JSON.stringify(toKept(read))), read);
    }),
  );
  for (const text of ["", "{}", "null", '{"defaultMode":"anyone","sensitiveCommands":[],"overrides":{}}'])
    assert.equal(readPolicy(text), null);
});
