import assert from "node:assert/strict";
import { test } from "node:test";
import { RuntimeError } from "../../foundation/errors.ts";
import { mintAction } from "../../vocabulary/calls/authorized-action.ts";
import { definitionDigest } from "../../vocabulary/calls/definition-digest.ts";
import { parseSessionId, parseTurnId } from "../../vocabulary/ids.ts";
import { LOCAL_OWNER } from "../../vocabulary/principal.ts";
import type { OwnSchedule, OwnSchedules } from "./schedules.ts";
import { scheduleTools } from "./schedules.ts";
import { createToolbox } from "./toolbox.ts";

const SESSION = parseSessionId("s-000001");
const NOW_MS = Date.parse("2026-12-01T12:00:00Z");
const WISH = { rule: "weekdays 8:00", zone: "Europe/Zurich", does: "say", words: "Good morning." };

function bench(refuses: "others" | "full" | "gone" | null = null) {
  const kept: OwnSchedule[] = [];
  const schedules: OwnSchedules = {
    list: (session) => (session === SESSION ? kept : []),
    add(_session, { rule, zone, does, words }) {
      if (refuses !== null) return Promise.resolve(refuses);
      const made = { id: `c-00000${kept.length + 1}`, rule, zone, does, words, next: ["Wed 2026-12-02 08:00"] };
      kept.push(made);
      return Promise.resolve(made);
    },
    remove(_session, id, by) {
      const at = kept.findIndex((one) => one.id === id && by === LOCAL_OWNER);
      return Promise.resolve(at >= 0 && kept.splice(at, 1).length === 1);
    },
  };
  const tools = scheduleTools(schedules);
  const toolbox = createToolbox(tools);
  const named = (name: string) => toolbox.definitions.find((one) => one.name === name) ?? assert.fail(name);
  const run = async (name: string, args: object): Promise<string> => {
    const action = mintAction({
      turn: parseTurnId("t-0001"),
      session: SESSION,
      person: LOCAL_OWNER,
      call: "c1",
      tool: name,
      definition: definitionDigest(named(name)),
      argumentsText: JSON.stringify(args),
      digest: "d",
    });
    const { text, failed } = await toolbox.run(action, new AbortController().signal);
    assert.equal(failed, text.startsWith("Error: "));
    return text;
  };
  return { kept, named, run };
}

test("TR-015 an agent's schedule is asked about each time, at the own machine alone, and its card tells the next three times", () => {
  const { named } = bench();
  const add = named("schedule_add");
  assert.deepEqual([add.verdict, add.scopes, add.capability, add.classes.changes], ["ask", [], "schedule", "state"]);
  assert.deepEqual(add.foretell?.(WISH, NOW_MS), [
    "It happens at Wed 2026-12-02 08:00 Europe/Zurich.",
    "It happens at Thu 2026-12-03 08:00 Europe/Zurich.",
    "It happens at Fri 2026-12-04 08:00 Europe/Zurich.",
  ]);
  assert.deepEqual(add.foretell?.({ ...WISH, rule: "2026-11-30 8:00" }, NOW_MS), ["It never happens: no such time comes any more."]);
  assert.deepEqual(add.foretell?.({ ...WISH, rule: "every 6 hours", quiet: "0:00-9:00" }, NOW_MS), [
    "It happens at Tue 2026-12-01 19:00 Europe/Zurich.",
    "It happens at Wed 2026-12-02 09:00 Europe/Zurich.",
    "It happens at Wed 2026-12-02 13:00 Europe/Zurich.",
  ]);
  assert.deepEqual(add.foretell?.({ rule: 7 }, NOW_MS), [], "what breaks the schema foretells nothing");
});

test("MC-038 what is no rule, zone or quiet hours is refused before anybody is asked", () => {
  const { check } = bench().named("schedule_add");
  assert.notEqual(check(WISH), null);
  assert.notEqual(check({ ...WISH, quiet: "22:00-7:00", missed: "ask", does: "work" }), null);
  for (const broken of [
    { rule: "sometimes" },
    { rule: "daily 8:00; rm" },
    { zone: "Mars/Base" },
    { zone: undefined },
    { does: "session" },
    { words: "" },
    { words: "ä".repeat(2_049) },
    { quiet: "night" },
    { missed: "never" },
    { may: "note_write" },
    { grant: "g-0001" },
  ])
    assert.equal(check({ ...WISH, ...broken }), null, JSON.stringify(broken));
});

test("schedules are added, listed and ended by their id and rule; what cannot be is told", async () => {
  const { run, kept } = bench();
  assert.equal(await run("schedule_list", {}), "Nothing happens by the clock.");
  assert.equal(await run("schedule_add", WISH), "Added c-000001. Next: Wed 2026-12-02 08:00.");
  await run("schedule_add", { ...WISH, does: "work", words: "look at the tide" });
  assert.deepEqual(
    kept.map(({ does }) => does),
    ["say", "session"],
  );
  assert.match(await run("schedule_list", {}), /^c-000001 weekdays 8:00 Europe\/Zurich, say: Good morning\.\n {2}Next: Wed/);
  for (const wrong of [
    { id: "c-000001", rule: "daily 8:00" },
    { id: "c-000009", rule: WISH.rule },
  ])
    assert.match(await run("schedule_cancel", wrong), /no schedule of that id and rule/);
  assert.equal(await run("schedule_cancel", { id: "c-000001", rule: WISH.rule }), "Ended.");
  assert.equal(kept.length, 1);
  assert.match(await bench("others").run("schedule_add", WISH), /only the person can make a schedule that works/);
  assert.match(await bench("full").run("schedule_add", WISH), /at most 32/);
  assert.match(await bench("gone").run("schedule_add", WISH), /no such time comes any more/);
  await assert.rejects(bench().run("schedule_add", { rule: "daily 8:00" }), (error) => error instanceof RuntimeError);
});
