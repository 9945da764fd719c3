import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { SplitLimits } from "./split.ts";
import { splitText } from "./split.ts";

const graphemes = new Intl.Segmenter("und", { granularity: "grapheme" });
const limitsOf = fc.oneof(
  fc.record({ maxBytes: fc.integer({ min: 4, max: 60 }) }),
  fc.record({ maxCodePoints: fc.integer({ min: 2, max: 60 }) }),
  fc.record({ maxUtf16: fc.integer({ min: 2, max: 60 }) }),
  fc.record({ maxBytes: fc.integer({ min: 4, max: 60 }), maxUtf16: fc.integer({ min: 2, max: 40 }) }),
);
const proseOf = fc.string({ unit: "grapheme", maxLength: 200 }).filter((text) => text.isWellFormed() && !/[`~]/.test(text));

function within(part: string, limits: SplitLimits): boolean {
  return (
    Buffer.byteLength(part) <= (limits.maxBytes ?? Infinity) &&
    Array.from(part).length <= (limits.maxCodePoints ?? Infinity) &&
    part.length <= (limits.maxUtf16 ?? Infinity)
  );
}

/** Any text at all: prose, code in fences of every kind, broken fences, control characters, emoji and marks without a base. */
const anyText = fc
  .array(
    fc.oneof(
      fc.string({ unit: "binary", maxLength: 60 }),
      fc.string({ unit: "grapheme", maxLength: 40 }),
      fc.constantFrom("\n", "\n```ts\n", "\n```\n", "\n~~~\n", "\n`````x\n", "\n``` a`b\n", "  ", "👩‍👩‍👧‍👦", "e\u0301\u0301\u0301", "/say "),
    ),
    { maxLength: 14 },
  )
  .map((pieces) => pieces.join("").toWellFormed());
const anyLimits = fc.record(
  {
    maxBytes: fc.integer({ min: 4, max: 90 }),
    maxCodePoints: fc.integer({ min: 2, max: 90 }),
    maxUtf16: fc.integer({ min: 2, max: 90 }),
  },
  { requiredKeys: [] },
);

/** Whether every character of `text` stands in `joined`, in order: what a fence adds may stand between them. */
function holdsAll(joined: string, text: string): boolean {
  let at = 0;
  for (const point of joined) if (text.startsWith(point, at)) at += point.length;
  return at === text.length;
}

test("MC-058 TR-056 any Unicode, with or without fences, under any limits: every part fits and is whole characters, and nothing is lost", () => {
  fc.assert(
    fc.property(anyText, anyLimits, anyLimits, (text, limits, first) => {
      const parts = splitText(text, limits, first);
      for (const [at, part] of parts.entries()) assert.ok(part !== "" && part.isWellFormed() && within(part, at === 0 ? first : limits));
      assert.ok(holdsAll(parts.join(""), text));
    }),
    { numRuns: 1_500 },
  );
});

