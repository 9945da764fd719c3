import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { decodeQR } from "qr/decode.js";
import type { Line } from "../../foundation/line.ts";
import { qrLines } from "./qr-lines.ts";
import { styled } from "./screen.ts";

/** The decoder's types name what only browsers have; none of it is used here. */
declare global {
  type DOMRectReadOnly = never;
  type ImageBitmapSource = never;
}

const SCALE = 3;

/** What a camera sees of these lines where what is drawn is white and the rest black. */
function photographOf(lines: readonly Line[]): { readonly width: number; readonly height: number; readonly data: Uint8Array } {
  const rows = lines
    .filter(({ tone }) => tone === "paper")
    .flatMap(({ text }) => {
      const cells = Array.from(text);
      return [cells.map((cell) => cell === "█" || cell === "▀"), cells.map((cell) => cell === "█" || cell === "▄")];
    });
  const width = (rows[0]?.length ?? 0) * SCALE;
  const data = Uint8Array.from(
    rows.flatMap((row) => {
      const line = row.flatMap((isLight) => Array.from({ length: SCALE }, () => (isLight ? [255, 255, 255] : [0, 0, 0])).flat());
      return Array.from({ length: SCALE }, () => line).flat();
    }),
  );
  return { width, height: rows.length * SCALE, data };
}

test("TR-094 what is drawn in the terminal is read back as the very link, whatever the host and the code", () => {
  const link = fc
    .tuple(fc.constantFrom("http", "https"), fc.domain(), fc.stringMatching(/^[A-Za-z0-9_-]{24}$/))
    .map(([scheme, host, code]) => `${scheme}://${host}/#invite=${code}`)
    .filter((text) => text.length <= 150);
  fc.assert(
    fc.property(link, (text) => {
      assert.equal(decodeQR(photographOf(qrLines(text, 200))), text);
    }),
    { numRuns: 12 },
  );
});

test("TR-094 the picture is light on dark by its own colours, every row as wide as the first, and has no escape of its own", () => {
  const lines = qrLines("https://inn.example.org/#invite=AAAAAAAAAAAAAAAAAAAAAAAA", 80).filter(({ tone }) => tone === "paper");
  assert.ok(lines.length > 15);
  assert.equal(new Set(lines.map(({ text }) => Array.from(text).length)).size, 1);
  for (const one of lines) assert.match(one.text, /^[█▀▄ ]+$/);
  assert.equal(styled({ tone: "paper", text: lines[0]?.text ?? assert.fail() }, true).slice(0, 8), "\u001b[97;40m");
});

test("a window too narrow for the picture gets one line that says so, and nothing that wraps", () => {
  for (const columns of [20, 40]) {
    const lines = qrLines("https://inn.example.org/#invite=AAAAAAAAAAAAAAAAAAAAAAAA", columns);
    assert.deepEqual(
      lines.map(({ tone }) => tone),
      ["faint"],
    );
  }
});
