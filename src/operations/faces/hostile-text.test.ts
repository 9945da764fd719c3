import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import fc from "fast-check";
import type { Line } from "../../foundation/line.ts";
import { columns, line, text, toned } from "../../foundation/line.ts";
import { createLog } from "../../foundation/log.ts";
import { printable, printableBy } from "../../foundation/printable.ts";
import { createRedactor } from "../../foundation/redact.ts";
import { ManualClock } from "../../testing/manual-clock.ts";
import { check } from "../checking/check.ts";
import { init } from "../setup/init.ts";
import { pause } from "../pause.ts";
import { renderStart } from "../start-report.ts";
import { trust } from "../trust.ts";
import { renderOutput } from "./chat-lines.ts";
import { createScreen, safeJson, styled, wantsColor } from "./screen.ts";

/** Code points that act on terminals, reorder text, hide in it or break its line; each alone and inside a word. */
const ACTORS = [
  0x00, 0x07, 0x08, 0x09, 0x0a, 0x0c, 0x0d, 0x1b, 0x7f, 0x85, 0x90, 0x9b, 0x9d, 0xad, 0x61c, 0x180e, 0x200b, 0x200d, 0x200e, 0x200f, 0x2028,
  0x2029, 0x202a, 0x202e, 0x2066, 0x2069, 0xfeff, 0xfff9, 0xe0041, 0xe007f,
];
const HOSTILE: readonly string[] = ACTORS.flatMap((point) => [
  String.fromCodePoint(point),
  `say${String.fromCodePoint(point)}[2J\u001b]0;pwned\u0007 it`,
]);
const ACTING = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

function assertHarmless(shown: string, from: string): void {
  assert.doesNotMatch(shown, ACTING, JSON.stringify(from));
  assert.equal(shown.split(/[\r\n]/).length, 1);
}

test("SE-103 there are 60 hostile strings, and each would act if it were printed as it is", () => {
  assert.equal(HOSTILE.length, 60);
  for (const one of HOSTILE) assert.match(one, ACTING);
});

test("SE-103 nothing that acts gets through a terminal, a log line, a title or a file name, and the author's label stays", () => {
  for (const hostile of HOSTILE) {
    const said = renderOutput({
      kind: "said",
      name: printable(`Ann${hostile}`),
      badge: printable(hostile),
      action: printable(hostile),
      lines: [printable(hostile), printable("two")],
      last: true,
    });
    const shown: readonly Line[] = [
      ...said,
      ...renderOutput({ kind: "notice", text: printable(hostile) }),
      ...columns([[printable(hostile), printable("b")]]),
      line`a ${printable(hostile)} z`,
      ...trust.present({ person: hostile, name: hostile, from: "guest", to: "trusted", untilMs: null, span: hostile, done: false }).lines,
      ...pause.present({ paused: [{ character: hostile, place: hostile, by: hostile, atMs: 0, untilMs: null }], changed: 1 }).lines,
      ...(["exists", "added", "written", "rotated"] as const).flatMap(
        (kind) =>
          init.present({
            kind,
            path: `folder/${hostile}/troupe.yaml`,
            added: [hostile],
            model: hostile,
            findings: [{ level: "warn", message: hostile, cure: hostile }],
            invite: hostile,
          }).lines,
      ),
      ...check.present({
        findings: [{ level: "error", path: hostile, line: 1, message: hostile, cure: hostile }],
        triggers: [],
        trials: [],
      }).lines,
      ...startLines(hostile),
    ];
    for (const one of shown) assertHarmless(one.text, hostile);
    assert.equal(said.length, 3);
    for (const one of said) assert.ok(one.text.startsWith("Ann"), "each line of a part names who says it");
    const logged: string[] = [];
    createLog({ clock: new ManualClock(), level: "debug", redactor: createRedactor([]), sink: (row) => void logged.push(row) }).write(
      "warn",
      "seen",
      { title: printable(hostile) },
    );
    assert.equal(logged.length, 1);
    assertHarmless((logged[0] ?? "").replace(/\n$/, ""), hostile);
    const labelled = printableBy(`Ben${hostile}`, hostile);
    assertHarmless(labelled, hostile);
    assert.ok(labelled.startsWith("Ben") && labelled.includes(": "));
  }
});

function startLines(hostile: string): readonly Line[] {
  const startReport = {
    open: [{ surface: hostile, url: hostile, door: "open" as const }],
    model: hostile,
    triggers: [{ surface: hostile, who: hostile }],
    stateDirectory: hostile,
    config: hostile,
    trial: "barred" as const,
    traces: hostile,
    halted: false,
    recovered: { partsFound: 0, messagesAgain: 0, expired: 0, interrupted: 0 },
  };
  const addresses = { room: [{ name: hostile, url: hostile, port: 1 }], console: hostile };
  return renderStart({ version: hostile, runtime: { addresses, startReport }, console: printable(hostile), readyMs: 5 });
}

test("SE-103 JSON on a terminal is one harmless line and reads back as the same value", () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: "binary" }), fc.constantFrom(...HOSTILE), (value, hostile) => {
      const both = { value, [hostile]: hostile };
      const shown = safeJson(both);
      assertHarmless(shown, hostile);
      assert.deepEqual(JSON.parse(shown), JSON.parse(JSON.stringify(both)));
    }),
    { numRuns: 300 },
  );
});

test("SE-103 making printable twice changes nothing, so that lines can be put into lines", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 40 }), (raw) => {
      const once = printable(raw, 4_000);
      assert.equal(text`${once}`, once);
    }),
  );
});

test("TR-086 colour only on a terminal that wants it: NO_COLOR and dumb terminals get none", () => {
  assert.deepEqual(
    [
      wantsColor({ isTTY: true }, {}),
      wantsColor({ isTTY: true }, { NO_COLOR: "1" }),
      wantsColor({ isTTY: true }, { TERM: "dumb" }),
      wantsColor({}, {}),
    ],
    [true, false, false, false],
  );
  assert.equal(styled(toned("bad", line`no`), true), "\u001b[31mno\u001b[39m");
  assert.equal(styled(toned("bad", line`no`), false), "no");
});

test("TR-086 columns begin at the same place in every row", () => {
  const rows = columns([
    [printable("room"), printable("http://127.0.0.1:7777"), printable("parlour")],
    [printable("console"), printable("x"), printable("y")],
  ]);
  assert.deepEqual(
    rows.map((row) => row.text),
    ["  room     http://127.0.0.1:7777  parlour", "  console  x                      y"],
  );
});

test("TR-009 a screen writes lines to their own stream, and a broken stream is no failure", () => {
  const out = new PassThrough();
  const error = new PassThrough();
  const screen = createScreen({ out, error }, {});
  screen.print([line`one`, line`two`]);
  screen.printError([line`three`]);
  assert.equal(String(out.read()), "one\ntwo\n");
  assert.equal(String(error.read()), "three\n");
  out.destroy(new Error("EPIPE"));
  screen.print([line`four`]);
  screen.printJson({ five: 5 });
  assert.equal(out.destroyed, true);
  assert.equal(screen.interactive, false);
});
