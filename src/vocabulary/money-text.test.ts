import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { moneyText } from "./money-text.ts";

test("TR-092 money is shown with two places, with four where two would hide something, and never as nothing when it is something", () => {
  for (const [micros, shown] of [
    [0, "0.00"],
    [1_000_000, "1.00"],
    [410_000, "0.41"],
    [412_345, "0.4123"],
    [412_350, "0.4124"],
    [49, "<0.0001"],
    [50, "0.0001"],
    [999_999_950, "1000.0000"],
    [12_345_678_900_000, "12345678.90"],
    [-412_345, "-0.4123"],
  ] as const)
    assert.equal(moneyText(micros), shown);
});

test("TR-092 property: what is shown is never a ten-thousandth away from the amount", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 50 }), (micros) => {
      const shown = moneyText(micros);
      if (shown.startsWith("<")) assert.ok(micros < 50);
      else
        assert.ok(Math.abs(Number(shown.replace(".", "").padEnd(shown.indexOf(".") + 4, "0")) * 100 - micros) <= 50, `${micros}: ${shown}`);
    }),
    { numRuns: 1_000 },
  );
});
