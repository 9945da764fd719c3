import assert from "node:assert/strict";
import { test } from "node:test";
import { TaskGroup } from "../../foundation/task-group.ts";
import { createLog } from "../../foundation/log.ts";
import { createRedactor } from "../../foundation/redact.ts";
import { ManualClock } from "../../testing/manual-clock.ts";
import type { CardOutcome, Surface } from "../../surfaces/surface.ts";
import { parseApprovalId, parseCharacterId, parseMessageId, parseSurfaceName, parseTurnId, partIdOf } from "../../vocabulary/ids.ts";
import type { Part } from "../../vocabulary/part.ts";
import { directPlace, publicPlace } from "../../vocabulary/place.ts";
import { parsePrincipalId } from "../../vocabulary/principal.ts";
import type { SettledCard } from "../../vocabulary/calls/settled-card.ts";
import { createQuestionSweep } from "../3-turns/question-sweep.ts";
import { Cards } from "./cards.ts";

const TOWN = parseSurfaceName("town");
const PLACE = directPlace(TOWN, parseCharacterId("mirelle"), parsePrincipalId("discord:1001"));
const TURN = parseTurnId("t-0001");
const card = (index: number): SettledCard => ({
  approval: parseApprovalId(`a-000${index}`),
  part: partIdOf(TURN, index),
  place: PLACE,
  platformId: String(index),
  state: "expired",
  answer: null,
  answeredBy: null,
  settledAtMs: 1,
});
const part = (more: Partial<Part> = {}): Part => ({
  id: partIdOf(TURN, 1),
  turn: TURN,
  character: PLACE.kind === "direct" ? PLACE.character : assert.fail(),
  place: PLACE,
  answers: { message: parseMessageId("m-0001"), deliveryId: null },
  generation: 1,
  index: 1,
  count: 2,
  body: "words",
  action: "",
  createdAtMs: 1,
  ...more,
});

/** Cards over one surface that says what is given, in turn. */
function bench(settled: SettledCard[], outcomes: CardOutcome[], surface: Partial<Pick<Surface, "closeCard">> | null = null) {
  const clock = new ManualClock();
  const asked: string[] = [];
  const tasks = new TaskGroup({ clock, joinMs: 1_000, onFailure: (error) => assert.fail(String(error)) });
  const closeCard: NonNullable<Surface["closeCard"]> = ({ platformId }) => {
    asked.push(platformId);
    return Promise.resolve(outcomes.shift() ?? { kind: "closed" });
  };
  const own = { name: TOWN, ...(surface ?? { closeCard }) } as unknown as Surface;
  const cards = new Cards({
    clock,
    log: createLog({ clock, level: "error", redactor: createRedactor([]), sink: () => {} }),
    tasks,
    surfaces: () => [own],
    ledger: {
      settledCards: (names) => (assert.deepEqual(names, [TOWN]), [...settled]),
      closedCard({ part: closed, closed: did }) {
        asked.push(`${closed} ${did}`);
        settled.splice(
          settled.findIndex(({ part: one }) => one === closed),
          1,
        );
        return Promise.resolve();
      },
    },
    policy: { buttons: () => [{ label: "Deny", id: "x", tone: "bad" }], settled: () => "over" },
  });
  return { clock, tasks, cards, asked };
}

test("SE-084 buttons stand under the last part of a private message alone, where a surface can take them away again", () => {
  const { cards } = bench([], []);
  assert.deepEqual(
    cards.drawn(part()).buttons?.map(({ label }) => label),
    ["Deny"],
  );
  assert.equal(cards.drawn(part({ index: 0 })).buttons, undefined);
  assert.equal(cards.drawn(part({ place: publicPlace(TOWN) })).buttons, undefined);
  assert.equal(bench([], [], {}).cards.drawn(part()).buttons, undefined);
});

test("SE-084 TR-042 a settled question's message is changed until it is known what came of it; what never is stays for the next look", async () => {
  const settled = [card(1), card(2)];
  const { clock, tasks, cards, asked } = bench(settled, [
    { kind: "later", afterMs: 5_000 },
    { kind: "closed" },
    { kind: "refused", reason: "gone" },
  ]);
  cards.look();
  cards.look();
  await clock.advance(5_000);
  await tasks.idle();
  assert.deepEqual(asked, ["1", "1", `${partIdOf(TURN, 1)} true`, "2", `${partIdOf(TURN, 2)} false`]);
  const never = Array.from({ length: 5 }, (): CardOutcome => ({ kind: "later", afterMs: 0 }));
  const lost = bench([card(1)], never);
  lost.cards.look();
  for (let minute = 0; minute < 3; minute += 1) await lost.clock.advance(60_000);
  await lost.tasks.idle();
  assert.deepEqual(lost.asked, ["1", "1", "1", "1", "1"]);
  lost.cards.look();
  await lost.tasks.idle();
  assert.deepEqual(lost.asked.slice(5), ["1", `${partIdOf(TURN, 1)} true`]);
});

test("SE-084 questions that ran out are looked for each minute, and their messages behind them", async () => {
  const { clock, tasks, cards, asked } = bench([card(1)], []);
  const sweep = createQuestionSweep(
    {
      environment: { clock },
      ledger: { lapse: () => Promise.resolve({ lapsed: [] }), asked: () => [], void: () => Promise.resolve({ ended: [] }) },
      authority: { roleOf: () => "operator" },
      observer: { ended: () => {} },
    },
    { tasks, swept: () => cards.look() },
  );
  using _sweep = sweep;
  sweep.begin();
  await clock.advance(60_000);
  await tasks.idle();
  assert.deepEqual(asked, ["1", `${partIdOf(TURN, 1)} true`]);
});
