import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createRedactor } from "../../foundation/redact.ts";
import { ANSWERS, MIRELLE, PARLOUR } from "../../testing/road-fixtures.ts";
import { parseTurnId } from "../../vocabulary/ids.ts";
import { directPlace } from "../../vocabulary/place.ts";
import { parsePrincipalId } from "../../vocabulary/principal.ts";
import type { PartLimits } from "../../surfaces/surface.ts";
import type { SafeReply } from "./gate.ts";
import { createGate } from "./gate.ts";
import { partsOf } from "./parts.ts";

/** What a grid takes of one line (TR-056). */
const GRID: PartLimits = { maxBytes: 1_023, maxUtf16: 1_000 };
const place = directPlace(PARLOUR, MIRELLE, parsePrincipalId("room:ann"));
const rules = { links: [], neverSay: [], commandPrefixes: "/!" };
const gate = createGate({ redactor: createRedactor([]), rules: () => rules, tools: () => [] });
const frame = { turn: parseTurnId("t-0001"), character: MIRELLE, place, answers: ANSWERS, generation: 1, createdAtMs: 0 };

function safe(speech: string): SafeReply {
  const reply = { label: "speak", action: "", speech, influence: [], scaffold: [], canaries: [], visibleText: "" } as const;
  const passed = gate.pass(reply, { place, maxBytes: 1_000_000 });
  assert.equal(passed.kind, "passed");
  return passed.kind === "passed" ? passed.reply : gate.notice("", place);
}

function fits(body: string, { maxBytes = Infinity, maxCodePoints = Infinity, maxUtf16 = Infinity }: PartLimits): boolean {
  return Buffer.byteLength(body) <= maxBytes && Array.from(body).length <= maxCodePoints && body.length <= maxUtf16;
}

test("MC-058 TR-056 cases A79 three thousand emoji go out whole on a grid: no part over 1,023 bytes, none broken, none lost, with and without the disclosure", () => {
  for (const emoji of ["🦊", "👩‍👩‍👧‍👦", "漢", "é"]) {
    const text = emoji.repeat(3_000);
    for (const line of [null, gate.notice("AI character · run by the harbour office", place)]) {
      const { parts, text: whole } = partsOf(safe(text), frame, GRID, line);
      assert.equal(whole, text);
      for (const { body } of parts) assert.ok(fits(body, GRID) && body.isWellFormed());
      const said = parts.map(({ body }) => body.replace("\nAI character · run by the harbour office", "")).join("");
      assert.equal(said, text);
      assert.deepEqual(
        parts.map(({ index, count }) => [index, count]),
        parts.map((_, at) => [at, parts.length]),
        "numbered, so that their order survives",
      );
    }
  }
});

test("TR-056 SE-095 whatever is said under whatever limits: every part fits, none begins an order, and no letter is lost", () => {
  const limitsOf = fc.record(
    { maxBytes: fc.integer({ min: 4, max: 60 }), maxUtf16: fc.integer({ min: 2, max: 60 }) },
    { requiredKeys: ["maxBytes"] },
  );
  const said = fc
    .string({ unit: fc.constantFrom("a", "/", "!", " ", "\n", "🦊", "漢", "`", "b"), maxLength: 80 })
    .filter((text) => text.trim() !== "");
  const lettersOf = (text: string): string => text.replace(/[\s`]/g, "");
  fc.assert(
    fc.property(said, limitsOf, fc.boolean(), (text, limits, told) => {
      const line = told ? gate.notice("told", place) : null;
      const { parts, text: whole } = partsOf(safe(text), frame, limits, line);
      for (const { body } of parts) {
        assert.ok(fits(body, limits), JSON.stringify([body, limits]));
        assert.doesNotMatch(body, /^\s*[/!]+[\p{L}\p{N}_]/mu);
      }
      if (!told) assert.equal(lettersOf(parts.map(({ body }) => body).join("")), lettersOf(whole));
    }),
    { numRuns: 1_000 },
  );
});
