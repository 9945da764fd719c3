import { z } from "zod";
import type { Permission } from "./permissions.ts";
import { ADMINISTRATOR, NEEDED } from "./permissions.ts";

const bits = z.union([z.string().regex(/^\d{1,40}$/), z.int().min(0)]).transform((given) => BigInt(given));
const overwrite = z.object({ id: z.string(), type: z.number(), allow: bits, deny: bits });

/** What a channel says of who may do what in it. */
export const overwrites: z.ZodType<readonly Overwrite[]> = z.array(overwrite).max(1_000);

/** One exception of a channel: for a role (everyone's has the id of its server) or for a member. */
export interface Overwrite {
  readonly id: string;
  /** 0 for a role, 1 for a member. */
  readonly type: number;
  readonly allow: bigint;
  readonly deny: bigint;
}

/** Whose rights are looked at. */
export interface RightsHolder {
  readonly server: string;
  readonly userId: string;
  readonly roles: readonly string[];
  /** What the server gives. */
  readonly given: bigint;
}

/** What answering takes in a kind of channel: in a thread nobody sends plain messages, in a forum there are only threads. */
function neededIn(type: number): readonly Permission[] {
  const isThread = type === 10 || type === 11 || type === 12;
  return isThread || type === 15 ? NEEDED.filter(({ name }) => name !== "Send Messages") : NEEDED;
}

/** Names of the needed rights that the server gives and the channel takes away; by the platform's own order of exceptions. */
export function takenIn(type: number, exceptions: readonly Overwrite[], { server, userId, roles, given }: RightsHolder): readonly string[] {
  if ((given & ADMINISTRATOR) !== 0n) return [];
  const ofRoles = exceptions.filter((one) => one.type === 0 && one.id !== server && roles.includes(one.id));
  const steps = [
    exceptions.filter((one) => one.type === 0 && one.id === server),
    ofRoles,
    exceptions.filter((one) => one.type === 1 && one.id === userId),
  ];
  let rights = given;
  for (const step of steps) {
    const [deny, allow] = [step.reduce((sum, one) => sum | one.deny, 0n), step.reduce((sum, one) => sum | one.allow, 0n)];
    rights = (rights & ~deny) | allow;
  }
  return neededIn(type)
    .filter(({ bit }) => (given & bit) !== 0n && (rights & bit) === 0n)
    .map(({ name }) => name);
}