/** Lines of code, also such that look like a fence of a lesser kind. */
const codeLine = fc.oneof(
  fc.string({ unit: "grapheme-ascii", maxLength: 30 }).map((line) => line.replace(/[`~]/g, "x")),
  fc.constantFrom("~~", "``", "a `b` c", ""),
);
const block = fc
  .record({
    mark: fc.constantFrom("```", "~~~", "````", "~~~~~", "``````````````````"),
    info: fc.constantFrom("", "ts", "python"),
    lines: fc.array(codeLine, { maxLength: 12 }),
    inner: fc.boolean(),
  })
  .map(({ mark, info, lines, inner }) => {
    const code = inner && mark.length > 3 ? [...lines, mark.slice(0, 3), ...lines] : lines;
    return [`${mark}${info}`, ...code, mark].join("\n");
  });

/** Whether a reader of this text is left inside a code block at its end. */
function leavesFenceOpen(text: string): boolean {
  let open = "";
  for (const line of text.split("\n")) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? "";
    const rest = line.trim().slice(mark.length);
    if (mark === "" || (mark.startsWith("`") && rest.includes("`"))) continue;
    if (open === "") open = mark;
    else if (mark.startsWith(open) && rest.trim() === "") open = "";
  }
  return open !== "";
}

test("TR-056 cases A77 fences of every kind and length are whole in every part, whatever stands in them", () => {
  const prose = fc.string({ unit: "grapheme", maxLength: 80 }).map((text) => text.replace(/[`~]/g, "."));
  const document = fc
    .array(fc.oneof(block, prose, fc.constant("``` no `fence`")), { minLength: 1, maxLength: 10 })
    .map((pieces) => pieces.join("\n"));
  fc.assert(
    fc.property(document, fc.integer({ min: 90, max: 300 }), (text, maxUtf16) => {
      const limits = { maxUtf16, maxBytes: maxUtf16 * 2 };
      const parts = splitText(text, limits);
      for (const part of parts) assert.ok(within(part, limits) && !leavesFenceOpen(part), JSON.stringify(part));
      assert.ok(holdsAll(parts.join(""), text));
    }),
    { numRuns: 500 },
  );
});

test("MC-058 TR-056 keeps every limit, loses no text and never breaks a character, for any Unicode and any limit", () => {
  fc.assert(
    fc.property(proseOf, limitsOf, (text, limits) => {
      const parts = splitText(text, limits);
      assert.equal(parts.join(""), text);
      for (const part of parts) assert.ok(within(part, limits) && part.isWellFormed() && part !== "");
    }),
    { numRuns: 1_000 },
  );
});

test("TR-056 cuts between graphemes wherever one fits", () => {
  const family = "👩‍👩‍👧‍👦";
  const parts = splitText(family.repeat(120), { maxBytes: 1_023, maxUtf16: 1_000 });
  for (const part of parts)
    assert.equal(
      [...graphemes.segment(part)].every(({ segment }) => segment === family),
      true,
    );
});

test("TR-056 splits a single grapheme over the limit between code points", () => {
  const parts = splitText("👩‍👩‍👧‍👦", { maxUtf16: 3 });
  assert.equal(parts.join(""), "👩‍👩‍👧‍👦");
  assert.ok(parts.every((part) => part.isWellFormed() && part.length <= 3));
});

test("MC-058 splits at 1,023 bytes, never inside a character", () => {
  const parts = splitText("漢".repeat(3_000), { maxBytes: 1_023, maxUtf16: 1_000 });
  assert.ok(parts.every((part) => Buffer.byteLength(part) <= 1_023 && /^漢+$/.test(part)));
  assert.equal(parts.join("").length, 3_000);
});

test("cases A78 refuses a limit that can hold no character, and never hangs", () => {
  for (const limits of [{ maxBytes: 3 }, { maxBytes: 0 }, { maxUtf16: 1 }, { maxCodePoints: 0 }, { maxBytes: 10.5 }, { maxBytes: -1 }]) {
    assert.throws(() => splitText("text", limits), RangeError);
  }
});

test("cases A77 closes a code fence at a cut and opens it again, inside the limit", () => {
  const code = Array.from({ length: 40 }, (_, line) => `const line${line} = ${line};`).join("\n");
  const text = `Look:\n\`\`\`ts\n${code}\n\`\`\`\nThat was it.`;
  const parts = splitText(text, { maxCodePoints: 200 });
  assert.ok(parts.length > 3);
  for (const part of parts) {
    assert.ok(Array.from(part).length <= 200);
    assert.equal((part.match(/^```/gm) ?? []).length % 2, 0, part);
  }
  for (let line = 0; line < 40; line += 1) assert.ok(parts.some((part) => part.includes(`const line${line} = ${line};`)));
});

test("cases A77 a fence's long info string still leaves room for text", () => {
  const text = `\`\`\`${"x".repeat(300)}\n${"y ".repeat(300)}\n\`\`\``;
  const parts = splitText(text, { maxCodePoints: 100 });
  assert.ok(parts.every((part) => Array.from(part).length <= 100));
  assert.equal(parts.join("").match(/y/g)?.length, 300);
});

test("TR-056 prefers the end of a line, then of a sentence, then of a word", () => {
  assert.deepEqual(splitText("first line here\nsecond one", { maxCodePoints: 20 }), ["first line here\n", "second one"]);
  assert.deepEqual(splitText("One is here. Two follows it", { maxCodePoints: 20 }), ["One is here. ", "Two follows it"]);
  assert.deepEqual(splitText("words without any stop", { maxCodePoints: 20 }), ["words without any ", "stop"]);
});
