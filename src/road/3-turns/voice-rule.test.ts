import assert from "node:assert/strict";
import { test } from "node:test";
import type { OriginFacts } from "../../vocabulary/origin.ts";
import type { Role } from "../../vocabulary/principal.ts";
import { ASSURANCES, LOCAL_OWNER } from "../../vocabulary/principal.ts";
import type { MessageClass } from "../../vocabulary/turn.ts";
import { voiceRule } from "./voice-rule.ts";

const ROLES: readonly Role[] = ["operator", "trusted", "guest", "bot", "blocked"];
const CLASSES: readonly MessageClass[] = ["talk", "command", "answer", "control"];

test("TR-031 TR-032 an operator's direct line is the agent's on every surface, a command its operation's, and all else the responder's", () => {
  for (const role of ROLES)
    for (const channel of ["public", "direct"] as const)
      for (const assurance of ASSURANCES)
        for (const kind of CLASSES) {
          const facts: OriginFacts = { principal: LOCAL_OWNER, role, channel, assurance };
          const isAgents = role === "operator" && channel === "direct" && assurance !== "anonymous";
          assert.equal(voiceRule(kind, facts), kind === "command" ? "operation" : isAgents ? "agent" : "responder", JSON.stringify(facts));
        }
});
