import assert from "node:assert/strict";
import { test } from "node:test";
import { simulateRoom } from "../../src/testing/index.ts";
import type { PeopleGroup, PersonReport, RoomReport } from "../../src/testing/index.ts";

const NAMED = { group: "named", count: 5, standing: "named", messages: 10, everyMs: 20_000 } as const;
const GUESTS: PeopleGroup = { group: "guest", count: 1_000, standing: "guest", messages: 20, everyMs: 10_000, directShare: 0.3 };
/** Calls a day of the space; half of them are the guests' to share. */
const CALLS_PER_DAY = 300;
const CONFIGURATION = `
budgets: { replies_per_minute_per_room: 60, replies_per_minute_per_person: 6, calls_per_day_per_space: ${CALLS_PER_DAY} }
`;
const MODEL = { latencyMs: [400, 1_500] } as const;
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

async function playCrowd(directShare: number, slackMs: number, signal: AbortSignal): Promise<void> {
  const calm = await play(directShare, [], signal);
  const crowd = await play(directShare, [GUESTS], signal);
  assert.equal(crowd.messages.length, 20_050);
  assert.ok(named(calm).length === 5 && named(calm).every(({ said, answered }) => said === 10 && answered === said));
  for (const { person, answered, p95Ms } of named(crowd)) {
    const alone = named(calm).find((one) => one.person === person);
    assert.equal(answered, alone?.answered, `${person} is answered as often`);
    assert.ok((p95Ms ?? Infinity) <= (alone?.p95Ms ?? 0) + slackMs, `${person} waits ${p95Ms} ms, alone ${alone?.p95Ms} ms`);
  }
  assert.ok(crowd.modelCalls <= CALLS_PER_DAY, `${crowd.modelCalls} calls`);
  const guests = crowd.messages.filter(({ group, fate }) => group === GUESTS.group && fate === "answered").length;
  assert.ok(guests > 0 && guests <= CALLS_PER_DAY / 2, `${guests} answers to guests`);
  assert.ok(crowd.fixedTexts <= 30, `${crowd.fixedTexts} fixed texts`);
  assert.deepEqual([crowd.partsTwice, crowd.orderViolations], [[], []]);
}

test("SE-090 1,000 guests with 20 messages each cost five named people nothing in their direct lines: p95 as without them, spend under its ceiling", async (context) =>
  playCrowd(1, STEP_MS, context.signal));

test("SE-090 1,000 guests with 20 messages each cost five named people in the same public room no answer, and one turn's wait at most", async (context) =>
  playCrowd(0.5, ONE_TURN_MS, context.signal));

test("SE-090 the install's daily ceiling stops the calls, and operators are told once", async (context) => {
  const ceiling = 40;
  const report = await simulateRoom(
    {
      seed: 2,
      people: [
        { ...NAMED, directShare: 1, messages: 20, everyMs: 15_000 },
        { ...GUESTS, count: 50 },
      ],
      model: MODEL,
      stepMs: STEP_MS,
      configuration: `budgets: { calls_per_day_in_all: ${ceiling} }\n`,
    },
    context.signal,
  );
  assert.equal(report.modelCalls, ceiling);
  assert.equal(report.notices.filter((kind) => kind === "budget").length, 1, JSON.stringify(report.notices));
});
