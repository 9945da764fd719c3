import { throwIfAborted } from "../foundation/cancellation.ts";
import { RuntimeError } from "../foundation/errors.ts";
import { printable } from "../foundation/printable.ts";
import type { OriginFacts } from "../vocabulary/origin.ts";
import type { Role } from "../vocabulary/principal.ts";
import { ASSURANCES, assuranceReaches } from "../vocabulary/principal.ts";
import type { Command, Operation, OperationContext, Presented, Who } from "./operation.ts";

/** Every command once (TR-009). Faces call this and hold no logic of their own. */
export interface Operations {
  /** All commands, by name. */
  readonly list: readonly Command[];
  /**
   * Check who calls and with what, then run.
   * @throws RuntimeError `not_found` for an unknown name, `forbidden` before the arguments are looked at, `usage` for
   * arguments it does not take, and whatever the handler throws.
   */
  run(name: string, args: unknown, actor: OriginFacts, signal: AbortSignal): Promise<unknown>;
  /** The same for a command that is said in a conversation. */
  say(name: string, args: unknown, by: Omit<OperationContext, "signal">, signal: AbortSignal): Promise<unknown>;
  /** A result of that command as JSON, lines and exit. @throws RuntimeError `not_found`, `internal` */
  present(name: string, result: unknown): Presented;
}

const RANK: Readonly<Record<Role, number>> = { blocked: -1, bot: -1, guest: 0, trusted: 1, operator: 2 };

/** Collect the operations of a runtime. @throws RuntimeError `internal` when two have one name. */
export function createOperations(list: readonly Operation[]): Operations {
  const byName = new Map<string, Operation>();
  for (const operation of list) {
    if (byName.has(operation.name))
      throw new RuntimeError("internal", `Cannot collect operations: two are named ${printable(operation.name, 40)}`);
    byName.set(operation.name, operation);
  }
  const find = (name: string): Operation => {
    const operation = byName.get(name);
    if (operation === undefined) throw new RuntimeError("not_found", "Cannot run that: there is no such command");
    return operation;
  };
  const run = (name: string, args: unknown, by: Omit<OperationContext, "signal">, signal: AbortSignal): Promise<unknown> => {
    throwIfAborted(signal);
    const operation = find(name);
    if (!mayCall(operation.who, by.actor))
      throw new RuntimeError("forbidden", `Cannot run ${operation.name}: not from here, or not by you`);
    return operation.run(args, { ...by, signal });
  };
  return {
    list: [...byName.values()].toSorted((a, b) => a.name.localeCompare(b.name)),
    run: async (name, args, actor, signal) => run(name, args, { actor }, signal),
    say: async (name, args, by, signal) => run(name, args, by, signal),
    present: (name, result) => find(name).present(result),
  };
}

/** Whether a caller reaches role, assurance and place; whatever is unknown does not (fail closed). */
export function mayCall(who: Who, actor: OriginFacts): boolean {
  const rank: number | undefined = RANK[actor.role];
  const needed: number | undefined = RANK[who.role];
  if (rank === undefined || needed === undefined || rank < 0 || rank < needed) return false;
  if (who.where !== "anywhere" && actor.channel !== "direct") return false;
  return ASSURANCES.includes(who.assurance) && assuranceReaches(actor.assurance, who.assurance);
}
