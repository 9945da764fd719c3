import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "../../testing/manual-clock.ts";
import { openDirectStore } from "../../testing/store-writer.ts";
import { parseSurfaceName } from "../../vocabulary/ids.ts";
import { LOCAL_OWNER } from "../../vocabulary/principal.ts";
import { STANDARD_POLICY, UNREADABLE_POLICY } from "../../vocabulary/response-policy.ts";
import { ResponsePolicies } from "./response-policies.ts";

const TOWN = parseSurfaceName("town");

test("VS-041 VS-043 each bot's policy is kept in the database, in one commit with whose act it was; one that cannot be read sends everything in private and says so once", async () => {
  using store = openDirectStore();
  const told: string[] = [];
  const policies = new ResponsePolicies({
    clock: new ManualClock(),
    setting: (key) => store.read.setting(key),
    setSetting: (key, value, act) => Promise.resolve(void store.run({ verb: "setSetting", row: { key, value, act } })),
    unreadable: (surface) => told.push(surface),
  });
  assert.deepEqual(policies.of(TOWN), { policy: STANDARD_POLICY, readable: true });
  const changed = { defaultMode: "dm", sensitiveCommands: ["about"], overrides: new Map([["help", "channel"] as const]) } as const;
  await policies.set(TOWN, changed, LOCAL_OWNER);
  store.restart();
  assert.deepEqual(policies.of(TOWN), { policy: changed, readable: true });
  assert.deepEqual(policies.of(parseSurfaceName("village")), { policy: STANDARD_POLICY, readable: true }, "another bot's is its own");
  assert.deepEqual(
    store.read.audits(5).map(({ by, act, about }) => [by, act, about]),
    [[LOCAL_OWNER, "policy", "town"]],
  );
  assert.deepEqual(told, []);
  store.run({ verb: "setSetting", row: { key: "policy:town", value: '{"defaultMode":"chan', act: null } });
  for (let at = 0; at < 3; at += 1) assert.deepEqual(policies.of(TOWN), { policy: UNREADABLE_POLICY, readable: false });
  assert.deepEqual(told, [TOWN]);
  await policies.set(TOWN, STANDARD_POLICY, LOCAL_OWNER);
  assert.deepEqual(policies.of(TOWN), { policy: STANDARD_POLICY, readable: true });
});
