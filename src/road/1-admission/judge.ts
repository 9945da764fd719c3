import type { InboundEvent, SuppressReason } from "../../vocabulary/inbound.ts";
import type { Role } from "../../vocabulary/principal.ts";
import type { Addressable, Addressed } from "./addressed.ts";
import { addressedBy } from "./addressed.ts";

/** How a space admits (TR-020). */
export type AdmissionMode = "addressed" | "trusted" | "silent";

/** What the gates look at beside the line itself. */
export interface Circumstances {
  readonly role: Role;
  readonly mode: AdmissionMode;
  readonly present: readonly Addressable[];
  /** The configuration key that set the mode, for `why`. */
  readonly modeKey: string;
}

/** Passed with the rule that let it in, or stopped with the gate, rule and key that kept it out. */
export type Judgment =
  | { readonly kind: "passed"; readonly to: Addressed; readonly gate: "addressed"; readonly rule: string; readonly key: string }
  | {
      readonly kind: "stopped";
      readonly reason: SuppressReason;
      readonly gate: string;
      readonly rule: string;
      readonly key: string;
      readonly to: Addressed | null;
    };

const KINDS: Readonly<Record<Exclude<InboundEvent["sender"]["kind"], "person">, SuppressReason>> = {
  self: "self",
  object: "object",
  system: "system",
  bot: "bot",
};

/**
 * Judge a bounded line by who wrote it, where, and to whom (MC-012…MC-017, MC-023, MC-024, TR-020, TR-023). Pure; budgets, room in
 * the lane and duplicates come after, since only they have state.
 */
export function judge(event: InboundEvent, circumstances: Circumstances): Judgment {
  const { role, mode, modeKey } = circumstances;
  const inPublic = event.place.kind === "public";
  if (event.sender.kind !== "person") {
    const kind = event.sender.kind;
    return { kind: "stopped", reason: KINDS[kind], gate: "sender", rule: kind, key: "", to: null };
  }
  const to = addressedBy(event, circumstances.present);
  const stopped = (reason: SuppressReason, gate: string, rule: string): Judgment => ({
    kind: "stopped",
    reason,
    gate,
    rule,
    key: reason === "blocked" ? "trust" : modeKey,
    to,
  });
  if (role === "blocked") return stopped("blocked", "authority", "blocked");
  if (mode === "silent" && inPublic) return stopped("silent_space", "admission", "silent");
  if (to === null) return stopped("ambient", "addressed", "nobody_named");
  if (mode === "trusted" && inPublic && role === "guest") return stopped("untrusted", "admission", "trusted");
  return { kind: "passed", to, gate: "addressed", rule: to.rule, key: modeKey };
}
