import { test } from "node:test";
import { CONFORMANCE_CASES, notApplicable, playCase } from "../../src/testing/conformance/run-conformance.ts";
import { troupeUnderTest } from "../../src/testing/conformance/troupe-under-test.ts";

/** Cases that fail today, with what is wrong. Nothing else may. */
const KNOWN: Readonly<Record<number, string>> = {
  71: "loop control takes quick lines after an answer to somebody else for a machine's, and silences a room's people with its flooder",
};

for (const one of CONFORMANCE_CASES) {
  const skip = notApplicable(troupeUnderTest, one) ?? KNOWN[one.number];
  test(`cases A${one.number} ${one.outcome}`, skip === undefined ? {} : { skip }, (context) =>
    playCase(troupeUnderTest, one, context.signal),
  );
}
