import assert from "node:assert/strict";
import { test } from "node:test";
import type { ScriptedRequest } from "../../src/testing/scripted-model.ts";
import { leanSpeech, startScriptedModel } from "../../src/testing/scripted-model.ts";
import { inboundLine } from "../../src/testing/road-fixtures.ts";
import { COMMANDS } from "../../src/wiring/commands/commands.ts";
import type { PrincipalId } from "../../src/vocabulary/principal.ts";
import { parsePrincipalId } from "../../src/vocabulary/principal.ts";
import { openComposed } from "./composed.ts";

const OPERATOR = parsePrincipalId("discord:12345678901234567");
const GUEST = parsePrincipalId("discord:666");
const DENIAL = "Orders are not taken in public.";

test("MC-028 an order that is addressed in public gets one fixed text, whoever says it and whichever it is: nothing is done, and no model is asked", async () => {
  await using model = await startScriptedModel({ script: () => leanSpeech("Good evening.") });
  await using one = await openComposed(`
characters:
  mirelle: { name: Mirelle, description: "Keeps the inn at the ferry." }
people: { operators: ["${OPERATOR}"] }
surfaces:
  parlour: { kind: room, port: 0, character: mirelle }
console: { port: 0 }
budgets: { replies_per_minute_per_room: 120, replies_per_minute_per_person: 60 }
models:
  hosts: { near: { api: openai, url: "${model.url}", models: [tiny] } }
`);
  const asked = (): readonly ScriptedRequest[] => model.requests.filter(({ path }) => path.includes("completions"));
  let said = 0;
  const say = async (
    text: string,
    person: PrincipalId = OPERATOR,
  ): Promise<{ readonly outcome: string; readonly answers: readonly string[] }> => {
    const before = one.surface.sent.length;
    said += 1;
    const line = inboundLine({ atMs: Date.now(), person, text, deliveryId: `line-${said}` });
    const platform = { ...line, sender: { ...line.sender, assurance: "platform" } } as const;
    const heard = await one.surface.inbox?.hear(platform, new AbortController().signal);
    await one.runtime.idle();
    const answers = one.surface.sent.slice(before).map(({ body }) => body.split("\n")[0] ?? "");
    return { outcome: heard?.kind === "suppressed" ? heard.reason : (heard?.kind ?? "none"), answers };
  };
  const own = new Set(["why", "forget"]);
  const orders = [...COMMANDS.map(({ name }) => name).filter((name) => !own.has(name)), "stop", "new", "clean", "steer left", "cut it"];
  for (const order of orders) assert.deepEqual(await say(`Mirelle, /${order}`), { outcome: "admitted", answers: [DENIAL] }, order);
  assert.deepEqual(await say("Mirelle, /halt", GUEST), { outcome: "admitted", answers: [DENIAL] });
  assert.deepEqual([one.runtime.store.read.halted(), one.runtime.store.read.pauses(), asked().length], [null, [], 0]);
  assert.deepEqual(
    await say("/halt now", parsePrincipalId("discord:667")),
    { outcome: "ambient", answers: [] },
    "said to nobody it gets nothing",
  );
  // The controls: anybody's own command is answered, and what is no command is talk.
  assert.match((await say("Mirelle, /help")).answers[0] ?? "", /\/about/);
  assert.deepEqual((await say("Mirelle, halt!")).answers, ["Good evening."]);
  assert.equal(asked().length, 1);
});
