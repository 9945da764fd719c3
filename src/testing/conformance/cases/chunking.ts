import assert from "node:assert/strict";
import { createRandom } from "../../room-simulator/random.ts";
import type { ConformanceCase } from "../case.ts";
import { conformanceCase, line } from "../case.ts";

const GRID_BYTES = 1_023;

function fencesWhole(part: string): boolean {
  return (part.match(/^```/gm) ?? []).length % 2 === 0;
}

/** How long texts are cut. */
export const CHUNKING_CASES: readonly ConformanceCase[] = [
  conformanceCase(
    77,
    "a cut keeps code fences whole, whatever stands around and in them",
    async ({ runtime }) => {
      const code = Array.from({ length: 60 }, (_, at) => `const line${at} = ${at};`).join("\n");
      const texts = [
        `Look:\n\`\`\`ts\n${code}\n\`\`\`\nThat was it.`,
        `\`\`\`${"x".repeat(300)}\n${code}\n\`\`\` and on`,
        `Use \`code\` here.\n\`\`\`\n${"y".repeat(900)}\n\`\`\`\nEnd.`,
      ];
      for (const text of texts) {
        const parts = runtime.split(text, 200);
        assert.ok(parts.length > 3);
        for (const part of parts) assert.ok(Buffer.byteLength(part) <= 200 && fencesWhole(part), part);
      }
      const lines = runtime.split(texts[0] ?? "", 200).join("\n");
      for (let at = 0; at < 60; at += 1) assert.ok(lines.includes(`const line${at} = ${at};`), `line ${at} is lost`);
      await Promise.resolve();
    },
    ["splitter"],
  ),
  conformanceCase(
    78,
    "a cut goes through no character, and a limit that can hold none is refused at once",
    async ({ runtime }) => {
      const random = createRandom(78);
      const alphabet = ["a", " ", "é", "漢", "🙂", "👩‍👩‍👧‍👦", "\n", ". "];
      for (let round = 0; round < 200; round += 1) {
        const text = Array.from({ length: 80 }, () => random.pick(alphabet)).join("");
        const maxBytes = 4 + random.below(60);
        const parts = runtime.split(text, maxBytes);
        assert.equal(parts.join(""), text);
        for (const part of parts) assert.ok(part.isWellFormed() && part !== "" && Buffer.byteLength(part) <= maxBytes);
      }
      for (const maxBytes of [0, 1, -1, 3, 2.5, Number.NaN]) assert.throws(() => runtime.split("🙂 text", maxBytes), RangeError);
      await Promise.resolve();
    },
    ["splitter"],
  ),
  conformanceCase(79, "a long answer of emoji or ideographs fits the grid's parts, in order", async ({ open }) => {
    for (const character of ["🙂", "漢"]) {
      const living = await open({
        platforms: [{ name: "harbour", maxBytes: GRID_BYTES, everyMs: 1_500 }],
        mind: () => ({ kind: "says", speech: character.repeat(3_000) }),
      });
      await living.deliver(line("ann", "Mirelle, say it", { direct: "mirelle" }));
      await living.pass(60_000);
      const parts = living.sent();
      assert.ok(parts.length > 1);
      assert.deepEqual(
        parts.map(({ index }) => index),
        Array.from({ length: parts[0]?.count ?? 0 }, (_, index) => index),
      );
      for (const { body } of parts) assert.ok(Buffer.byteLength(body) <= GRID_BYTES && body.isWellFormed());
    }
  }),
];
