import type { CallPreview, CallWish } from "../../vocabulary/calls/call-preview.ts";
import type { Influence } from "../../vocabulary/label.ts";
import { LOCAL_OWNER } from "../../vocabulary/principal.ts";
import type { ToolClasses } from "../../vocabulary/calls/tool-definition.ts";
import { denyText } from "./deny-texts.ts";
import { freezeCall, registryOf } from "./frozen-call.ts";
import type { Stand } from "./stand.ts";
import type { GatewayNeeds } from "./policy-gateway.ts";
import { authorityOf } from "./turn-authority.ts";
import { strictest, votesOn } from "./votes.ts";

/**
 * Say what would become of a call on the owner's own line, and by which votes: nothing is run, charged, asked or kept, and no action
 * is made. Kept answers and budgets are left out: they belong to a turn.
 */
export function previewCall(
  needs: Pick<GatewayNeeds, "definitions" | "guardrail" | "remote" | "protects">,
  { call, others }: CallWish,
): CallPreview {
  const registry = registryOf(needs.definitions);
  const frozen = freezeCall({ id: "preview", ...call }, registry);
  if (frozen.kind === "broken") {
    const text = denyText(frozen.code);
    return { verdict: "deny", rule: "schema", reason: null, scopes: [], votes: [], bytes: null, text };
  }
  const stand = ownStand(others ? ["unknown:origin"] : [], (tool) => registry.get(tool)?.definition.classes ?? null, {
    remote: needs.remote(),
    protects: needs.protects,
    // Where its words would go is taken as given: a turn has its own list.
    destinations: new Set(frozen.facts.reach === undefined ? [] : [frozen.facts.reach.destination]),
  });
  const votes = votesOn(frozen, stand, needs.guardrail);
  const outcome = strictest(votes, stand, frozen);
  return {
    verdict: outcome.verdict,
    rule: outcome.rule,
    reason: outcome.verdict === "allow" ? null : (outcome.reason ?? null),
    scopes: outcome.verdict === "ask" ? outcome.scopes : [],
    votes: votes.map(({ verdict, rule }) => ({ verdict, rule })),
    bytes: frozen.bytes,
    text: outcome.verdict === "deny" ? denyText(outcome.code, outcome) : null,
  };
}

function ownStand(
  foreign: readonly Influence[],
  classesOf: (tool: string) => ToolClasses | null,
  given: Pick<Stand, "remote" | "destinations" | "protects">,
): Stand {
  const standpoint = { person: LOCAL_OWNER, character: null, classesOf, endorsed: () => false };
  const line = { principal: LOCAL_OWNER, role: "operator", assurance: "local", channel: "direct" } as const;
  const influence = [LOCAL_OWNER, ...foreign];
  return {
    ...given,
    person: LOCAL_OWNER,
    authority: authorityOf([line], influence, standpoint),
    influence,
    authors: influence,
    foreign,
    sensitive: false,
    readers: [`person:${LOCAL_OWNER}`],
    alone: false,
  };
}
