import assert from "node:assert/strict";
import { test } from "node:test";
import { createRedactor } from "../../foundation/redact.ts";
import { createGate } from "./gate.ts";
import { partsOf } from "./parts.ts";
import { parseTurnId } from "../../vocabulary/ids.ts";
import { publicPlace } from "../../vocabulary/place.ts";
import { ANSWERS, MIRELLE, PARLOUR } from "../../testing/road-fixtures.ts";
// The pattern of a grid viewer in reading-clients.test.ts.
const VIEWER = /(?<![\w@])[\w-]+(?:\.[\w-]+)*\.(?:com|net|edu|org)(?=[\s:/,.!?)]|$)/gi;
test("SE-095 a sign in front of a bare domain hides it from no reader, so not from the gate either", () => {
  const place = publicPlace(PARLOUR);
  const gate = createGate({
    redactor: createRedactor([]),
    rules: () => ({ links: [], neverSay: [], commandPrefixes: "/!.?$%&#;:=@~-\\" }),
    tools: () => [],
  });
  for (const order of ["-evil.com", "/evil.com", ".evil.com", "...evil.com", "see:/evil.com/x", "go -evil.com", ".10.0.0.1"]) {
    const passed = gate.pass(
      { label: "speak", action: "", speech: order, influence: [], scaffold: [], canaries: [], visibleText: "" },
      { place, maxBytes: 2_000 },
    );
    assert.equal(passed.kind, "passed");
    if (passed.kind !== "passed") continue;
    const [part] = partsOf(
      passed.reply,
      { turn: parseTurnId("t-0001"), character: MIRELLE, place, answers: ANSWERS, generation: 1, createdAtMs: 0 },
      { maxBytes: 1_000 },
    ).parts;
    assert.deepEqual((part?.body ?? "").match(VIEWER), null, `${order} => ${part?.body}`);
    assert.doesNotMatch(part?.body ?? "", /evil\.com|10\.0\.0\.1/, `${order} => ${part?.body}`);
  }
});
