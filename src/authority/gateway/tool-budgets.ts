import type { PrincipalId } from "../../vocabulary/principal.ts";
import type { CallFacts, ToolResource } from "../../vocabulary/calls/tool-definition.ts";
import { TOOL_RESOURCES } from "../../vocabulary/calls/tool-definition.ts";
import type { LimitedCharge } from "./judge-rows.ts";

const DAY_MS = 86_400_000;

/** What calls of tools may come to in a day. */
export interface ToolLimits {
  readonly toolCallsPerDayPerPerson: number;
  readonly toolCallsPerDayInAll: number;
}

/** Of the whole install in a day. Nothing is ever spent or built (MC-041, TR-058). */
const RESOURCES: Readonly<Record<ToolResource, number>> = { inventory: 50, uploads: 10, movement: 500, building: 0, money: 0 };

/** What a validated call draws on: one of its person's calls, one of all, and the resources it says. */
export function chargesOf(
  facts: CallFacts,
  person: PrincipalId,
  day: { readonly nowMs: number; readonly limits: ToolLimits },
): readonly LimitedCharge[] {
  const windowStartMs = Math.floor(day.nowMs / DAY_MS) * DAY_MS;
  const of = (scope: string, limit: number, amount: number): LimitedCharge => ({ scope, windowStartMs, amount, limit });
  const drawn = TOOL_RESOURCES.flatMap((resource) => {
    const amount = facts.draws?.[resource] ?? 0;
    return amount === 0 ? [] : [of(`tools:${resource}`, RESOURCES[resource], amount)];
  });
  return [
    of(`tools:calls:person:${person}`, day.limits.toolCallsPerDayPerPerson, 1),
    of("tools:calls", day.limits.toolCallsPerDayInAll, 1),
    ...drawn,
  ];
}
