import { test } from "node:test";
import { CONFORMANCE_CASES, notApplicable, playCase } from "../../src/testing/conformance/run-conformance.ts";
import { troupeUnderTest } from "../../src/testing/conformance/troupe-under-test.ts";

for (const one of CONFORMANCE_CASES) {
  const lacking = notApplicable(troupeUnderTest, one);
  test(`cases A${one.number} ${one.outcome}`, lacking === null ? {} : { skip: lacking }, (context) =>
    playCase(troupeUnderTest, one, context.signal),
  );
}
