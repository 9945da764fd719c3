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

/** A command of those who keep order in a server. */
function order(name: string, description: string, options: Parameters<typeof slash>[2]): Declared {
  return { ...slash(name, description, options), contexts: [InteractionContextType.Guild] };
}

/** A command of the private line with the bot. */
function alone(name: string, description: string, options: Parameters<typeof slash>[2] = []): Declared {
  return { ...slash(name, description, options), contexts: [InteractionContextType.BotDM] };
}

/** In the menu of a message: its character takes it back. */
export const TAKE_BACK_COMMAND = "Take back";
const PERSON = { type: ApplicationCommandOptionType.User as const, name: "person", required: true };
const SPAN = { type: ApplicationCommandOptionType.String as const, name: "for", required: true, max_length: 10 };
const ME = [{ type: ApplicationCommandOptionType.Subcommand as const, name: "me", description: "You, and nobody else" }];

function trusting(name: string, description: string): NonNullable<Parameters<typeof slash>[2]>[number] {
  return { type: ApplicationCommandOptionType.Subcommand, name, description, options: [{ ...PERSON, description: "Whom" }] };
}

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
  order("block", "For moderators: hear a guest of this server no more for a time", [
    { ...PERSON, description: "Whom" },
    { ...SPAN, description: "How long, as 30m, 4h or 2d" },
  ]),
  order("unblock", "For moderators: lift a block of this server's moderators", [{ ...PERSON, description: "Whose" }]),
  order("pause", "For moderators: nobody is answered in this place for a time", [{ ...SPAN, description: "How long, as 30m or 4h" }]),
  slash("held", "For operators and moderators: replies that wait for a yes"),
  order("close", "For operators: only whom the configuration names is answered here again", []),
  order("resume", "For moderators: answer in this place again", []),
  { type: ApplicationCommandType.Message, name: TAKE_BACK_COMMAND, contexts: ANYWHERE, integration_types: INSTALLED },
  slash("trust", "For the owner: who is trusted", [
    { type: ApplicationCommandOptionType.Subcommand, name: "list", description: "Who is trusted" },
    trusting("add", "Trust somebody; it shows who that is and asks once"),
    trusting("remove", "Trust somebody no more; it asks once"),
    { type: ApplicationCommandOptionType.Subcommand, name: "yes", description: "Do what was shown last, within five minutes" },
  ]),
  slash("config", "For the owner: where replies go; alone it shows how that is", [
    {
      type: ApplicationCommandOptionType.String,
      name: "key",
      description: "Which setting",
      choices: ["defaultMode", "sensitiveCommands", "overrides"].map((name) => ({ name, value: name })),
    },
    { type: ApplicationCommandOptionType.String, name: "value", description: "What it is to be", max_length: 400 },
  ]),
  alone("approvals", "For operators: questions that wait for your answer", [
    {
      type: ApplicationCommandOptionType.String,
      name: "act",
      description: "What to do; list without it",
      choices: ["list", "show", "allow", "deny", "kept", "revoke"].map((name) => ({ name, value: name })),
    },
    { type: ApplicationCommandOptionType.String, name: "id", description: "The question's number", max_length: 40 },
  ]),
  alone("sessions", "For operators: what agents keep of your lines", [
    { type: ApplicationCommandOptionType.String, name: "id", description: "Which one, to see its newest entries", max_length: 40 },
  ]),
  alone("halt", "For operators: stop everything at once; only the own machine undoes it"),
  slash("help", "What you can say here beside talk"),
];

/** Tells whether they are as they were registered. */
export const SLASH_COMMANDS_DIGEST: string = createHash("sha256").update(JSON.stringify(SLASH_COMMANDS)).digest("hex").slice(0, 32);
