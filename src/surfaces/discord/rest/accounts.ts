import { z } from "zod";
import type { AccountLook } from "../../../vocabulary/account.ts";
import type { PrincipalId } from "../../../vocabulary/principal.ts";
import type { DiscordRest } from "./rest.ts";
import { isSnowflake, momentOf } from "../snowflake.ts";
import { oneLine } from "../reading/written-words.ts";

const MAX_WAIT_MS = 5_000;
const UNKNOWN_USER = 10_013;
const found = z.object({
  id: z.string().refine(isSnowflake),
  username: z.string(),
  global_name: z.string().nullish(),
  bot: z.boolean().nullish(),
});

/** Ask what an account is called and how old it is. Asked only for somebody whom a command of the owner names (SE-096). */
export async function lookAtAccount(rest: DiscordRest, person: PrincipalId, signal: AbortSignal): Promise<AccountLook> {
  const account = person.slice(person.indexOf(":") + 1);
  if (!person.startsWith("discord:") || !isSnowflake(account)) return { kind: "unknown", madeAtMs: 0 };
  const madeAtMs = momentOf(account);
  const result = await rest.call("GET /users/:id", (api, ends) => api.users.get(account, { signal: ends }), {
    signal,
    maxWaitMs: MAX_WAIT_MS,
  });
  if (result.kind === "refused" && result.code === UNKNOWN_USER) return { kind: "unknown", madeAtMs };
  const parsed = found.safeParse(result.kind === "done" ? result.value : null);
  if (!parsed.success || parsed.data.id !== account) return { kind: "unavailable", madeAtMs };
  const { username, global_name: shown, bot } = parsed.data;
  const [name, shownAs] = [oneLine(username), shown === null || shown === undefined ? null : oneLine(shown)];
  return { kind: "account", madeAtMs, facts: { name, shownAs: shownAs === name ? null : shownAs, bot: bot ?? false } };
}
