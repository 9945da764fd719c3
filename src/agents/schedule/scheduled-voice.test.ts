import assert from "node:assert/strict";
import { test } from "node:test";
import { BENCH_LINE } from "../../testing/agent-bench.ts";
import { answerText } from "../../vocabulary/calls/approval-answer.ts";
import { parseApprovalId, parseMessageId, parseTurnId } from "../../vocabulary/ids.ts";
import { mintOrigin } from "../../vocabulary/origin.ts";
import { LOCAL_OWNER } from "../../vocabulary/principal.ts";
import type { VoiceOutcome } from "../../vocabulary/reply.ts";
import type { Turn } from "../../vocabulary/turn.ts";
import { createScheduledVoice, scheduleStateOf } from "./scheduled-voice.ts";

const stateOf = (more: object): string => JSON.stringify({ schedule: "c-one001", does: "say", grant: null, late: false, ...more });
const turn = (kind: Turn["kind"], state: string, answer: string = ""): Turn => ({
  id: parseTurnId("t-000001"),
  kind,
  class: "talk",
  character: BENCH_LINE.character,
  place: BENCH_LINE,
  person: LOCAL_OWNER,
  origin: mintOrigin({ principal: LOCAL_OWNER, role: "operator", assurance: "local", channel: "direct" }),
  trigger: { id: parseMessageId("m-000001"), deliveryId: null, text: "Good morning.", displayName: "", atMs: 1_800_000_000_000 },
  attempt: 1,
  resumed: { state, answer },
});

test("a schedule says its words or hands them to the agent; a missed time that is to be asked about happens only when its person says so", async () => {
  const given: Turn[] = [];
  const silent: VoiceOutcome = {
    kind: "silence",
    record: {
      voice: "agent",
      by: "x",
      packet: null,
      usage: { promptTokens: 0, completionTokens: 0, costMicros: 0 },
      firstTokenMs: null,
      candidates: 0,
    },
  };
  const voice = createScheduledVoice({
    clock: { nowMs: () => 1_800_000_000_000 },
    agent: { run: (one) => Promise.resolve(given.push(one) > 0 ? silent : silent) },
  });
  const run = (one: Turn): Promise<VoiceOutcome> => voice.run(one, new AbortController().signal);
  const said = await run(turn("schedule", stateOf({})));
  assert.equal(said.kind === "reply" && said.reply.speech, "Good morning.");
  await run(turn("schedule", stateOf({ does: "session", grant: "g-one001" })));
  assert.deepEqual(
    given.map((one) => [one.kind, scheduleStateOf(one)?.grant]),
    [["schedule", "g-one001"]],
  );
  const asked = await run(turn("schedule", stateOf({ late: true, does: "session" })));
  assert.ok(asked.kind === "suspended" && asked.question.text?.includes("2027-01-15T08:00Z") === true);
  assert.equal(given.length, 1);
  const approval = parseApprovalId("a-one001");
  const answer = (word: "allow" | "deny"): Turn =>
    turn("resume", asked.question.state, answerText({ approval, answer: word, scope: "once" }));
  for (const no of [answer("deny"), turn("resume", asked.question.state, "stop"), turn("resume", asked.question.state, "garbled")])
    assert.equal((await run(no)).kind, "silence");
  assert.equal(given.length, 1);
  await run(answer("allow"));
  assert.equal(given.length, 2);
  for (const damaged of ["", "{}", '{"schedule":1}']) {
    assert.equal(scheduleStateOf(turn("schedule", damaged)), null);
    assert.equal((await run(turn("schedule", damaged))).kind, "refused");
  }
});
