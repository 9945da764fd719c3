import type { Clock } from "../../foundation/clock.ts";
import { loadDiscord } from "../load-discord.ts";
import type { BotAccess, BotBench, BotLookup } from "../../operations/setup/bot-bench.ts";

/** Why an account could not be looked up, in words. */
const REASONS: Readonly<Record<string, string>> = {
  no_answer: "nobody answers there",
  rate_limited: "it asks to wait; try again in a minute",
  too_many_refused: "too many questions were refused; try again in ten minutes",
  malformed: "what answers there does not speak the platform's protocol",
};

/** Make the bench; Discord's libraries are loaded when it is used. */
export function createBotBench(needs: { readonly clock: Clock; readonly version: string }): BotBench {
  return {
    async open({ token, base }, opening): Promise<BotAccess> {
      const [{ AccountDesk }, { CURES }] = await loadDiscord(
        () => Promise.all([import("../../surfaces/discord/rest/account-desk.ts"), import("../../surfaces/discord/gateway/close-codes.ts")]),
        opening,
      );
      const desk = new AccountDesk({ ...needs, token, base });
      return {
        async who(signal): Promise<BotLookup> {
          const answer = await desk.who(signal);
          switch (answer.kind) {
            case "account":
              return { kind: "bot", bot: answer.account };
            case "blocked":
              return { kind: "refused", cure: CURES[answer.reason] };
            case "later":
              return { kind: "failed", why: REASONS[answer.reason] ?? `it refuses to say (${answer.reason})` };
          }
        },
        servers: (signal) => desk.servers(signal),
        allowContent: (signal) => desk.allowContent(signal),
        sees: (channelId, signal) => desk.sees(channelId, signal),
        link: (bot) => desk.link(bot),
        [Symbol.dispose]: () => desk[Symbol.dispose](),
      };
    },
  };
}
