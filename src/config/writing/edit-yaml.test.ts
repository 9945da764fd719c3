import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { parse } from "yaml";
import { addCharacter, addModel } from "./edit-yaml.ts";
import { EXAMPLE_HOUSE, EXAMPLE_YAML } from "./example.ts";
import type { NewModel } from "./first-yaml.ts";
import { firstYaml } from "./first-yaml.ts";
import { lineRule, proseRule } from "../rules/answer-rules.ts";

const MODEL: NewModel = { host: "ollama", api: "openai", url: "http://127.0.0.1:11434/v1", model: "qwen3:8b", facts: { context: 8_192 } };
const OWN_STYLE = `# our house
characters:
    mirelle:    { name: Mirelle, description: "Keeps the inn at the ferry, and has since before anybody can remember.", greeting: "Sit anywhere." } # her

models:
    hosts:
        local: { api: openai, url: "http://127.0.0.1:8080/v1", models: [a, b] } # mine
        # more to come
    default: local/a # for now

surfaces: { inn: { kind: room, port: 0, character: mirelle } }
`;

interface House {
  readonly characters: Record<string, object>;
  readonly models: { readonly hosts: Record<string, { readonly models: unknown }>; readonly default: string };
  readonly surfaces: Record<string, Record<string, unknown>>;
}

const read = (text: string): House => parse(text) as House;

test("a file without models gets its section at the end and keeps every other byte", () => {
  const { text, added } = addModel(EXAMPLE_YAML, MODEL);
  assert.ok(text.startsWith(EXAMPLE_YAML));
  assert.equal(added[0], "models:");
  assert.deepEqual(read(text).models, {
    hosts: { ollama: { api: "openai", url: MODEL.url, models: { "qwen3:8b": { context: 8_192 } } } },
    default: "ollama/qwen3:8b",
  });
  const noEnd = addModel(EXAMPLE_YAML.trimEnd(), MODEL).text;
  assert.deepEqual(read(noEnd), read(text));
});

test("a file with models keeps its comments, its spaces and its indentation; only what was added is new", () => {
  const { text, added } = addModel(OWN_STYLE, MODEL);
  const before = OWN_STYLE.split("\n");
  const lost = before.filter((row) => !text.split("\n").includes(row));
  assert.deepEqual(lost, ["    default: local/a # for now"]);
  assert.ok(text.includes("default: ollama/qwen3:8b # for now"));
  assert.equal(added.length, 7);
  const { models } = read(text);
  assert.deepEqual([Object.keys(models.hosts), models.default], [["local", "ollama"], "ollama/qwen3:8b"]);
});

test("a model of a host that is there joins its others, in a list or in a map", () => {
  const listed = read(addModel(OWN_STYLE, { ...MODEL, host: "local", facts: {} }).text);
  assert.deepEqual(listed.models.hosts["local"]?.models, ["a", "b", "qwen3:8b"]);
  const twice = addModel(addModel(OWN_STYLE, { ...MODEL, host: "local", facts: {} }).text, { ...MODEL, host: "local", facts: {} });
  assert.deepEqual([read(twice.text).models.hosts["local"]?.models, twice.added], [["a", "b", "qwen3:8b"], []]);
  const mapped = read(addModel(OWN_STYLE, { ...MODEL, host: "local" }).text);
  assert.deepEqual(mapped.models.hosts["local"]?.models, { a: {}, b: {}, "qwen3:8b": { context: 8_192 } });
});

test("a character joins a room under either of its keys, or gets one of its own", () => {
  const kim = { ...EXAMPLE_HOUSE.character, id: "kim", name: "Kim" };
  const joined = read(addCharacter(OWN_STYLE, kim, "inn").text);
  assert.deepEqual(joined.surfaces["inn"], { kind: "room", port: 0, characters: ["mirelle", "kim"] });
  const third = read(addCharacter(addCharacter(OWN_STYLE, kim, "inn").text, { ...kim, id: "tobias" }, "inn").text);
  assert.deepEqual(third.surfaces["inn"]?.["characters"], ["mirelle", "kim", "tobias"]);
  const own = addCharacter(EXAMPLE_YAML, kim, { id: "hall", title: "The Hall", port: 7_780, character: "kim" }).text;
  assert.deepEqual(Object.keys(read(own).surfaces), ["parlour", "hall"]);
  for (const comment of EXAMPLE_YAML.match(/#.*$/gm) ?? []) assert.ok(own.includes(comment), comment);
  assert.deepEqual(Object.keys(read(addCharacter(OWN_STYLE, kim, null).text).characters), ["mirelle", "kim"]);
});

test("what is no YAML, or has something else where a section belongs, is refused without a word of it", () => {
  for (const text of ["characters: {", "models: secret-word\n", "models:\n  hosts: [secret-word]\n"]) {
    assert.throws(
      () => addModel(text, MODEL),
      (error: Error) => !error.message.includes("secret-word") && error.message.startsWith("Cannot add to the configuration"),
    );
  }
});

const line = (max: number): fc.Arbitrary<string> =>
  fc
    .string({ unit: "grapheme", minLength: 1, maxLength: max })
    .map((text) => text.trim())
    .filter((text) => lineRule(text, max) === null);
const hostile = fc.constantFrom(
  "a: b",
  "# no",
  "- x",
  "{}",
  "[a, b]",
  "null",
  "true",
  "0x1f",
  "''",
  '"',
  "%",
  "@",
  "`",
  "!tag",
  "&a *a",
  "|",
  "> x",
  "x\\n",
  "1e3",
  "..",
  "---",
);

test("MC-104 whatever is answered reads back as just that, beside nothing else", () => {
  const words = fc.oneof(line(60), hostile);
  const prose = fc.string({ unit: "grapheme", maxLength: 400 }).filter((text) => proseRule(text, 400) === null);
  fc.assert(
    fc.property(
      words,
      words,
      words,
      fc.oneof(prose, hostile),
      fc.array(words, { maxLength: 3 }),
      (...[name, title, operator, description, aliases]) => {
        const { character, room } = EXAMPLE_HOUSE;
        const house = {
          character: { ...character, name, description, aliases },
          room: { ...room, title },
          operator,
          model: { ...MODEL, keyFile: title },
        };
        const yaml = parse(firstYaml(house)) as Record<string, never> & House;
        const { id: _id, private: own, greeting } = character;
        const known = aliases.length === 0 ? {} : { aliases };
        assert.deepEqual(yaml.characters, { mirelle: { name, ...known, description, private: own, greeting } });
        assert.deepEqual(yaml.surfaces, { parlour: { kind: "room", title, port: 7_777, character: "mirelle", admission: "addressed" } });
        assert.deepEqual(Object.keys(yaml), ["characters", "surfaces", "delivery", "models"]);
        const added = read(addCharacter(EXAMPLE_YAML, { ...house.character, id: "other" }, "parlour").text);
        assert.deepEqual(added.characters["other"], yaml.characters["mirelle"]);
      },
    ),
    { numRuns: 120 },
  );
});
