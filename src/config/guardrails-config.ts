import type { LinearPattern } from "../foundation/linear-pattern.ts";
import type { GuardrailMode, GuardrailRule } from "../vocabulary/calls/guardrail-rule.ts";

/** The operator's rules over calls of tools. */
export interface GuardrailsConfig {
  /** Whether rules and hooks may ask; what they deny is denied all the same (CH-079). */
  readonly enabled: boolean;
  readonly mode: GuardrailMode;
  /** Names of rules that do not vote. */
  readonly disabled: readonly string[];
  /** What `small` means: those whose name says so, and these. */
  readonly small: { readonly byName: boolean; readonly models: readonly LinearPattern[] };
  /** In the order of the file. */
  readonly rules: readonly GuardrailRule[];
  /** Why every call is denied: a changed file whose rules cannot be used (TR-006, CH-074). Null while they can. */
  readonly unusable: string | null;
}

/** No rules at all. */
export const NO_GUARDRAILS: GuardrailsConfig = {
  enabled: true,
  mode: "auto",
  disabled: [],
  small: { byName: true, models: [] },
  rules: [],
  unusable: null,
};
