import type { Clock } from "../../../foundation/clock.ts";
import type { Log } from "../../../foundation/log.ts";
import { Backoff } from "../gateway/backoff.ts";
import type { DiscordRest } from "../rest/rest.ts";
import { SLASH_COMMANDS, SLASH_COMMANDS_DIGEST } from "./slash-commands.ts";

/** Tries in one run of the process; the next start tries again. */
const MAX_TRIES = 5;

/** What registering stands on. */
export interface RegistrationNeeds {
  readonly clock: Clock;
  readonly log: Log;
  readonly rest: DiscordRest;
}

/**
 * Put the commands into the platform's menu, all at once, unless they were registered as they are now. Gives the digest of what is
 * registered from now on; the one before where it could not be done.
 */
export async function registerCommands(
  { clock, log, rest }: RegistrationNeeds,
  { applicationId, registered }: { readonly applicationId: string; readonly registered: string | null },
  signal: AbortSignal,
): Promise<string | null> {
  const backoff = new Backoff();
  for (let tries = 0; tries < MAX_TRIES && registered !== SLASH_COMMANDS_DIGEST; tries += 1) {
    const result = await rest.call(
      "PUT /applications",
      (api, ends) => api.applicationCommands.bulkOverwriteGlobalCommands(applicationId, SLASH_COMMANDS, { signal: ends }),
      { signal },
    );
    if (result.kind === "done") return SLASH_COMMANDS_DIGEST;
    if (result.kind === "refused" || (result.kind === "blocked" && result.afterMs === null)) {
      // A server that speaks the protocol may have no such menu; the words of chat are there all the same.
      log.write("warn", "discord_commands_refused", { code: result.kind === "refused" ? result.code : 0 });
      return registered;
    }
    await clock.sleep(Math.max(backoff.next(), result.kind === "lost" ? 0 : (result.afterMs ?? 0)), signal);
  }
  return registered;
}
