import assert from "node:assert/strict";
import { test } from "node:test";
import { KeptMoments } from "./kept-moments.ts";

test("TR-082 TR-085 moments are kept under digests alone, the newest of each name and the newest thousand of all; what cannot be read is none", async () => {
  const kept = new Map<string, string>();
  const shelf = {
    setting: (key: string): string | null => kept.get(key) ?? null,
    setSetting: (key: string, value: string): Promise<void> => Promise.resolve(void kept.set(key, value)),
  };
  const open = (): KeptMoments => new KeptMoments({ shelf, key: new Uint8Array(32), setting: "moments" });
  const first = open();
  assert.equal(first.isEmpty, true);
  await first.keep(1_800_000_000_000, "tavern", "ann");
  await first.keep(1_800_000_000_001, "tavern", "ann");
  await first.keep(5, "tavernann", "");
  assert.doesNotMatch(kept.get("moments") ?? "", /tavern|ann/);
  kept.set("moments", `${kept.get("moments")} broken 0123456789abcdef:UPPER :5`);
  const second = open();
  assert.deepEqual([second.of("tavern", "ann"), second.of("tavernann", ""), second.of("ann", "tavern")], [1_800_000_000_001, 5, null]);
  for (let at = 0; at < 1_024; at += 1) await second.keep(at, "crowd", String(at));
  const third = open();
  assert.deepEqual([third.of("tavern", "ann"), third.of("crowd", "0"), third.of("crowd", "1023")], [null, 0, 1_023]);
});
