import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { ResponseMode } from "./response-policy.ts";
import { STANDARD_POLICY, UNREADABLE_POLICY, responseMode } from "./response-policy.ts";

test("VS-017 VS-018 VS-019 replies go to the channel unless the owner says otherwise, those to whitelist and config to the person", () => {
  assert.deepEqual(STANDARD_POLICY, { defaultMode: "channel", sensitiveCommands: ["whitelist", "config"], overrides: new Map() });
  assert.equal(responseMode(STANDARD_POLICY, null), "channel");
  assert.equal(responseMode(STANDARD_POLICY, "about"), "channel");
  assert.equal(responseMode(STANDARD_POLICY, "whitelist"), "dm");
  assert.equal(responseMode(STANDARD_POLICY, "config"), "dm");
});

test("VS-020 an override goes before the sensitive list, that before the default; talk has the default alone", () => {
  const name = fc.constantFrom("whitelist", "config", "about", "help");
  const mode = fc.constantFrom<ResponseMode>("channel", "dm");
  fc.assert(
    fc.property(mode, fc.uniqueArray(name), fc.array(fc.tuple(name, mode)), name, (defaultMode, sensitiveCommands, entries, command) => {
      const overrides = new Map(entries);
      const policy = { defaultMode, sensitiveCommands, overrides };
      assert.equal(responseMode(policy, null), defaultMode);
      const expected = overrides.get(command) ?? (sensitiveCommands.includes(command) ? "dm" : defaultMode);
      assert.equal(responseMode(policy, command), expected);
    }),
  );
});

test("VS-043 where the policy cannot be read nothing goes where others read it", () => {
  for (const command of [null, "whitelist", "about"]) assert.equal(responseMode(UNREADABLE_POLICY, command), "dm");
});
