import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import fc from "fast-check";
import { ManualClock } from "../testing/manual-clock.ts";
import { RuntimeError, isRuntimeError } from "./errors.ts";
import { createLog } from "./log.ts";
import { printable, printableBy } from "./printable.ts";
import { createRedactor } from "./redact.ts";
import { Secret } from "./secret.ts";

const VALUE = "k3y-abcdefghij-0123456789/+Zz";

test("MC-105 a secret prints, serialises, inspects and concatenates as nothing", () => {
  const secret = Secret.parse(`${VALUE}\n`, "MODEL_KEY");
  for (const shown of [
    String(secret),
    "".concat(String(secret)),
    JSON.stringify({ secret }),
    inspect(secret),
    inspect({ deep: [secret] }, { depth: 9, showHidden: true }),
    Object.values(secret).join(),
  ]) {
    assert.ok(!shown.includes(VALUE.slice(0, 8)), shown);
  }
  assert.equal(secret.reveal(), VALUE);
});

test("MC-104 SE-093 a secret of several lines, too short or too long is refused, naming only where it came from", () => {
  for (const bad of ["qqq", "x".repeat(19), `${"x".repeat(30)}\nsecond`, `${"x".repeat(30)}\0`, "x".repeat(16_385)]) {
    assert.throws(
      () => Secret.parse(bad, "key.txt"),
      (error) => isRuntimeError(error, "secret_invalid") && error.message.includes("key.txt") && !error.message.includes(bad.slice(0, 3)),
    );
  }
});

test("TR-072 a redactor finds a secret whole and as base64, base64url, hex, percent code and JSON, wherever it stands", () => {
  const redactor = createRedactor([Secret.parse(VALUE, "test")]);
  fc.assert(
    fc.property(fc.string({ maxLength: 12 }), fc.string({ maxLength: 12 }), (before, after) => {
      const whole = Buffer.from(`${before}${VALUE}${after}`);
      const percent = [...Buffer.from(VALUE)].map((byte) => `%${byte.toString(16)}`).join("");
      for (const form of [
        VALUE,
        whole.toString("base64"),
        whole.toString("base64url"),
        whole.toString("hex"),
        whole.toString("hex").toUpperCase(),
        percent,
        JSON.stringify(VALUE),
        encodeURIComponent(VALUE),
      ]) {
        assert.equal(redactor.finds(`${before} ${form} ${after}`), true, form);
        assert.equal(redactor.finds(redactor.clean(`x${form}x`)), false, form);
      }
    }),
    { numRuns: 200 },
  );
  assert.equal(redactor.clean("an ordinary line"), "an ordinary line");
});

test("SE-103 printable text is one bounded line without control, format, bidi or tag characters", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 600 }), (text) => {
      const shown = printable(text, 100);
      assert.doesNotMatch(shown, /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}]/u);
      assert.ok(Array.from(shown.replace(/⟨[0-9A-F]{4,6}⟩/g, "x")).length <= 100);
    }),
    { numRuns: 500 },
  );
  assert.equal(printable("a\u202Eb\n\u{E0041}"), "a⟨202E⟩b⟨000A⟩⟨E0041⟩");
  assert.equal(printableBy("Ann\n", "hi"), "Ann⟨000A⟩: hi");
});

test("TR-003 a log line is one JSON line of ids, codes and counts, redacted, and never an error's own words", () => {
  const lines: string[] = [];
  const redactor = createRedactor([Secret.parse(VALUE, "test")]);
  const log = createLog({ clock: new ManualClock(0), level: "info", redactor, sink: (line) => lines.push(line) });
  log.write("debug", "hidden");
  log.write("info", "seen", { id: printable(`x ${VALUE}`), count: 2 });
  log.failure("broke", new RuntimeError("model_status", "Cannot use it", { cause: new Error(`the prompt and ${VALUE}`) }));
  log.failure("odd", `text ${VALUE}`);
  assert.equal(lines.length, 3);
  assert.ok(
    lines.every((line) => line.endsWith("\n") && !line.slice(0, -1).includes("\n") && !line.includes(VALUE) && !line.includes("prompt")),
  );
  assert.deepEqual(JSON.parse(lines[0] ?? ""), {
    at: "1970-01-01T00:00:00.000Z",
    level: "info",
    event: "seen",
    id: "x [redacted]",
    count: 2,
  });
  assert.equal(lines[1]?.includes('"code":"model_status"'), true);
  assert.equal(lines[2]?.includes('"code":"internal"'), true);
});
