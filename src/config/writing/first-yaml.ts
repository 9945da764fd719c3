import { stringify } from "yaml";

/** A character as it stands in a new file. */
export interface NewCharacter {
  /** Its key. */
  readonly id: string;
  readonly name: string;
  readonly aliases: readonly string[];
  readonly description: string;
  /** "" leaves it out. */
  readonly private: string;
  /** "" leaves it out. */
  readonly greeting: string;
}

/** A room as it stands in a new file. */
export interface NewRoom {
  readonly id: string;
  readonly title: string;
  readonly port: number;
  /** Key of its character. */
  readonly character: string;
}

/** A model with its host as they stand in a file. Values that are undefined stay out. */
export interface NewModel {
  /** Key of the host. */
  readonly host: string;
  readonly api: string;
  readonly url: string;
  readonly keyEnv?: string | undefined;
  readonly keyFile?: string | undefined;
  readonly deadlineS?: number | undefined;
  /** The name the host knows it under. */
  readonly model: string;
  /** Keys of the model itself: `context`, `price` and whatever else is known of it. */
  readonly facts: Readonly<Record<string, unknown>>;
  /** Money a day of the whole install, in the currency of its price; undefined sets no bound. */
  readonly moneyPerDay?: number | undefined;
}

/** A bot on Discord as it stands in a file. Values that are undefined stay out. */
export interface NewBot {
  readonly id: string;
  /** Key of the character that speaks. */
  readonly character: string;
  readonly tokenEnv?: string | undefined;
  readonly tokenFile?: string | undefined;
  /** Another server than Discord's own. */
  readonly apiBase?: string | undefined;
  /** False writes that nothing is read that was said before a mention. */
  readonly readsContent: boolean;
  /** A server in which everyone who mentions it is answered. */
  readonly openServer?: string | undefined;
}

/** All that a first file says. */
export interface FirstHouse {
  readonly character: NewCharacter;
  readonly room: NewRoom;
  /** Who runs it, in the first line a person ever gets. */
  readonly operator: string;
  /** Null leaves the understudy in, and an example as a comment. */
  readonly model: NewModel | null;
}

const HEAD = `# Troupe: who lives here, where, and what thinks for them.
# Every key, with its default: docs/configuration.md. Changes to a character's words, to who is answered and to budgets
# take effect with the next message, the rest at the next start. The runtime never writes this file.
`;

const NO_MODEL = `# Without a model the understudy stands in: fixed rules, offline. \`troupe init model\` connects one and tries it first; any
# server with an OpenAI-compatible interface will do:
# models:
#   hosts:
#     local:
#       api: openai
#       url: "http://127.0.0.1:8080/v1"
#       models: [my-model]
#     # A server that wants a key takes it from the environment or from a private file, never from here:
#     # hosted: { api: openai, url: "https://…/v1", key_env: HOSTED_KEY, models: { some-model: { price: { prompt: 0.2, completion: 0.8 } } } }
#   default: local/my-model
`;

/** Write a first, commented `troupe.yaml`. Whatever was answered is quoted as YAML needs it, so no answer can become a key. */
export function firstYaml({ character, room, operator, model }: FirstHouse): string {
  return [
    HEAD,
    `characters:\n${indented(characterYaml(character), 2)}`,
    `surfaces:\n${indented(roomYaml(room), 2)}`,
    `# The first line a person ever gets says that an AI speaks, and who runs it.\ndelivery:\n  disclosure:\n${entry("operator", operator, 4)}`,
    model === null
      ? NO_MODEL
      : `# What thinks for them. Keys stand in the environment or in private files, never here.\n${modelsYaml(model)}`,
    ...(model?.moneyPerDay === undefined ? [] : [moneyYaml(model.moneyPerDay)]),
  ].join("\n");
}

