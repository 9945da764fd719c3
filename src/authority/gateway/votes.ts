import type { DenyCode, HookVote } from "../../vocabulary/calls/gateway.ts";
import { parseBareJson } from "../../foundation/bare-json.ts";
import { placesOf } from "../../vocabulary/calls/call-paths.ts";
import { mayRead } from "../../vocabulary/label.ts";
import { assuranceReaches } from "../../vocabulary/principal.ts";
import type { AskScope } from "../../vocabulary/calls/tool-definition.ts";
import type { FrozenCall } from "./frozen-call.ts";
import type { Stand } from "./stand.ts";
import { leastAssurance, scopesAt } from "./tool-matrix.ts";

/** What one rule says of a call; who says nothing lets it pass. */
export type Vote =
  | { readonly verdict: "deny"; readonly rule: string; readonly code: DenyCode; readonly reason?: string }
  | { readonly verdict: "ask"; readonly rule: string; readonly scopes: readonly AskScope[]; readonly reason?: string };

/** What all rules together say. A reason is the operator's own words, where one of the operator's rules says it. */
export type Outcome =
  | { readonly verdict: "allow"; readonly rule: string }
  | Extract<Vote, { verdict: "deny" }>
  /** `only`: no other rule asks beside this one. */
  | (Extract<Vote, { verdict: "ask" }> & { readonly only: boolean });

/** Rules of the operator beside those of the code. They can only tighten. */
export type Guardrail = (call: FrozenCall) => readonly Vote[];

const ONCE: readonly AskScope[] = ["once"];
const WIDER = ["session", "always"] as const;

/**
 * Hooks vote first, then the code, then the operator's rules. The strictest vote wins; a denial can't be undone, and of several questions the first names the rule while only scopes that all
 * of them offer are offered (CH-070, CH-071). A rule that breaks denies.
 */
export function outcomeOf(call: FrozenCall, stand: Stand, { guardrail, hooks }: Voters): Outcome {
  return strictest([...hookVotes(call, hooks), ...votesOn(call, stand, guardrail)], stand, call);
}

/** Who votes beside the code. */
export interface Voters {
  readonly guardrail: Guardrail;
  readonly hooks: readonly HookVote[];
}

/** An answer to a hook's question never counts on: the hook may mean another thing the next time. */
function hookVotes({ id }: FrozenCall, hooks: readonly HookVote[]): readonly Vote[] {
  return hooks
    .filter(({ call }) => call === id)
    .map(({ hook, verdict, reason }): Vote => {
      const rule = `hook:${hook}`;
      return verdict === "deny" ? { verdict, rule, code: "hook", reason } : { verdict, rule, reason, scopes: ONCE };
    });
}

/** Every vote on a call, in the order in which they name themselves: the code's, then the operator's. */
export function votesOn(call: FrozenCall, stand: Stand, guardrail: Guardrail): readonly Vote[] {
  return [...coreVotes(call, stand), ...guarded(call, guardrail)];
}

/** What votes come to, whatever their order. */
export function strictest(votes: readonly Vote[], stand: Stand, { definition }: Pick<FrozenCall, "definition">): Outcome {
  const denial = votes.find((vote) => vote.verdict === "deny");
  if (denial !== undefined) return denial;
  const questions = votes.filter((vote) => vote.verdict === "ask");
  const [first] = questions;
  if (first === undefined) return { verdict: "allow", rule: "matrix" };
  // A rule of the operator can ask for less than a line may answer, never for more (SE-081, SE-085).
  const most = stand.foreign.length > 0 ? ONCE : scopesAt(stand.authority.assurance, WIDER, stand.remote.has(definition.capability));
  const scopes = most.filter((scope) => scope === "once" || questions.every((vote) => vote.scopes.includes(scope)));
  return { ...first, scopes, only: questions.length === 1 };
}

function guarded(call: FrozenCall, guardrail: Guardrail): readonly Vote[] {
  try {
    return guardrail(call);
  } catch {
    return [{ verdict: "deny", rule: "guardrail", code: "guardrail" }];
  }
}

/** The rules of the code, in the order in which they name themselves. */
function coreVotes(call: FrozenCall, stand: Stand): readonly Vote[] {
  const { definition, facts } = call;
  const { classes } = definition;
  const { authority } = stand;
  const level = authority[classes.changes];
  if (level === "deny") return [{ verdict: "deny", rule: "matrix", code: "not_allowed" }];
  if (!assuranceReaches(authority.assurance, leastAssurance(definition.capability, stand.remote)))
    return [{ verdict: "deny", rule: "assurance", code: "not_allowed" }];
  const drawn = drawVote(facts.draws?.money);
  if (drawn !== null) return [drawn];
  const offered =
    stand.foreign.length > 0 ? ONCE : scopesAt(authority.assurance, definition.scopes, stand.remote.has(definition.capability));
  return [
    ...protectedVotes(call, stand),
    ...speakVotes(call, stand),
    ...when(level === "ask", { verdict: "ask", rule: stand.foreign.length > 0 ? "influence" : "relayed", scopes: ONCE }),
    ...when(stand.foreign.length > 0 && stand.sensitive && classes.changes !== "nothing", {
      verdict: "ask",
      rule: "rule_of_two",
      scopes: ONCE,
    }),
    ...when(facts.dynamic === true, { verdict: "ask", rule: "dynamic", scopes: ONCE }),
    ...when(definition.verdict === "ask", { verdict: "ask", rule: "tool", scopes: offered }),
  ];
}

/** Tools that work on files: of them a path that nobody can tell may be any. */
const ON_FILES: ReadonlySet<string> = new Set(["files", "processes", "config"]);

/** State and secrets are closed to every tool, and what steers the program is asked for (TR-045). */
function protectedVotes({ definition, facts, argumentsText }: FrozenCall, { protects }: Stand): readonly Vote[] {
  const { folder = null, paths = [], executes = {} } = facts;
  const named = placesOf({ arguments: parseBareJson(argumentsText), folder, paths: [...paths, ...Object.keys(executes)] });
  // What changes a folder changes all in it; where it works is no more than the folder itself.
  const reach = definition.classes.changes === "nothing" ? "itself" : "below";
  const words = named.map((path, at) => {
    if (path === null) return ON_FILES.has(definition.capability) ? "ask" : "open";
    return protects(path, folder !== null && at === 0 ? "itself" : reach);
  });
  if (words.includes("deny")) return [{ verdict: "deny", rule: "protected", code: "protected" }];
  return when(words.includes("ask"), { verdict: "ask", rule: "protected", scopes: ONCE });
}

/** Nothing is ever spent (MC-041). */
function drawVote(money: number | undefined): Vote | null {
  return money === undefined || money === 0 ? null : { verdict: "deny", rule: "money", code: "budget" };
}

/** Words go out unasked only to readers who may have everything that shaped them, and only where the turn was told of (SE-083). */
function speakVotes({ definition, facts }: FrozenCall, stand: Stand): readonly Vote[] {
  const { reach } = facts;
  if (reach === undefined) {
    // An outward tool that does not say where to could go anywhere.
    return definition.classes.changes === "outward" ? [{ verdict: "deny", rule: "reach", code: "destination" }] : [];
  }
  if (!stand.destinations.has(reach.destination)) return [{ verdict: "deny", rule: "reach", code: "destination" }];
  return when(!mayRead(stand.readers, reach.reader), { verdict: "ask", rule: "readers", scopes: ONCE });
}

function when(holds: boolean, vote: Vote): readonly Vote[] {
  return holds ? [vote] : [];
}
