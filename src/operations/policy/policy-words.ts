import type { ResponseMode, ResponsePolicy } from "../../vocabulary/response-policy.ts";
import { MAX_POLICY_ENTRIES, RESPONSE_MODES, isCommandName } from "../../vocabulary/response-policy.ts";

/** What an owner may set of a policy. */
export const POLICY_KEYS = ["defaultMode", "sensitiveCommands", "overrides"] as const;
/** One of {@link POLICY_KEYS}. */
export type PolicyKey = (typeof POLICY_KEYS)[number];

/** How a value of each key is written. */
export const POLICY_FORMS: Readonly<Record<PolicyKey, string>> = {
  defaultMode: "channel or dm",
  sensitiveCommands: "names of commands, or none",
  overrides: "command=channel or command=dm, or none",
};

/** A policy with one key set, or which form its value must have. */
export type PolicyChange =
  | { readonly kind: "policy"; readonly policy: ResponsePolicy }
  | { readonly kind: "refused"; readonly form: string };

/** The key that a word means, whatever its case; null for none. */
export function policyKeyOf(word: string): PolicyKey | null {
  const folded = word.replaceAll(/[_-]/g, "").toLowerCase();
  return POLICY_KEYS.find((key) => key.toLowerCase() === folded) ?? null;
}

/** Set one key of a policy from words as people write them: lists with blanks or commas between, `none` for an empty one (VS-046). */
export function changedPolicy(policy: ResponsePolicy, key: PolicyKey, words: readonly string[]): PolicyChange {
  const entries = words.flatMap((word) => word.toLowerCase().split(",")).filter((entry) => entry !== "");
  const fits = entries.length > 0 && entries.length <= MAX_POLICY_ENTRIES;
  const changed = fits ? changesOf(key, entries.length === 1 && entries[0] === "none" ? [] : entries) : null;
  return changed === null ? { kind: "refused", form: POLICY_FORMS[key] } : { kind: "policy", policy: { ...policy, ...changed } };
}

/** What entries make of a key; null where they have not its form. */
function changesOf(key: PolicyKey, entries: readonly string[]): Partial<ResponsePolicy> | null {
  switch (key) {
    case "defaultMode": {
      const defaultMode = entries.length === 1 ? modeOf(entries[0]) : null;
      return defaultMode === null ? null : { defaultMode };
    }
    case "sensitiveCommands":
      return entries.every(isCommandName) ? { sensitiveCommands: [...new Set(entries)] } : null;
    case "overrides": {
      const overrides = overridesIn(entries);
      return overrides === null ? null : { overrides };
    }
  }
}

/** A policy's keys as they are written, in their order. */
export function policyWords({ defaultMode, sensitiveCommands, overrides }: ResponsePolicy): Readonly<Record<PolicyKey, string>> {
  return {
    defaultMode,
    sensitiveCommands: listed(sensitiveCommands),
    overrides: listed([...overrides].map(([command, mode]) => `${command}=${mode}`)),
  };
}

function listed(entries: readonly string[]): string {
  return entries.length === 0 ? "none" : entries.join(" ");
}

function modeOf(word: string | undefined): ResponseMode | null {
  return RESPONSE_MODES.find((mode) => mode === word) ?? null;
}

function overridesIn(entries: readonly string[]): ReadonlyMap<string, ResponseMode> | null {
  const overrides = new Map<string, ResponseMode>();
  for (const entry of entries) {
    const [command = "", word, ...more] = entry.split(/[=:]/);
    const mode = modeOf(word);
    if (!isCommandName(command) || mode === null || more.length > 0) return null;
    overrides.set(command, mode);
  }
  return overrides;
}
