import type { Config } from "../config.ts";
import type { DiscordConfig } from "../discord-config.ts";

/** Something to say of a bot; `key` is the one of its keys that it is about. */
export interface DiscordFinding {
  readonly level: "ok" | "warn";
  readonly key: "token_env" | "admission" | "dms" | "api_base" | "allow";
  readonly message: string;
  readonly cure: string;
}

/** What of a bot is open to more people than its author may think, and what cannot work (TR-020). Nobody is asked. */
export function checkDiscord(surface: DiscordConfig, { people, models }: Pick<Config, "people" | "models">): readonly DiscordFinding[] {
  const findings: DiscordFinding[] = [
    { level: "ok", key: "token_env", message: "a bot on Discord, its token is set; check --connect asks Discord about it", cure: "" },
  ];
  const warn = (key: DiscordFinding["key"], message: string, cure: string): void =>
    void findings.push({ level: "warn", key, message, cure });
  if (surface.api.other)
    warn("api_base", "the token goes to a server that is not Discord's own", "write the address of a server you trust");
  if (surface.admission === "addressed")
    warn(
      "admission",
      "everyone who mentions the bot is answered, in every server that anybody adds it to",
      "keep `trusted` here and write `admission: addressed` for one server or channel under places",
    );
  if (!people.operators.some((operator) => operator.startsWith("discord:")))
    warn("admission", "no discord account is an operator, so nobody can trust people from Discord", "list yours under people.operators");
  if (models.defaultModel === null)
    warn(
      "admission",
      "there is no model, and on Discord the understudy answers operators and trusted people only",
      "name a model server under models.hosts",
    );
  if (surface.dms === "known" && surface.admission === "addressed")
    warn("dms", "whoever mentioned the bot once may write to it in private", "write `dms: listed`, or admit only trusted people");
  return findings;
}
