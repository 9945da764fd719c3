import { z } from "zod";
import type { Line } from "../../foundation/line.ts";
import { line, toned } from "../../foundation/line.ts";
import { printable } from "../../foundation/printable.ts";
import type { BotOptions } from "./ask-bot.ts";
import type { HouseOptions } from "./ask-house.ts";
import type { ModelOptions } from "./ask-model.ts";
import type { InitNeeds } from "./init-session.ts";
import type { TrialFinding } from "./trial-lines.ts";
import { findingLines } from "./trial-lines.ts";
import type { Declared, Operation } from "../operation.ts";
import { OWNER_ONLY, declare } from "../operation.ts";

/** Arguments of `init`. */
export interface InitArguments extends HouseOptions, ModelOptions, BotOptions {
  /** `model`, `character` or `discord` alone; without it, everything that is not there yet. */
  readonly part?: "model" | "character" | "discord" | undefined;
  /** A new token for a bot that is there, and of which surface. */
  readonly rotate?: boolean | undefined;
  readonly surface?: string | undefined;
  readonly yes?: boolean | undefined;
  readonly untried?: boolean | undefined;
}

/** Result of `init`. */
export interface InitAnswer {
  /** `exists`: a file is there and was not touched. `rotated`: a bot has a new token. `nothing`: nothing was wanted. */
  readonly kind: "written" | "added" | "rotated" | "exists" | "nothing";
  readonly path: string;
  /** Lines that are new in a file that was there. */
  readonly added: readonly string[];
  /** `host/model`; null when none was connected. */
  readonly model: string | null;
  /** What the trial of a new model found out, where nobody was there to be shown it. */
  readonly findings: readonly { readonly level: TrialFinding["level"]; readonly message: string; readonly cure: string }[];
  /** Where a new bot is added to a server; null where it is in one, or none is new. */
  readonly invite: string | null;
}

/** `troupe init`. */
export const init: Declared<InitArguments, InitAnswer> = declare<InitArguments, InitAnswer>({
  name: "init",
  summary: "set up a first troupe.yaml by questions, or add a model, a character or a bot on Discord to one; never over what is there",
  arguments: z.strictObject({
    part: z.enum(["model", "character", "discord"]).optional().describe("model, character or discord: only that; without it, everything"),
    yes: z.boolean().optional().describe("ask nothing: take the default of whatever no option answers"),
    name: z.string().max(60).optional().describe("the character's name"),
    description: z.string().max(8_000).optional().describe("what everyone may know of the character"),
    room: z.string().max(60).optional().describe("name of the room"),
    port: z.int().min(0).max(65_535).optional().describe("port of the room on this computer"),
    run_by: z.string().max(60).optional().describe("who runs it, as the first line that everybody gets will say"),
    look: z.boolean().optional().describe("look for a model server on this computer"),
    url: z.string().max(2_048).optional().describe("address of a model server"),
    api: z.string().max(20).optional().describe("how the server is spoken to; openai is what most have"),
    model: z.string().max(200).optional().describe("the model, by the name the server knows it under"),
    key_env: z.string().max(64).optional().describe("environment variable that holds the server's key"),
    key_file: z.string().max(1_024).optional().describe("private file that holds the server's key; a key itself is never an option"),
    context: z.int().min(256).max(16_777_216).optional().describe("tokens of the model's window, if you know them"),
    price: z.string().max(40).optional().describe("price of a million tokens read and written, such as '0.2 0.8', or free"),
    money_per_day: z.number().min(0).max(1_000_000).optional().describe("money a day at most, where the model has a price; 0 for no bound"),
    untried: z.boolean().optional().describe("write the model down without sending it anything"),
    token_env: z.string().max(64).optional().describe("environment variable that holds the bot's token"),
    token_file: z.string().max(1_024).optional().describe("private file that holds the bot's token; a token itself is never an option"),
    character: z.string().max(40).optional().describe("who speaks on Discord, by the key of the file"),
    operator: z.string().max(20).optional().describe("account on Discord, by its id, that may command the bot"),
    api_base: z.string().max(300).optional().describe("address of another server that speaks Discord's protocol; the token goes there"),
    rotate: z.boolean().optional().describe("with discord: take a new token for the bot that is there"),
    surface: z.string().max(40).optional().describe("with --rotate: which bot, by the key of the file"),
  }),
  positional: ["part"],
  who: OWNER_ONLY,
  result: z.object({
    kind: z.enum(["written", "added", "rotated", "exists", "nothing"]),
    path: z.string(),
    added: z.array(z.string()),
    model: z.string().nullable(),
    findings: z.array(z.object({ level: z.enum(["ok", "warn", "error"]), message: z.string(), cure: z.string() })),
    invite: z.string().nullable(),
  }),
  render: renderInit,
  exit: ({ kind }) => (kind === "exists" ? "failed" : "done"),
});

function renderInit({ kind, path, added, model, findings, invite }: InitAnswer): readonly Line[] {
  if (kind === "exists")
    return [
      toned("bad", line`Nothing written: ${printable(path)} is there already.`),
      line`Add to it: troupe init model, troupe init character, or troupe init discord`,
    ];
  if (kind === "nothing") return [line`Nothing written.`];
  if (kind === "rotated")
    return [toned("good", line`Written: the new token, into ${printable(path)}`), line`What runs now takes it up at its next start.`];
  const join = invite === null ? [] : [line`Add the bot to a server: ${printable(invite, 300)}`];
  const found = findingLines(
    model,
    findings.map(({ level, message, cure }) => ({ level, message: printable(message, 400), cure: printable(cure, 400) })),
  );
  const next =
    model === null && kind === "written" ? line`Next: troupe run, then troupe init model when you have one` : line`Next: troupe run`;
  if (kind === "added")
    return [
      toned("good", line`Added to ${printable(path)}:`),
      ...added.map((row) => line`  ${printable(row, 200)}`),
      ...found,
      line`What runs now takes up a new model, character, room or bot at its next start.`,
      ...join,
      next,
    ];
  return [
    toned("good", line`Written: ${printable(path)}`),
    ...found,
    line`What stands under private is fiction: visitors can talk a character out of it.`,
    ...join,
    next,
  ];
}

/** Bind `init` to its files, its person and the models it may try. */
export function bindInit(needs: InitNeeds): Operation {
  return init.bind(async (args, { signal }) => {
    const { runInit } = await import("./init-session.ts");
    return runInit(args, needs, signal);
  });
}
