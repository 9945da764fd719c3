import { z } from "zod";
import type { BlockedReason } from "./close-codes.ts";
import type { Identity } from "./normalise.ts";
import type { DiscordRest, RestResult } from "./rest.ts";
import { isSnowflake } from "./snowflake.ts";

/** Who the token is of, and what its application may read. */
export interface Account extends Identity {
  /** Whether words may be read that do not call the bot (the privileged intent). */
  readonly readsContent: boolean;
}

/** The account, why it can never be used, or when to ask again. */
export type AccountAnswer =
  | { readonly kind: "account"; readonly account: Account }
  | { readonly kind: "blocked"; readonly reason: BlockedReason }
  | { readonly kind: "later"; readonly reason: string; readonly afterMs: number };

const id = z.string().refine(isSnowflake);
const user = z.object({ id, bot: z.boolean().nullish() });
const application = z.object({ id, flags: z.number().nullish() });
/** The two bits that say it: switched on for a large application, and for one in few servers. */
const MESSAGE_CONTENT = (1 << 18) | (1 << 19);
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
    account: { userId: parsed.data.id, applicationId: known.id, readsContent: ((known.flags ?? 0) & MESSAGE_CONTENT) !== 0 },
  };
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
