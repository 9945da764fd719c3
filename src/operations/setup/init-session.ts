import { dirname } from "node:path";
import { readBounded, stampOf } from "../../config/files/bounded-file.ts";
import type { Config } from "../../config/config.ts";
import type { Edited } from "../../config/writing/edit-yaml.ts";
import { addBot, addCharacter, addModel } from "../../config/writing/edit-yaml.ts";
import { EXAMPLE_HOUSE } from "../../config/writing/example.ts";
import type { NewCharacter } from "../../config/writing/first-yaml.ts";
import { firstYaml } from "../../config/writing/first-yaml.ts";
import type { LoadOptions, LoadedConfig } from "../../config/load.ts";
import { loadConfig } from "../../config/load.ts";
import { withTrial } from "../../config/model-trials.ts";
import { newHost } from "../../config/writing/new-host.ts";
import type { Setup, SetupFile } from "../../config/writing/write-setup.ts";
import { writeSetup } from "../../config/writing/write-setup.ts";
import { throwIfAborted } from "../../foundation/cancellation.ts";
import { RuntimeError, isRuntimeError } from "../../foundation/errors.ts";
import { line, text, toned } from "../../foundation/line.ts";
import { printable } from "../../foundation/printable.ts";
import { CEILINGS } from "../../vocabulary/limits.ts";
import type { ModelTrial } from "../../vocabulary/model-trial.ts";
import { maySpeak } from "../../vocabulary/model-trial.ts";
import type { Clock } from "../../foundation/clock.ts";
import type { BotNeeds, ChosenBot } from "./ask-bot.ts";
import { askBot } from "./ask-bot.ts";
import type { Taken } from "./ask-house.ts";
import { NOTHING_TAKEN, askCharacter, askOperator, askRoom } from "./ask-house.ts";
import type { ChosenModel } from "./ask-model.ts";
import { askModel } from "./ask-model.ts";
import type { InitAnswer, InitArguments } from "./init.ts";
import type { BotBench } from "./bot-bench.ts";
import type { Candidate, ModelBench } from "./model-bench.ts";
import type { Prompter } from "./prompter.ts";
import { Questions } from "./questions.ts";
import { rotateToken } from "./rotate-token.ts";
import { trialFindings, trialLines } from "./trial-lines.ts";

/** What `init` needs. */
export interface InitNeeds {
  /** Where the configuration stands or will stand: absolute. */
  readonly path: string;
  /** Absolute; made only if something goes into it. */
  readonly stateDirectory: string;
  readonly load: LoadOptions;
  readonly bench: ModelBench;
  readonly bots: BotBench;
  readonly clock: Clock;
  /** A person to ask, or null where nobody is. */
  openPrompter(): Prompter | null;
  isFree(port: number, signal: AbortSignal): Promise<boolean>;
}

/**
 * Ask, try, and write once at the very end: until then nothing on the disk has changed, whatever ends it (SE-086, TR-072).
 * @throws RuntimeError `usage` for a question nobody answers; `model_*` for a model that was named by options and cannot speak;
 * `config_*`, `state_unwritable`, `disk_full`; the signal's reason on abort.
 */
export async function runInit(args: InitArguments, needs: InitNeeds, signal: AbortSignal): Promise<InitAnswer> {
  using prompter = args.yes === true ? null : needs.openPrompter();
  const questions = new Questions({ prompter, yes: args.yes === true });
  try {
    return await new InitSession(args, needs, questions, signal).run();
  } catch (error) {
    if (isRuntimeError(error, "aborted")) questions.tell(line`Nothing was written.`);
    throw error;
  }
}

/** One run of `init`. It holds what was chosen so far, and no file. */
class InitSession {
  readonly #args: InitArguments;
  readonly #needs: InitNeeds;
  readonly #questions: Questions;
  readonly #signal: AbortSignal;

  constructor(args: InitArguments, needs: InitNeeds, questions: Questions, signal: AbortSignal) {
    this.#args = args;
    this.#needs = needs;
    this.#questions = questions;
    this.#signal = signal;
  }

