import { RuntimeError } from "../../foundation/errors.ts";
import type { PrincipalId } from "../../vocabulary/principal.ts";
import type { OperationContext, Who } from "../operation.ts";

/** An operator whom the platform vouches for, wherever it is said: what is answered goes by the policy (TR-021, SE-081). */
export const SAID_BY_OPERATOR: Who = { role: "operator", assurance: "platform", where: "anywhere" };

/** Who a bot's owner is; null where nobody is. */
export type OwnerOf = () => PrincipalId | null;

/** Refuse everybody but the bot's owner, other operators among them (VS-008, VS-045). @throws RuntimeError `forbidden` */
export function mustBeOwner({ actor }: OperationContext, owner: PrincipalId | null): PrincipalId {
  if (owner === null || actor.principal !== owner) throw new RuntimeError("forbidden", "Cannot run that: it is the owner's alone");
  return owner;
}
