import { ApplicationCommandOptionType, ApplicationCommandType, ApplicationIntegrationType, InteractionContextType } from "@discordjs/core";
import type { RESTPutAPIApplicationCommandsJSONBody } from "@discordjs/core";
import { createHash } from "node:crypto";

type Declared = RESTPutAPIApplicationCommandsJSONBody[number];

/** Where a command may be used: in servers, and in the private line with the bot. */
const ANYWHERE = [InteractionContextType.Guild, InteractionContextType.BotDM];
const INSTALLED = [ApplicationIntegrationType.GuildInstall];

function slash(
  name: string,
  description: string,
  options: NonNullable<Extract<Declared, { description: string }>["options"]> = [],
): Declared {
  return { type: ApplicationCommandType.ChatInput, name, description, options, contexts: ANYWHERE, integration_types: INSTALLED };
}

const ME = [{ type: ApplicationCommandOptionType.Subcommand as const, name: "me", description: "You, and nobody else" }];

/** The commands that people find in the platform's own menu. Who may use them is looked at again at each use, whatever the menu shows. */
export const SLASH_COMMANDS: RESTPutAPIApplicationCommandsJSONBody = [
  slash("about", "What this character is, and who runs it"),
  slash("privacy", "What is kept of what you say, for how long, and who can read it"),
  slash("why", "What became of the last thing you said here"),
  slash("reset", "Begin anew: what you and this character said here is out of mind"),
  slash("forget", "Erase your words and your name; it asks once", [
    {
      type: ApplicationCommandOptionType.String,
      name: "confirm",
      description: "yes, within five minutes of being asked",
      choices: [{ name: "yes", value: "yes" }],
    },
  ]),
  slash("ignore", "Be heard by no character any more", ME),
  slash("hear", "Be heard again", ME),
  slash("help", "What you can say here beside talk"),
];

/** Tells whether they are as they were registered. */
export const SLASH_COMMANDS_DIGEST: string = createHash("sha256").update(JSON.stringify(SLASH_COMMANDS)).digest("hex").slice(0, 32);
