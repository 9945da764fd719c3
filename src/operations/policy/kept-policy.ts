import { z } from "zod";
import { MAX_POLICY_ENTRIES, RESPONSE_MODES, isCommandName } from "../../vocabulary/response-policy.ts";
import type { ResponsePolicy } from "../../vocabulary/response-policy.ts";

const command = z.string().refine(isCommandName);

/** A policy as it is kept and shown to programs, under the names that others know it by (VS-017…VS-019). */
export interface KeptPolicy {
  readonly defaultMode: ResponsePolicy["defaultMode"];
  readonly sensitiveCommands: readonly string[];
  readonly overrides: Readonly<Record<string, ResponsePolicy["defaultMode"]>>;
}

/** Checks a {@link KeptPolicy}. */
export const keptPolicy: z.ZodType<KeptPolicy> = z.strictObject({
  defaultMode: z.enum(RESPONSE_MODES),
  sensitiveCommands: z.array(command).max(MAX_POLICY_ENTRIES),
  overrides: z.record(command, z.enum(RESPONSE_MODES)).refine((overrides) => Object.keys(overrides).length <= MAX_POLICY_ENTRIES),
});

/** The kept form of a policy. */
export function toKept({ defaultMode, sensitiveCommands, overrides }: ResponsePolicy): KeptPolicy {
  return { defaultMode, sensitiveCommands, overrides: Object.fromEntries(overrides) };
}

/** Read a policy from the text it was kept as; null for any other text. */
export function readPolicy(text: string): ResponsePolicy | null {
  try {
    const { defaultMode, sensitiveCommands, overrides } = keptPolicy.parse(JSON.parse(text));
    return { defaultMode, sensitiveCommands, overrides: new Map(Object.entries(overrides)) };
  } catch {
    return null; // Damage, or another program's words: whoever asks falls back to what is private.
  }
}
