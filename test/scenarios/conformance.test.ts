import { test } from "node:test";
import { CONFORMANCE_CASES, notApplicable, playCase } from "../../src/testing/conformance/run-conformance.ts";
import { troupeUnderTest } from "../../src/testing/conformance/troupe-under-test.ts";

for (const one of CONFORMANCE_CASES) {
  const skip = notApplicable(troupeUnderTest, one);
  test(`cases A${one.number} ${one.outcome}`, skip === null ? {} : { skip }, (context) => playCase(troupeUnderTest, one, context.signal));
}