  async run(): Promise<InitAnswer> {
    const stamp = stampOf(this.#needs.path);
    if (this.#args.rotate === true) return await this.#rotate(stamp);
    if (stamp === null) return await this.#first();
    const part = this.#args.part ?? (await this.#whichPart());
    if (part === "exists" || part === "nothing") return this.#answer(part);
    const there = this.#there();
    if (part === "discord") return await this.#addBot(there, stamp);
    return part === "model" ? await this.#addModel(there, stamp) : await this.#addCharacter(there, stamp);
  }

  /** Nothing is there yet: character, room and model, or what of them was asked for, over the example. */
  async #first(): Promise<InitAnswer> {
    const { part } = this.#args;
    const folder = printable(dirname(this.#needs.path));
    this.#questions.tell(
      toned("strong", line`A first troupe.yaml in ${folder}`),
      line`Only Enter takes what stands in brackets. Ctrl-C leaves everything as it is.`,
    );
    if (part === "discord") return await this.#addBot({ loaded: null, text: firstYaml(EXAMPLE_HOUSE) }, null);
    const house = part === "model" ? EXAMPLE_HOUSE : await this.#askHouse();
    const chosen = part === "character" ? null : await this.#chooseModel(null, house.character);
    const model = chosen?.chosen.model ?? null;
    const written = firstYaml({ ...house, model: model === null ? null : this.#withKeyFile(chosen).model });
    if (!(await this.#confirm([]))) return this.#answer("nothing");
    return this.#write({ text: written, added: [] }, chosen, null);
  }

  async #askHouse(): Promise<Omit<typeof EXAMPLE_HOUSE, "model">> {
    this.#questions.tell(line``, toned("strong", line`Who lives here`));
    const character = await askCharacter(this.#questions, this.#args, NOTHING_TAKEN, this.#signal);
    this.#questions.tell(line``, toned("strong", line`Where people meet ${printable(character.name)}`));
    const room = await askRoom(
      this.#questions,
      this.#args,
      { character, taken: NOTHING_TAKEN, isFree: (port) => this.#isFree(port) },
      this.#signal,
    );
    const operator = await askOperator(this.#questions, this.#args, this.#signal);
    return { character, room, operator };
  }

  async #whichPart(): Promise<"model" | "character" | "discord" | "exists" | "nothing"> {
    if (!this.#questions.interactive) return "exists";
    this.#questions.tell(line`${printable(this.#needs.path)} is there already, and stays as it is unless you add to it.`);
    const chosen = await this.#questions.choose(
      {
        words: printable("What"),
        option: "model, character or discord",
        given: undefined,
        options: [
          { word: "model", says: printable("connect a model") },
          { word: "character", says: printable("add a character") },
          { word: "discord", says: printable("bring a character to Discord") },
          { word: "nothing", says: printable("nothing") },
        ],
        fallback: "nothing",
      },
      this.#signal,
    );
    return chosen === "model" || chosen === "character" || chosen === "discord" ? chosen : "nothing";
  }

  /** The file that is there: it must be in order before anything is put into it. */
  #there(): { readonly loaded: LoadedConfig; readonly text: string } {
    const loaded = loadConfig({ ...this.#needs.load, path: this.#needs.path, stateDirectory: this.#needs.stateDirectory });
    const read = readBounded(this.#needs.path, CEILINGS.configBytes);
    if (read.kind !== "read") throw new RuntimeError("config_missing", `Cannot read ${printable(this.#needs.path)}`);
    return { loaded, text: Buffer.from(read.bytes).toString("utf8") };
  }

  async #addModel({ loaded, text: before }: { loaded: LoadedConfig; text: string }, stamp: string): Promise<InitAnswer> {
    const [speaker = EXAMPLE_HOUSE.character] = [...loaded.config.characters.values()];
    const chosen = await this.#chooseModel(loaded, speaker);
    if (chosen === null) return this.#answer("nothing");
    const edited = addModel(before, this.#withKeyFile(chosen).model);
    return (await this.#confirm(edited.added)) ? this.#write(edited, chosen, stamp) : this.#answer("nothing");
  }

  async #addCharacter({ loaded, text: before }: { loaded: LoadedConfig; text: string }, stamp: string): Promise<InitAnswer> {
    const { config } = loaded;
    const rooms = [...config.surfaces.values()].filter((one) => one.kind === "room");
    const taken: Taken = {
      characters: [...config.characters.keys()],
      rooms: [...config.surfaces.keys()],
      ports: [config.console.port, ...rooms.map(({ port }) => port)],
    };
    const character = await askCharacter(this.#questions, this.#args, taken, this.#signal);
    const edited = await this.#place(before, character, { taken, rooms: rooms.map(({ name }) => name) });
    return (await this.#confirm(edited.added)) ? this.#write(edited, null, stamp) : this.#answer("nothing");
  }

  /** A bot beside what is there; over the example where nothing is. */
  async #addBot({ loaded, text: before }: { loaded: LoadedConfig | null; text: string }, stamp: string | null): Promise<InitAnswer> {
    const { path, load, bots, clock } = this.#needs;
    const needs: BotNeeds = { bots, clock, path, environment: load.environment, ...botHouse(loaded?.config ?? null) };
    const chosen = await askBot(this.#questions, this.#args, needs, this.#signal);
    if (chosen === null) return this.#answer("nothing");
    const { bot, files } = this.#withTokenFile(chosen);
    const edited = addBot(before, bot, chosen.operator);
    if (!(await this.#confirm(stamp === null ? [] : edited.added))) return this.#answer("nothing");
    return { ...this.#write(edited, null, stamp, files), invite: chosen.invite };
  }

  async #rotate(stamp: string | null): Promise<InitAnswer> {
    const { part } = this.#args;
    if (part !== "discord") throw new RuntimeError("usage", "Cannot take --rotate: it belongs to troupe init discord");
    if (stamp === null) throw new RuntimeError("usage", "Cannot take --rotate: nothing is configured yet");
    const { path, stateDirectory, load, bots } = this.#needs;
    const { loaded } = this.#there();
    const needs = { bots, path, environment: load.environment, stateDirectory, loaded };
    const file = await rotateToken(this.#questions, this.#args, needs, this.#signal);
    return file === null ? this.#answer("nothing") : { ...this.#answer("rotated"), path: file };
  }

  /** A typed token goes into a file of its own in the state folder, and the configuration names that. */
  #withTokenFile({ bot, token, typed }: ChosenBot): { readonly bot: ChosenBot["bot"]; readonly files: readonly SetupFile[] } {
    if (!typed) return { bot, files: [] };
    const name = `secrets/${bot.id}.token`;
    return {
      bot: { ...bot, tokenFile: keyFilePath(this.#needs, name) },
      files: [{ name, text: `${token.reveal()}\n`, replaces: false }],
    };
  }

  async #place(
    before: string,
    character: NewCharacter,
    { taken, rooms }: { readonly taken: Taken; readonly rooms: readonly string[] },
  ): Promise<Edited> {
    const own = { word: "own", says: printable("a room of its own") };
    const joined = rooms.map((word) => ({ word, says: text`${printable(word)}, with whoever is there` }));
    const where = await this.#questions.choose(
      {
        words: text`Where do people meet ${printable(character.name)}`,
        option: "--room",
        given: this.#args.room === undefined ? undefined : "own",
        options: [...joined, own],
        fallback: rooms[0] ?? "own",
      },
      this.#signal,
    );
    if (where !== "own") return addCharacter(before, character, where);
    const room = await askRoom(this.#questions, this.#args, { character, taken, isFree: (port) => this.#isFree(port) }, this.#signal);
    return addCharacter(before, character, room);
  }

  /** Choose a model and try it, until one can speak or none is wanted. */
  async #chooseModel(there: LoadedConfig | null, speaker: Speaker): Promise<Chosen | null> {
    this.#questions.tell(
      line``,
      toned("strong", line`What thinks for them`),
      line`Without a model a stand-in answers by fixed rules, offline.`,
    );
    const hosts = new Map(
      Object.entries(there?.raw.models.hosts ?? {}).map(([name, { url }]) => [
        name,
        { url, key: there?.config.models.hosts.get(name)?.key ?? null },
      ]),
    );
    const needs = { bench: this.#needs.bench, environment: this.#needs.load.environment, path: this.#needs.path, hosts };
    for (;;) {
      const chosen = await askModel(this.#questions, this.#args, needs, this.#signal);
      if (chosen === null) return null;
      const tried = await this.#tryOut(chosen, speaker);
      if (tried !== "again") return tried;
    }
  }

  async #tryOut(chosen: ChosenModel, speaker: Speaker): Promise<Chosen | null | "again"> {
    const host = newHost(chosen.model, chosen.key);
    if (this.#args.untried === true) return { chosen, trial: null };
    const name = `${chosen.model.host}/${chosen.model.model}`;
    const candidate = { name, host, character: speaker };
    this.#questions.tell(line`Trying ${printable(name)} with real packets; nothing of anybody's words is in them`);
    const outcome = await this.#needs.bench.tryOut(candidate, (told) => this.#questions.tell(told), this.#signal);
    throwIfAborted(this.#signal);
    this.#questions.tell(...trialLines(outcome, { name: speaker.name }));
    if (outcome.kind === "tried" && maySpeak(outcome.trial)) {
      const quiet = await this.#withoutThinking(chosen, outcome.trial);
      return quiet === null ? { chosen, trial: outcome.trial } : await this.#tryOut(quiet, speaker);
    }
    if (!this.#questions.interactive) throw refusal(outcome.kind === "failed" ? outcome.why : TRUNCATES);
    if (this.#args.url !== undefined) throw refusal(outcome.kind === "failed" ? outcome.why : TRUNCATES);
    const keep = await this.#questions.yes(
      {
        words: printable("Write it down all the same"),
        option: "--untried",
        given: undefined,
        fallback: false,
      },
      this.#signal,
    );
    return keep ? { chosen, trial: outcome.kind === "tried" ? outcome.trial : null } : "again";
  }

  /** The same model asked not to think, where it thinks unasked and the person wants that tried; else null. */
  async #withoutThinking({ model, ...chosen }: ChosenModel, { thinking }: ModelTrial): Promise<ChosenModel | null> {
    if (thinking !== "thinks" || !this.#questions.interactive) return null;
    const words = printable("Try it once more, asked not to think");
    const wanted = await this.#questions.yes({ words, option: "--yes", given: undefined, fallback: true }, this.#signal);
    return wanted ? { ...chosen, model: { ...model, facts: { ...model.facts, think: "off" } } } : null;
  }

  /** A typed key goes into a file of its own in the state folder, and the configuration names that. */
  #withKeyFile(chosen: Chosen | null): { readonly model: ChosenModel["model"]; readonly files: readonly SetupFile[] } {
    if (chosen === null) throw new RuntimeError("internal", "Cannot write a model: none was chosen");
    const { model, key, typed } = chosen.chosen;
    if (!typed || key === null) return { model, files: [] };
    const name = `secrets/${model.host}.key`;
    return {
      model: { ...model, keyFile: keyFilePath(this.#needs, name) },
      files: [{ name, text: `${key.reveal()}\n`, replaces: false }],
    };
  }

  async #confirm(added: readonly string[]): Promise<boolean> {
    if (!this.#questions.interactive) return true;
    if (added.length > 0) this.#questions.tell(line`Add to ${printable(this.#needs.path)} (nothing else changes):`);
    this.#questions.tell(...added.map((row) => toned("faint", line`  ${printable(row, 200)}`)));
    return await this.#questions.yes({ words: printable("Write it"), option: "--yes", given: undefined, fallback: true }, this.#signal);
  }

  #write(edited: Edited, chosen: Chosen | null, basedOn: string | null, files: readonly SetupFile[] = []): InitAnswer {
    throwIfAborted(this.#signal);
    const { path, stateDirectory, load } = this.#needs;
    const trial = chosen?.trial ?? null;
    const setup: Setup = {
      path,
      text: edited.text,
      basedOn,
      stateDirectory,
      files: chosen === null ? files : this.#withKeyFile(chosen).files,
      derived: (config) => (trial === null ? [] : trialFile(stateDirectory, trial, config)),
      options: load,
    };
    const { kind } = writeSetup(setup);
    if (kind === "exists") return this.#answer("exists");
    const model = chosen === null ? null : `${chosen.chosen.model.host}/${chosen.chosen.model.model}`;
    return {
      kind: basedOn === null ? "written" : "added",
      path,
      added: edited.added,
      model,
      findings: this.#findings(trial),
      invite: null,
    };
  }

  /** What a trial found out, for whoever was not shown it while it ran. */
  #findings(trial: ModelTrial | null): InitAnswer["findings"] {
    return trial === null || this.#questions.interactive ? [] : trialFindings(trial);
  }

  #isFree(port: number): Promise<boolean> {
    return this.#needs.isFree(port, this.#signal);
  }

  #answer(kind: "exists" | "nothing" | "rotated"): InitAnswer {
    return { kind, path: this.#needs.path, added: [], model: null, findings: [], invite: null };
  }
}

/** What of a house matters to a new bot; of the example's where there is none yet. */
function botHouse(config: Config | null): Pick<BotNeeds, "characters" | "taken" | "operators" | "isTaken"> {
  const { character, room } = EXAMPLE_HOUSE;
  if (config === null) return { characters: [character], taken: [room.id], operators: [], isTaken: () => false };
  const surfaces = [...config.surfaces.values()];
  const isTaken: BotNeeds["isTaken"] = (token) =>
    surfaces.some((one) => one.kind === "discord" && one.token.digest("") === token.digest(""));
  return { characters: [...config.characters.values()], taken: [...config.surfaces.keys()], operators: config.people.operators, isTaken };
}

/** Who speaks in a trial. */
type Speaker = Candidate["character"];

/** A model with what its trial found out; null when it was not tried. */
interface Chosen {
  readonly chosen: ChosenModel;
  readonly trial: ModelTrial | null;
}

const TRUNCATES = "Cannot use the model: its server leaves out part of every packet";

function refusal(why: string): RuntimeError {
  return new RuntimeError("not_found", `${why}. Nothing was written; --untried writes it down without asking it`);
}

function trialFile(stateDirectory: string, trial: ModelTrial, { models }: Config): readonly SetupFile[] {
  const host = models.hosts.get(trial.model.slice(0, trial.model.indexOf("/")));
  return host === undefined ? [] : [withTrial(stateDirectory, trial, host)];
}

/** As short as the place of the configuration allows: the file says it, and moves with its folder. */
function keyFilePath({ path, stateDirectory }: InitNeeds, name: string): string {
  const beside = dirname(path);
  const whole = `${stateDirectory}/${name}`;
  return whole.startsWith(`${beside}/`) ? `./${whole.slice(beside.length + 1)}` : whole;
}
