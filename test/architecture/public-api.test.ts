import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { child, children, nameOf, parseSource } from "../../tools/syntax.ts";

/**
 * What others may build on. A name is added here with a line in CHANGELOG.md; one that goes missing is a breaking change, and goes
 * only with a new major version.
 */
const PINNED: Readonly<Record<string, readonly string[]>> = {
  "src/index.ts": [
    "ERROR_CODES",
    "RuntimeError",
    "compose",
    "directPlace",
    "isRuntimeError",
    "loadConfig",
    "parseCharacterId",
    "parsePrincipalId",
    "parseSurfaceName",
    "publicPlace",
    "systemClock",
    "type Assurance",
    "type CharacterId",
    "type Clock",
    "type ComposeOptions",
    "type Composed",
    "type DirectPlace",
    "type ErrorCode",
    "type Heard",
    "type InboundEvent",
    "type Inbox",
    "type LoadOptions",
    "type LoadedConfig",
    "type MessageId",
    "type Pace",
    "type Part",
    "type PartId",
    "type PartLimits",
    "type PartState",
    "type Place",
    "type PlaceId",
    "type PrincipalId",
    "type PublicPlace",
    "type ReadBack",
    "type Receipt",
    "type Role",
    "type SendOutcome",
    "type SenderKind",
    "type SuppressReason",
    "type Surface",
    "type SurfaceName",
    "type SurfaceProfile",
    "type TurnId",
  ],
  "src/testing/index.ts": [
    "ABILITIES",
    "FAKE_TOKEN",
    "FakeDiscord",
    "INTENTS",
    "ManualClock",
    "ScriptedPlatform",
    "connectScriptedSurface",
    "leanSpeech",
    "playRoomInProcess",
    "runConformance",
    "simulateRoom",
    "startFakeDiscord",
    "startScriptedModel",
    "troupeUnderTest",
    "type Ability",
    "type Acknowledgement",
    "type Asked",
    "type BotGroup",
    "type BucketRule",
    "type CaseScore",
    "type ChannelKind",
    "type CommandRun",
    "type Dialect",
    "type FakeChannel",
    "type FakeDiscordOptions",
    "type FakeGuild",
    "type FakeInteraction",
    "type FakeMessage",
    "type FakeRole",
    "type FakeUser",
    "type LedgerEntry",
    "type LedgerPost",
    "type LivingRuntime",
    "type Losses",
    "type Manner",
    "type MessageExtras",
    "type MessageFate",
    "type Mind",
    "type MindAnswer",
    "type ModelCall",
    "type ModelManners",
    "type PeopleGroup",
    "type PersonReport",
    "type PlatformLine",
    "type Privileges",
    "type ProcessRoomOptions",
    "type ProcessRoomReport",
    "type RestFault",
    "type RoomOptions",
    "type RoomReport",
    "type RuntimeUnderTest",
    "type Score",
    "type Script",
    "type ScriptedAnswer",
    "type ScriptedLine",
    "type ScriptedModel",
    "type ScriptedModelOptions",
    "type ScriptedRequest",
    "type ScriptedSurfaceOptions",
    "type SeenRequest",
    "type TakenPart",
    "type Taking",
    "type Told",
    "type World",
    "type WorldPlatform",
  ],
};

/** The names that a file exports; `type` in front of those that exist for the compiler only. */
function exportsOf(path: string, text: string): readonly string[] {
  return children(parseSource(path, text).program, "body")
    .filter(({ type }) => type === "ExportNamedDeclaration")
    .flatMap((node) => {
      const declared = child(node, "declaration");
      const names =
        declared === null ? [] : [nameOf(child(declared, "id")) ?? nameOf(child(children(declared, "declarations")[0] ?? declared, "id"))];
      const listed = children(node, "specifiers").map((specifier) => {
        const typeOnly = node["exportKind"] === "type" || specifier["exportKind"] === "type";
        return `${typeOnly ? "type " : ""}${nameOf(child(specifier, "exported"))}`;
      });
      return [...names.filter((name) => name !== null), ...listed];
    })
    .toSorted();
}

for (const [path, names] of Object.entries(PINNED)) {
  test(`${path} exports the pinned names, each by name`, () => {
    const text = readFileSync(path, "utf8");
    assert.doesNotMatch(text, /export \*/);
    assert.deepEqual(exportsOf(path, text), names.toSorted());
    assert.ok(names.length > 0);
  });
}

test("the reading of exports sees every form", () => {
  const text = 'export { a, type B } from "./x.ts"; export type { C } from "./y.ts"; export const d = 1; export function e(): void {}';
  assert.deepEqual(exportsOf("x.ts", text), ["a", "d", "e", "type B", "type C"]);
});

test("the package's entries lead to what is pinned", () => {
  const { exports } = JSON.parse(readFileSync("package.json", "utf8")) as { exports: Record<string, { types: string; default: string }> };
  const sources = Object.values(exports).map((entry) => entry.default.replace("./dist/", "src/").replace(/\.js$/, ".ts"));
  assert.deepEqual(sources.toSorted(), Object.keys(PINNED).toSorted());
  for (const source of sources) assert.ok(existsSync(source), source);
  for (const { types, default: entry } of Object.values(exports)) assert.equal(types, entry.replace(/\.js$/, ".d.ts"));
});
