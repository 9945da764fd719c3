import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "../../../testing/manual-clock.ts";
import { parsePrincipalId } from "../../../vocabulary/principal.ts";
import { ChannelMemory } from "./channel-memory.ts";
import type { KeptMessage } from "./channel-memory.ts";

const [ANN, BEN] = [parsePrincipalId("discord:1"), parsePrincipalId("discord:2")];

function said(id: string, text = `words ${id}`, author = ANN): KeptMessage {
  return { id, author, name: "Ann", text, atMs: 0 };
}

const ids = (messages: readonly KeptMessage[]): string => messages.map(({ id }) => id).join(" ");

test("VS-036 VS-038 the newest 200 messages of a channel are kept, by moment, ids of any length, each once", () => {
  const memory = new ChannelMemory(new ManualClock());
  memory.merge("c", [said("1000"), said("999")], true);
  memory.merge("c", [said("1001"), said("1000", "again")], false);
  assert.equal(ids(memory.before("c", "1001")), "1000 999");
  assert.equal(memory.before("c", "1001")[0]?.text, "again");
  assert.equal(memory.newest("c"), "1001");
  memory.merge(
    "c",
    Array.from({ length: 250 }, (_, at) => said(String(2_000 + at))),
    false,
  );
  assert.equal(memory.before("c", "9999").length, 200);
  memory.merge("c", [said("3000")], true);
  assert.equal(ids(memory.before("c", "9999")), "3000", "anew leaves nothing older");
});

test("VS-032 what is changed, taken away or forgotten is not told any more", () => {
  const memory = new ChannelMemory(new ManualClock());
  memory.merge("c", [said("10"), said("11", "x", BEN), said("12")], true);
  memory.edit("c", { id: "10", text: "better" });
  memory.edit("c", { id: "77", text: "nobody's" });
  memory.edit("d", { id: "10", text: "nowhere" });
  memory.remove("c", ["12"]);
  memory.forget(BEN);
  assert.deepEqual(
    memory.before("c", "99").map(({ text }) => text),
    ["better"],
  );
  assert.equal(memory.newest("d"), null);
});

test("VS-035 VS-037 beyond the bound whole channels go, those written longest ago first, however lately they were read; a day later everything is gone", async () => {
  const clock = new ManualClock();
  const memory = new ChannelMemory(clock, 1_000);
  for (const channel of ["a", "b"]) memory.merge(channel, [said("1", "x".repeat(300))], true);
  assert.equal(memory.before("a", "2").length, 1, "read last, and written first");
  memory.merge("c", [said("1", "x".repeat(300))], true);
  assert.equal(memory.newest("a"), null);
  assert.equal(memory.newest("b"), "1");
  assert.ok(memory.characters <= 1_000);
  await clock.advance(25 * 60 * 60_000);
  assert.equal(memory.newest("c"), null);
  assert.equal(memory.characters, 0);
});

test("TR-082 who began anew in a channel is out of its mind there until then, and so are the answers, also when told again", () => {
  const clock = new ManualClock();
  const memory = new ChannelMemory(clock);
  const [own, answer, other] = [
    { id: "10", author: ANN, name: "Ann", text: "old", atMs: clock.nowMs() },
    { id: "11", author: null, name: "Mirelle", text: "an answer", atMs: clock.nowMs() },
    { id: "12", author: BEN, name: "Ben", text: "hi", atMs: clock.nowMs() },
  ];
  for (const channel of ["1", "2"]) memory.merge(channel, [own, answer, other], true);
  memory.reset("1", ANN, ["11"]);
  const texts = (channel: string): readonly string[] => memory.before(channel, "99").map(({ text }) => text);
  assert.deepEqual(texts("1"), ["hi"]);
  memory.merge("1", [own, answer, other, { ...own, id: "13", text: "new", atMs: clock.nowMs() + 1 }], true);
  assert.deepEqual(texts("1"), ["new", "hi"]);
  assert.ok(texts("2").includes("old"), "elsewhere nothing began anew");
});
