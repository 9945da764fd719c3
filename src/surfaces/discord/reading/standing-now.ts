import type { PrincipalId } from "../../../vocabulary/principal.ts";
import { member } from "./message-shape.ts";
import type { DiscordRest } from "../rest/rest.ts";

const TRIES = 3;
const MAX_WAIT_MS = 5_000;
/** Whoever is no member has no roles. */
const NO_MEMBER: ReadonlySet<number> = new Set([10007, 10013]);

/** The roles somebody has in a server now, as `<server id>/<role id>`; null where the platform does not say. */
export async function rolesNow(
  rest: DiscordRest,
  { server, person }: { readonly server: string; readonly person: PrincipalId },
  signal: AbortSignal,
): Promise<readonly string[] | null> {
  const account = person.slice(person.indexOf(":") + 1);
  for (let tries = 0; tries < TRIES; tries += 1) {
    const result = await rest.call(
      `GET /guilds/${server}/members`,
      (api, ends) => api.guilds.getMember(server, account, { signal: ends }),
      {
        signal,
        maxWaitMs: MAX_WAIT_MS,
      },
    );
    if (result.kind === "refused") return NO_MEMBER.has(result.code) ? [] : null;
    if (result.kind === "blocked") return null;
    if (result.kind !== "done") continue;
    const parsed = member.safeParse(result.value);
    return parsed.success ? parsed.data.roles.map((role) => `${server}/${role}`) : null;
  }
  return null;
}
