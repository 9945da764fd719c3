import { z } from "zod";
import { RuntimeError } from "../../foundation/errors.ts";
import type { Line } from "../../foundation/line.ts";
import { line, toned } from "../../foundation/line.ts";
import { printable } from "../../foundation/printable.ts";
import type { SurfaceName } from "../../vocabulary/ids.ts";
import type { ResponsePolicy } from "../../vocabulary/response-policy.ts";
import { botNamed } from "../setup/bot-named.ts";
import type { KeptPolicy } from "./kept-policy.ts";
import { keptPolicy, toKept } from "./kept-policy.ts";
import type { Declared, Operation } from "../operation.ts";
import { OWNER_ONLY, declare } from "../operation.ts";
import { POLICY_FORMS, POLICY_KEYS, changedPolicy, policyWords } from "./policy-words.ts";
import type { PolicyKey } from "./policy-words.ts";
import type { ResponsePolicies } from "./response-policies.ts";

/** Arguments of `policy`. */
export interface PolicyArguments {
  readonly surface?: string | undefined;
}

/** Arguments of `set-policy`: what is left out stays as it is. */
export interface SetPolicyArguments extends PolicyArguments {
  readonly default_mode?: string | undefined;
  readonly sensitive_commands?: string | undefined;
  readonly overrides?: string | undefined;
}

/** Result of both: the policy that is in force. */
export interface PolicyAnswer {
  readonly surface: string;
  readonly policy: KeptPolicy;
  /** False where what was kept could not be read. */
  readonly readable: boolean;
}

const surface = z.string().max(40).optional().describe("the bot's surface, when there are several");
const result = z.object({ surface: z.string(), policy: keptPolicy, readable: z.boolean() });
const value = (key: PolicyKey): z.ZodOptional<z.ZodString> => z.string().max(1_200).optional().describe(POLICY_FORMS[key]);
const common = { who: OWNER_ONLY, result, render } as const;

/** `troupe policy`: where the replies of a bot go (VS-022). */
export const policy: Declared<PolicyArguments, PolicyAnswer> = declare<PolicyArguments, PolicyAnswer>({
  ...common,
  name: "policy",
  summary: "where a bot's replies go: to the channel, or to the person alone",
  arguments: z.strictObject({ surface }),
  positional: ["surface"],
});

/** `troupe set-policy`: change it; counts from the next message. */
export const setPolicy: Declared<SetPolicyArguments, PolicyAnswer> = declare<SetPolicyArguments, PolicyAnswer>({
  ...common,
  name: "set-policy",
  summary: "change where a bot's replies go",
  arguments: z.strictObject({
    surface,
    default_mode: value("defaultMode"),
    sensitive_commands: value("sensitiveCommands"),
    overrides: value("overrides"),
  }),
  positional: [],
});

function render({ surface: name, policy: kept, readable }: PolicyAnswer): readonly Line[] {
  const words = policyWords({ ...kept, overrides: new Map(Object.entries(kept.overrides)) });
  const lines = POLICY_KEYS.map((key) => line`  ${printable(key)}: ${printable(words[key], 1_200)}`);
  const note = readable ? [] : [toned("bad", line`What was kept cannot be read: everything goes by direct message until it is set anew.`)];
  return [toned("strong", line`${printable(name)}`), ...lines, ...note];
}

/** Bind both to where policies are kept, for the bots that there are. */
export function bindPolicies(policies: ResponsePolicies, bots: () => readonly SurfaceName[]): readonly Operation[] {
  const shown = (name: SurfaceName): PolicyAnswer => {
    const inForce = policies.of(name);
    return { surface: name, policy: toKept(inForce.policy), readable: inForce.readable };
  };
  return [
    policy.bind((args) => Promise.resolve(shown(botNamed(args.surface, bots())))),
    setPolicy.bind(async (args, { actor }) => {
      const name = botNamed(args.surface, bots());
      const given = { defaultMode: args.default_mode, sensitiveCommands: args.sensitive_commands, overrides: args.overrides } as const;
      if (POLICY_KEYS.every((key) => given[key] === undefined))
        throw new RuntimeError("usage", "Cannot change nothing: give default_mode, sensitive_commands or overrides");
      const changed = POLICY_KEYS.reduce((sofar, key) => withWords(sofar, key, given[key]), policies.of(name).policy);
      await policies.set(name, changed, actor.principal);
      return { surface: name, policy: toKept(changed), readable: true };
    }),
  ];
}

function withWords(sofar: ResponsePolicy, key: PolicyKey, words: string | undefined): ResponsePolicy {
  if (words === undefined) return sofar;
  const changed = changedPolicy(sofar, key, words.trim().split(/\s+/));
  if (changed.kind === "refused") throw new RuntimeError("usage", `Cannot set ${key}: it is ${changed.form}`);
  return changed.policy;
}
