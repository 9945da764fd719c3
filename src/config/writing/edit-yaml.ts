import type { Document } from "yaml";
import { YAMLMap, isMap, isScalar, isSeq, parseDocument } from "yaml";
import { RuntimeError } from "../../foundation/errors.ts";
import type { NewBot, NewCharacter, NewModel, NewRoom } from "./first-yaml.ts";
import { botYaml, characterYaml, hostFields, modelsYaml, moneyYaml, roomYaml } from "./first-yaml.ts";

/** Where the day's money is bound; a bound that is there stays. */
const MONEY = ["budgets", "money_per_day_in_all"];

/** A file with something added, and the lines that are new in it. */
export interface Edited {
  readonly text: string;
  readonly added: readonly string[];
}

/**
 * Add a model to a file and make it the default. A file without models gets a section at its end and keeps every other byte;
 * in any other the section is edited in place: all comments and values stay. A host of that name gets the model beside its others.
 * @throws RuntimeError `config_invalid` when the file is no YAML, or holds something else where the models belong.
 */
export function addModel(text: string, model: NewModel): Edited {
  const document = read(text);
  const money = document.hasIn(MONEY) ? undefined : model.moneyPerDay;
  const isAppended = !document.has("models") && (money === undefined || !document.has("budgets")) && canAppend(document, text);
  if (isAppended) {
    const bound = money === undefined ? "" : `\n${moneyYaml(money)}`;
    return edited(text, `${withEnd(text)}\n${modelsYaml(model)}${bound}`);
  }
  const hosts = mapAt(document, ["models", "hosts"]);
  const known: unknown = hosts.get(model.host, true);
  if (isMap(known)) addToHost(document, known, model);
  else hosts.set(document.createNode(model.host), document.createNode(hostFields(model)));
  mapAt(document, ["models"]).set("default", `${model.host}/${model.model}`);
  if (money !== undefined) mapAt(document, ["budgets"]).set("money_per_day_in_all", money);
  return edited(text, written(document, text));
}

/** Add a character to a room of its own, to one that is there by its key, or to none. The same promises as {@link addModel}. */
export function addCharacter(text: string, character: NewCharacter, room: NewRoom | string | null): Edited {
  const document = read(text);
  graft(mapAt(document, ["characters"]), characterYaml(character));
  if (typeof room === "string") joinRoom(document, mapAt(document, ["surfaces", room]), character.id);
  else if (room !== null) graft(mapAt(document, ["surfaces"]), roomYaml(room));
  return edited(text, written(document, text));
}

/** Add a bot, and its operator behind those that are there if one is given. The same promises as {@link addModel}. */
export function addBot(text: string, bot: NewBot, operator: string | null): Edited {
  const document = read(text);
  graft(mapAt(document, ["surfaces"]), botYaml(bot));
  if (operator !== null) {
    const people = mapAt(document, ["people"]);
    const there: unknown = people.get("operators", true);
    if (!isSeq(there)) people.set("operators", document.createNode([operator]));
    else if (!there.items.some((item) => String(item) === operator)) there.add(operator);
  }
  return edited(text, written(document, text));
}

/** Put a character behind those that a room has, under either of its two keys. */
function joinRoom(document: Document, room: YAMLMap, character: string): void {
  const only: unknown = room.get("character");
  const there: unknown = room.get("characters", true);
  if (isSeq(there)) there.add(character);
  else {
    room.set("characters", document.createNode(only === undefined ? [character] : [only, character], { flow: true }));
    room.delete("character");
  }
}

function read(text: string): Document {
  const document = parseDocument(text, { logLevel: "error" });
  if (document.errors.length > 0) throw new RuntimeError("config_invalid", "Cannot add to the configuration: it is not valid YAML");
  return document;
}

/** Whether a section can simply stand at the end: the document is a block map and nothing ends it before the file does. */
function canAppend(document: Document, text: string): boolean {
  return isMap(document.contents) && document.contents.flow !== true && !/^(?:\.\.\.|---)(?:\s|$)/m.test(text);
}

function withEnd(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

/** The map at a path, made where nothing stands. */
function mapAt(document: Document, path: readonly string[]): YAMLMap {
  for (let depth = 1; depth <= path.length; depth += 1) {
    const inner = path.slice(0, depth);
    const there: unknown = document.getIn(inner, true);
    if (isMap(there)) {
      if (depth === path.length) return there;
      continue;
    }
    const empty = there === undefined || there === null || (isScalar(there) && there.value === null);
    if (!empty) throw new RuntimeError("config_invalid", `Cannot add to the configuration: ${inner.join(".")} is no section`);
    document.setIn(inner, new YAMLMap());
  }
  const made: unknown = document.getIn(path, true);
  if (isMap(made)) return made;
  throw new RuntimeError("internal", "Cannot add to the configuration: a section that was made is not there");
}

function addToHost(document: Document, host: YAMLMap, { model, facts }: NewModel): void {
  const models: unknown = host.get("models", true);
  if (isSeq(models) && Object.keys(facts).length === 0) {
    if (!models.items.some((item) => String(item) === model)) models.add(model);
    return;
  }
  const before: [string, unknown][] = isSeq(models) ? models.items.map((item) => [String(item), {}]) : [];
  const map = isMap(models) ? models : document.createNode(Object.fromEntries(before));
  map.set(document.createNode(model), document.createNode(facts));
  host.set("models", map);
}

/** Put a written entry into a map; its comments come along where the map has lines of its own. */
function graft(into: YAMLMap, yaml: string): void {
  const entry = parseDocument(yaml);
  if (!isMap(entry.contents)) return;
  for (const pair of entry.contents.items) {
    if (into.flow !== true) into.add(pair);
    else {
      const plain: unknown = isMap(pair.value) ? pair.value.toJS(entry) : null;
      into.set(pair.key, entry.createNode(plain));
    }
  }
}

/**
 * The document as text, in the file's own indentation and with its own rows wherever a row says the same: the writer of the
 * YAML library would set its own spaces. If that does not read back as the same data, its own text is taken.
 */
function written(document: Document, before: string): string {
  const indent = /^( {2,8})[^\s#]/m.exec(before)?.[1]?.length ?? 2;
  const own = document.toString({ lineWidth: 0, indent });
  const rows = new Map(before.split("\n").map((row) => [withoutInnerSpaces(row), row]));
  const restored = own
    .split("\n")
    .map((row) => rows.get(withoutInnerSpaces(row)) ?? row)
    .join("\n");
  const same = JSON.stringify(parseDocument(restored, { logLevel: "silent" }).toJS()) === JSON.stringify(document.toJS());
  return same ? restored : own;
}

/** The margin as it is, the rest without spaces: what two spellings of one row have in common. */
function withoutInnerSpaces(row: string): string {
  const margin = /^ */.exec(row)?.[0] ?? "";
  return `${margin}${row.replaceAll(" ", "")}`;
}

function edited(before: string, text: string): Edited {
  const old = new Map<string, number>();
  for (const row of before.split("\n")) old.set(row, (old.get(row) ?? 0) + 1);
  const added = text.split("\n").filter((row) => {
    const left = old.get(row) ?? 0;
    old.set(row, left - 1);
    return left <= 0 && row.trim() !== "";
  });
  return { text, added };
}
