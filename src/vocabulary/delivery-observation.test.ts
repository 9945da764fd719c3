import assert from "node:assert/strict";
import { test } from "node:test";
import { deliveryOutcome } from "./delivery-observation.ts";
import { INBOX_ENDS } from "./turn.ts";

test("MC-062 every end of a message has its one outcome", () => {
  const all = { count: 2, delivered: 2, late: false };
  const some = { count: 2, delivered: 1, late: false };
  const pinned = {
    answered: deliveryOutcome("answered", "", all),
    "answered, a part refused by the platform": deliveryOutcome("answered", "", some),
    "answered, a part too late": deliveryOutcome("answered", "", { ...some, late: true }),
    silent: deliveryOutcome("silent", "silence", null),
    "refused by the gate": deliveryOutcome("refused", "gate_canary", null),
    "failed at its deadline": deliveryOutcome("failed", "deadline", null),
    failed: deliveryOutcome("failed", "model_status", null),
    expired: deliveryOutcome("expired", "too_old", null),
    cancelled: deliveryOutcome("cancelled", "", null),
    interrupted: deliveryOutcome("interrupted", "restart", null),
  };
  assert.deepEqual(pinned, {
    answered: "success",
    "answered, a part refused by the platform": "failure",
    "answered, a part too late": "timeout",
    silent: "success",
    "refused by the gate": "policy_denial",
    "failed at its deadline": "timeout",
    failed: "failure",
    expired: "timeout",
    cancelled: "failure",
    interrupted: "failure",
  });
  for (const end of INBOX_ENDS) assert.ok(Object.keys(pinned).some((key) => key.startsWith(end)));
});
