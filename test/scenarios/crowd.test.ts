import assert from "node:assert/strict";
import { test } from "node:test";
import { simulateRoom } from "../../src/testing/index.ts";
import type { PeopleGroup, PersonReport, RoomReport } from "../../src/testing/index.ts";

const CROWD = 1_000;
/** The quick run has the whole crowd say a tenth. */
const SAYS = process.env["TROUPE_TEST_DEPTH"] === "all" ? 20 : 2;
const NAMED = { group: "named", count: 5, standing: "named", messages: 10, everyMs: 20_000 } as const;
const GUESTS: PeopleGroup = { group: "guest", count: CROWD, standing: "guest", messages: SAYS, everyMs: 10_000, directShare: 0.3 };
/** Calls a day of the space; half of them are the guests' to share. */
const CALLS_PER_DAY = 300;
const CONFIGURATION = `
budgets: { replies_per_minute_per_room: 60, replies_per_minute_per_person: 6, calls_per_day_per_space: ${CALLS_PER_DAY} }
`;
const MODEL = { latencyMs: [400, 1_500] } as const;
/** Millionths that a call of these people can cost at most: prompt and answer are bounded. */
const DEAREST_CALL_MICROS = 16_384 + 800;
/** Time moves in steps of this many milliseconds, so no wait is known better. */
const STEP_MS = 100;
/** In one place one turn runs at a time: a person may find a guest's there, and then the place's pace of parts. */
const ONE_TURN_MS = MODEL.latencyMs[1] + 1_500;

/** The same five people with the same words, beside these others. */
function play(directShare: number, others: readonly PeopleGroup[], signal: AbortSignal): Promise<RoomReport> {
  const people = [{ ...NAMED, directShare }, ...others];
  return simulateRoom({ seed: 1, people, model: MODEL, stepMs: STEP_MS, configuration: CONFIGURATION }, signal);
}

function named({ people }: RoomReport): readonly PersonReport[] {
  return people.filter(({ group }) => group === NAMED.group);
}

/** How many of their own lines the model had before it, for each direct line of the named people in order. */
function memories({ messages }: RoomReport): readonly (number | null)[] {
  return messages.filter(({ group, direct }) => group === NAMED.group && direct).map(({ remembered }) => remembered);
}

async function playCrowd(directShare: number, slackMs: number, signal: AbortSignal): Promise<void> {
  const calm = await play(directShare, [], signal);
  const crowd = await play(directShare, [GUESTS], signal);
  assert.equal(crowd.messages.length, CROWD * SAYS + 50);
  assert.ok(named(calm).length === 5 && named(calm).every(({ said, answered }) => said === 10 && answered === said));
  for (const { person, answered, p95Ms } of named(crowd)) {
    const alone = named(calm).find((one) => one.person === person);
    assert.equal(answered, alone?.answered, `${person} is answered as often`);
    assert.ok((p95Ms ?? Infinity) <= (alone?.p95Ms ?? 0) + slackMs, `${person} waits ${p95Ms} ms, alone ${alone?.p95Ms} ms`);
  }
  assert.deepEqual(memories(crowd), memories(calm), "what was said to each in their own line is remembered as without the others");
  assert.ok(memories(calm).some((lines) => (lines ?? 0) >= 3));
  assert.ok(crowd.modelCalls <= CALLS_PER_DAY, `${crowd.modelCalls} calls`);
  assert.ok(crowd.spendMicros > 0 && crowd.spendMicros <= CALLS_PER_DAY * DEAREST_CALL_MICROS, `${crowd.spendMicros} millionths`);
  const guests = crowd.messages.filter(({ group, fate }) => group === GUESTS.group && fate === "answered").length;
  assert.ok(guests > 0 && guests <= CALLS_PER_DAY / 2, `${guests} answers to guests`);
  assert.ok(crowd.fixedTexts <= 30, `${crowd.fixedTexts} fixed texts`);
  assert.deepEqual([crowd.partsTwice, crowd.orderViolations], [[], []]);
}

test(`SE-090 1,000 guests with ${SAYS} messages each cost five named people nothing in their direct lines: p95 as without them, memories whole, spend under its ceiling`, async (context) =>
  playCrowd(1, STEP_MS, context.signal));

test(`SE-090 1,000 guests with ${SAYS} messages each cost five named people in the same public room no answer, and one turn's wait at most`, async (context) =>
  playCrowd(0.5, ONE_TURN_MS, context.signal));

test("SE-090 the install's daily ceiling stops the calls, and operators are told once", async (context) => {
  const ceiling = 40;
  const report = await simulateRoom(
    {
      seed: 2,
      people: [
        { ...NAMED, directShare: 1, messages: 20, everyMs: 15_000 },
        { ...GUESTS, count: 50, messages: 10 },
      ],
      model: MODEL,
      stepMs: STEP_MS,
      configuration: `budgets: { calls_per_day_in_all: ${ceiling} }\n`,
    },
    context.signal,
  );
  assert.equal(report.modelCalls, ceiling);
  assert.equal(report.notices.filter((kind) => kind === "budget").length, 2, "at four fifths, and at the end");
});