/** One character of the section `characters`, with what its keys mean. */
export function characterYaml({ id, name, aliases, description, private: own, greeting }: NewCharacter): string {
  const fiction = "It is fiction: a patient visitor can talk it out of the character. Nothing real belongs here.";
  return [
    `${quoted(id)}:\n`,
    entry("name", name, 2),
    aliases.length === 0 ? "" : `  aliases: ${flow(aliases)}\n`,
    `  # What everyone may know.\n${entry("description", description, 2)}`,
    own === ""
      ? `  # What it knows and keeps to itself stands under private. ${fiction}\n`
      : `  # What it knows and keeps to itself. ${fiction}\n${entry("private", own, 2)}`,
    greeting === ""
      ? ""
      : `  # What it says to someone it meets; leave it out, and it waits to be spoken to.\n${entry("greeting", greeting, 2)}`,
  ].join("");
}

/** One room of the section `surfaces`. */
export function roomYaml({ id, title, port, character }: NewRoom): string {
  return [
    `${quoted(id)}:\n  kind: room\n`,
    entry("title", title, 2),
    `  port: ${port}\n`,
    entry("character", character, 2),
    "  # Who is answered: everyone who speaks to a character (addressed), only people you trust (trusted), or nobody (silent).\n",
    "  admission: addressed\n",
  ].join("");
}

/** One bot of the section `surfaces`. */
export function botYaml({ id, character, tokenEnv, tokenFile, apiBase, readsContent, openServer }: NewBot): string {
  return [
    `${quoted(id)}:\n  kind: discord\n`,
    entry("character", character, 2),
    "  # The bot's token stands there and nowhere else. A new one: troupe init discord --rotate\n",
    tokenEnv === undefined ? "" : entry("token_env", tokenEnv, 2),
    tokenFile === undefined ? "" : entry("token_file", tokenFile, 2),
    apiBase === undefined
      ? ""
      : `  # Not Discord's own server: the token goes there.\n${entry("api_base", apiBase, 2)}  other_server: true\n`,
    "  # Who is answered: you, whom you trust and whom `allow` lists, once they mention it (trusted); everyone who does (addressed).\n",
    "  admission: trusted\n",
    readsContent ? "" : "  # It may not read what was said before a mention.\n  context_messages: 0\n",
    openServer === undefined
      ? ""
      : `  # By the id of a server, category, channel or thread; the innermost has the say.\n  places:\n    "${openServer}":\n      admission: addressed\n`,
  ].join("");
}

/** The whole section `models` with one host, which is the default. */
export function modelsYaml(model: NewModel): string {
  return `models:\n  hosts:\n${indented(hostYaml(model), 4)}${entry("default", `${model.host}/${model.model}`, 2)}`;
}

/** The section `budgets` with the one bound on money. */
export function moneyYaml(perDay: number): string {
  return `# Money a day of the whole install: each call is set aside at the most it may cost before it is made.\nbudgets:\n  money_per_day_in_all: ${perDay}\n`;
}

/** One host of the section `models.hosts`. */
export function hostYaml(model: NewModel): string {
  return `${quoted(model.host)}:\n${indented(stringify(hostFields(model), { lineWidth: 0 }), 2)}`;
}

/** The keys of a host, in the order of a file. */
export function hostFields({ api, url, keyEnv, keyFile, deadlineS, model, facts }: NewModel): Readonly<Record<string, unknown>> {
  return {
    api,
    url,
    ...(keyEnv === undefined ? {} : { key_env: keyEnv }),
    ...(keyFile === undefined ? {} : { key_file: keyFile }),
    ...(deadlineS === undefined ? {} : { deadline_s: deadlineS }),
    models: { [model]: facts },
  };
}

function quoted(key: string): string {
  return isPlainWord(key) ? key : JSON.stringify(key);
}

function entry(key: string, value: string, indent: number): string {
  return indented(stringify({ [key]: value }, { lineWidth: 0 }), indent);
}

function flow(list: readonly string[]): string {
  return `[${list.map((one) => (isPlainWord(one) ? one : JSON.stringify(one))).join(", ")}]`;
}

/** Whether a word needs no quotes, wherever it stands. */
function isPlainWord(word: string): boolean {
  return /^[A-Za-z][A-Za-z_-]*$/.test(word) && !/^(?:true|false|null)$/i.test(word);
}

/** Only line feeds part the lines of a file; the separators that a regular expression takes for line ends are text. */
function indented(text: string, by: number): string {
  const margin = " ".repeat(by);
  return text
    .split("\n")
    .map((row) => (row === "" ? row : margin + row))
    .join("\n");
}
