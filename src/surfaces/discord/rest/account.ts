import { z } from "zod";
import type { BlockedReason } from "../gateway/close-codes.ts";
import type { Identity } from "../reading/normalise.ts";
import type { DiscordRest, RestResult } from "./rest.ts";
import { isSnowflake } from "../snowflake.ts";
import { oneLine } from "../reading/written-words.ts";

/** Who the token is of, what its application may read, and whose it is. */
export interface Account extends Identity {
  /** As people see it. */
  readonly name: string;
  /** Whether words may be read that do not call the bot (the privileged intent). */
  readonly readsContent: boolean;
  /** The person the application belongs to, or those of its team who took their place in it; empty where the server does not say. */
  readonly owners: readonly AccountOwner[];
}

/** Somebody an application belongs to. */
export interface AccountOwner {
  readonly id: string;
  readonly name: string;
}

/** The account, why it can never be used, or when to ask again. */
export type AccountAnswer =
  | { readonly kind: "account"; readonly account: Account }
  | { readonly kind: "blocked"; readonly reason: BlockedReason }
  | { readonly kind: "later"; readonly reason: string; readonly afterMs: number };

const id = z.string().refine(isSnowflake);
const named = { username: z.string().nullish(), global_name: z.string().nullish() };
const user = z.object({ id, bot: z.boolean().nullish(), ...named });
const person = z.object({ id, ...named });
/** Whoever was asked into a team and did not answer yet has another number. */
const TOOK_PLACE = 2;
const team = z.object({ members: z.array(z.object({ membership_state: z.number().nullish(), user: person })).max(100) });
const application = z.object({
  id,
  flags: z.number().nullish(),
  owner: person.nullish().catch(null),
  team: team.nullish().catch(null),
});
/** The bit that says it for an application in few servers, which its owner may switch. */
export const CONTENT_LIMITED: number = 1 << 19;
/** Either bit that says it; the other is for large applications. */
const MESSAGE_CONTENT = (1 << 18) | CONTENT_LIMITED;
const MAX_WAIT_MS = 30_000;

/** Ask whose token it is (TR-081). A person's is refused, whatever a server lets it do. Throws only the signal's reason. */
export async function readAccount(rest: DiscordRest, signal: AbortSignal): Promise<AccountAnswer> {
  const who = await rest.call("GET /users/@me", (api, ends) => api.users.getCurrent({ signal: ends }), { signal, maxWaitMs: MAX_WAIT_MS });
  if (who.kind !== "done") return whyNot(who);
  const parsed = user.safeParse(who.value);
  if (!parsed.success) return { kind: "later", reason: "malformed", afterMs: 0 };
  if (parsed.data.bot !== true) return { kind: "blocked", reason: "user_token" };
  const about = await rest.call("GET /applications/@me", (api, ends) => api.applications.getCurrent({ signal: ends }), {
    signal,
    maxWaitMs: MAX_WAIT_MS,
  });
  if (about.kind === "limited" || about.kind === "lost" || about.kind === "blocked") return whyNot(about);
  const told = about.kind === "done" ? application.safeParse(about.value) : null;
  // A server without such a thing: the account stands for its application, and may read nothing more.
  const known = told?.success === true ? told.data : { id: parsed.data.id, flags: 0 };
  return {
    kind: "account",
    account: {
      userId: parsed.data.id,
      applicationId: known.id,
      name: nameOf(parsed.data),
      readsContent: ((known.flags ?? 0) & MESSAGE_CONTENT) !== 0,
      owners: ownersOf(known),
    },
  };
}

/** A team's application has an account of the team's as its owner, which is nobody. */
function ownersOf({ owner, team: group }: Partial<z.output<typeof application>>): readonly AccountOwner[] {
  const people =
    group?.members.flatMap(({ membership_state: state, user: one }) => ((state ?? TOOK_PLACE) === TOOK_PLACE ? [one] : [])) ??
    (owner === null || owner === undefined ? [] : [owner]);
  return people.map((one) => ({ id: one.id, name: nameOf(one) }));
}

function nameOf({
  username,
  global_name: name,
}: {
  readonly username?: string | null | undefined;
  readonly global_name?: string | null | undefined;
}): string {
  return oneLine(name ?? username ?? "") || "without a name";
}

function whyNot(result: Exclude<RestResult, { kind: "done" }>): AccountAnswer {
  switch (result.kind) {
    case "limited":
      return { kind: "later", reason: "rate_limited", afterMs: result.afterMs };
    case "refused":
      if (result.status === 401) return { kind: "blocked", reason: "token_rejected" };
      return { kind: "later", reason: `refused_${result.status}`, afterMs: 0 };
    case "lost":
      return { kind: "later", reason: "no_answer", afterMs: 0 };
    case "blocked":
      if (result.reason === "token_rejected") return { kind: "blocked", reason: "token_rejected" };
      return { kind: "later", reason: result.reason, afterMs: result.afterMs ?? 0 };
  }
}
