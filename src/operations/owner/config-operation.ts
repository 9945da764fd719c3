import { z } from "zod";
import { RuntimeError } from "../../foundation/errors.ts";
import type { Line } from "../../foundation/line.ts";
import { line } from "../../foundation/line.ts";
import { printable } from "../../foundation/printable.ts";
import type { KeptPolicy } from "../policy/kept-policy.ts";
import { keptPolicy, toKept } from "../policy/kept-policy.ts";
import type { Declared, Operation } from "../operation.ts";
import { declare } from "../operation.ts";
import { saidIn } from "../own/own-operation.ts";
import { POLICY_FORMS, POLICY_KEYS, changedPolicy, policyKeyOf, policyWords } from "../policy/policy-words.ts";
import type { ResponsePolicies } from "../policy/response-policies.ts";
import type { OwnerOf } from "./owner-operation.ts";
import { SAID_BY_OPERATOR, mustBeOwner } from "./owner-operation.ts";

/** Arguments of `config`: nothing to look, a key and its value to set. */
export interface ConfigArguments {
  readonly key?: string | undefined;
  readonly value: readonly string[];
}

/** Result of `config`. */
export type ConfigAnswer =
  | { readonly kind: "shown" | "set"; readonly policy: KeptPolicy; readonly readable: boolean }
  | { readonly kind: "refused"; readonly key: string; readonly form: string };

/** `config` and `config KEY VALUE`, said to a bot by its owner (VS-016, VS-046). */
export const config: Declared<ConfigArguments, ConfigAnswer> = declare<ConfigArguments, ConfigAnswer>({
  name: "config",
  summary: "where the replies go; with a key and a value, change it",
  arguments: z.strictObject({
    key: z
      .string()
      .max(100)
      .optional()
      .describe(`one of ${POLICY_KEYS.join(", ")}`),
    value: z.array(z.string().max(1_200)).max(100).describe("what it is to be"),
  }),
  positional: ["key", "value"],
  who: SAID_BY_OPERATOR,
  result: z.discriminatedUnion("kind", [
    z.object({ kind: z.enum(["shown", "set"]), policy: keptPolicy, readable: z.boolean() }),
    z.object({ kind: z.literal("refused"), key: z.string(), form: z.string() }),
  ]),
  render,
});

function render(answer: ConfigAnswer): readonly Line[] {
  if (answer.kind === "refused") return [line`Nothing is changed. ${printable(answer.key)} is ${printable(answer.form)}.`];
  const words = policyWords({ ...answer.policy, overrides: new Map(Object.entries(answer.policy.overrides)) });
  const lines = POLICY_KEYS.map((key) => line`· ${printable(key)}: ${printable(words[key], 1_200)}`);
  const head = answer.kind === "set" ? line`From now on:` : line`Where replies go:`;
  const damaged = answer.readable ? [] : [line`What was kept cannot be read, so everything goes by direct message until it is set anew.`];
  return [head, ...lines, ...damaged];
}

/** Bind it to the policies. The line it is said on names the bot. */
export function bindConfig(policies: ResponsePolicies, owner: OwnerOf): Operation {
  return config.bind(async ({ key: word, value }, context): Promise<ConfigAnswer> => {
    const by = mustBeOwner(context, owner());
    const { surface } = saidIn(context).place;
    const { policy, readable } = policies.of(surface);
    if (word === undefined) return { kind: "shown", policy: toKept(policy), readable };
    const key = policyKeyOf(word);
    if (key === null) throw new RuntimeError("usage", "Cannot set that: it is no key of the policy");
    const changed = changedPolicy(policy, key, value);
    if (changed.kind === "refused") return { kind: "refused", key, form: POLICY_FORMS[key] };
    await policies.set(surface, changed.policy, by);
    return { kind: "set", policy: toKept(changed.policy), readable: true };
  });
}
