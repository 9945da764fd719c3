import type { InboundEvent, SuppressReason } from "../../vocabulary/inbound.ts";
import type { Role } from "../../vocabulary/principal.ts";
import type { Addressed, Hearing } from "./addressed.ts";
import { addressedBy } from "./addressed.ts";

/** How a space admits (TR-020). */
export type AdmissionMode = "addressed" | "trusted" | "silent";

/** Which bots a space answers (TR-023): none, those that mention or name a character, or all that address one like anybody. */
export type BotsMode = "ignore" | "mentions" | "all";

/** What the gates look at beside the line itself. */
export interface Circumstances extends Hearing {
  readonly role: Role;
  readonly mode: AdmissionMode;
  /** The configuration key that set the mode, for `why`. */
  readonly modeKey: string;
  /** How private lines admit; `addressed` when left out. */
  readonly direct?: { readonly mode: AdmissionMode; readonly key: string };
  /** Whether the sender is answered here beside operators and trusted people; asked only where that matters. */
  readonly allowed?: () => boolean;
  readonly bots: BotsMode;
  readonly botsKey: string;
  /** What a sure echo of our own words is known by; asked only of lines that are not stopped before. */
  readonly isEcho: () => boolean;
}

/** Passed with the rule that let it in, or stopped with the gate, rule and key that kept it out. */
export type Judgment =
  | { readonly kind: "passed"; readonly to: Addressed; readonly gate: "addressed"; readonly rule: string; readonly key: string }
  | Stopped;

/** Gate, rule and configuration key, "" where no key has a say. */
export type StoppedBy = readonly [gate: string, rule: string, key: string];

/** Why a line goes no further, by gate, rule and configuration key. */
export interface Stopped {
  readonly kind: "stopped";
  readonly reason: SuppressReason;
  readonly gate: string;
  readonly rule: string;
  readonly key: string;
  readonly to: Addressed | null;
}

/** Rules by which a bot calls a character as surely as `mentions` asks. */
const CALLS: ReadonlySet<Addressed["rule"]> = new Set(["mention", "alias"]);

/**
 * Judge a bounded line by who wrote it, where, and to whom (MC-012…MC-017, MC-021, MC-023, MC-024, TR-020, TR-023). Pure; budgets,
 * room in the lane, loops and duplicates come after, since only they have state.
 */
export function judge(event: InboundEvent, circumstances: Circumstances): Judgment {
  const { role } = circumstances;
  const { mode, key: modeKey } = modeIn(event, circumstances);
  const bySender = stoppedBySender(event, circumstances);
  if (bySender !== null) return bySender;
  if (role === "blocked") return stop("blocked", ["authority", "blocked", "trust"]);
  if (mode === "silent") return stop("silent_space", ["admission", "silent", modeKey]);
  const to = addressedBy(event, circumstances);
  if (to === null) return stop("ambient", ["addressed", "nobody_named", modeKey]);
  const stopped = stoppedByTrust(event, circumstances, to);
  if (stopped !== null) return stopped;
  return { kind: "passed", to, gate: "addressed", rule: to.rule, key: modeKey };
}

/** Make the word on a line that goes no further. */
export function stop(reason: SuppressReason, by: StoppedBy, to: Addressed | null = null): Stopped {
  const [gate, rule, key] = by;
  return { kind: "stopped", reason, gate, rule, key, to };
}

/** A private line admits by rules of its own: the mode of a surface is about its public places. */
function modeIn({ place }: InboundEvent, { mode, modeKey, direct }: Circumstances): { readonly mode: AdmissionMode; readonly key: string } {
  if (place.kind === "public") return { mode, key: modeKey };
  return direct ?? { mode: "addressed", key: modeKey };
}

function stoppedBySender({ sender }: InboundEvent, { bots, botsKey, isEcho }: Circumstances): Stopped | null {
  const { kind } = sender;
  if (kind === "object" || kind === "system") return stop(kind, ["sender", kind, ""]);
  if (kind === "self") return isEcho() ? stop("reflection", ["sender", "own_words", ""]) : stop("self", ["sender", "self", ""]);
  if (kind === "bot" && bots === "ignore") return stop("bot", ["sender", "bot", botsKey]);
  return isEcho() ? stop("reflection", ["sender", "own_words", ""]) : null;
}

/** Whether somebody who does call a character is not one this place answers. */
function stoppedByTrust(event: InboundEvent, circumstances: Circumstances, to: Addressed): Stopped | null {
  const { role, bots, botsKey, allowed } = circumstances;
  const { sender } = event;
  const { mode, key } = modeIn(event, circumstances);
  const named = role === "operator" || role === "trusted";
  if (mode === "trusted" && !named && allowed?.() !== true) return stop("untrusted", ["admission", "trusted", key], to);
  if (sender.kind === "bot" && bots === "mentions" && !CALLS.has(to.rule)) return stop("bot", ["sender", "not_mentioned", botsKey], to);
  return null;
}
