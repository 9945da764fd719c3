import assert from "node:assert/strict";
import { after, test } from "node:test";
import fc from "fast-check";
import { ManualClock } from "../../testing/manual-clock.ts";
import { REMOTE_OPERATOR, STRANGER, ToolBench } from "../../testing/tool-bench.ts";
import type { Verdict } from "../../vocabulary/calls/gateway.ts";
import type { MessageId } from "../../vocabulary/ids.ts";
import { parseMessageId } from "../../vocabulary/ids.ts";
import type { Influence } from "../../vocabulary/label.ts";
import type { Origin } from "../../vocabulary/origin.ts";
import type { Assurance, PrincipalId, Role } from "../../vocabulary/principal.ts";
import { LOCAL_OWNER, parsePrincipalId } from "../../vocabulary/principal.ts";
import type { TextLabel } from "../../vocabulary/calls/text-label.ts";
import { joinLabels, labelText } from "../../vocabulary/calls/text-label.ts";

const bench = new ToolBench(new ManualClock());
after(() => bench.store[Symbol.dispose]());
bench.limits = { toolCallsPerDayPerPerson: 1_000_000, toolCallsPerDayInAll: 1_000_000 };
const { labels } = bench.gateway;
const place = bench.batch([]).place;

/** What one text in a prompt brings with it: its label, made where the program makes it, and a line that somebody said into the turn. */
interface Contribution {
  readonly label: TextLabel;
  readonly lines?: readonly Origin[];
}

const lineOf = (person: PrincipalId, role: Role, assurance: Assurance): Origin =>
  bench.authority.originOfKept({ person, role, assurance, place });
const own = (): TextLabel => labels.ofLine(lineOf(LOCAL_OWNER, "operator", "local"), place);
const said = (...influence: readonly Influence[]): TextLabel => labels.ofEvent({ influence, audience: ["anyone"] });
const steered = (origin: Origin): Contribution => ({ label: labels.ofLine(origin, place), lines: [origin] });
/** As it stands in a column, and is read from there. */
const kept = (label: TextLabel): Contribution => ({ label: labels.read(labelText(label)) });
const stored = (influence: string): Contribution => ({
  label: labels.read(JSON.stringify({ influence: [influence], readers: ["anyone"] })),
});

/** Every producer of text that a prompt has (SE-080), each as its part of the program labels it. */
const PRODUCERS: Readonly<Record<string, () => Contribution>> = {
  "the turn's own line": () => ({ label: own() }),
  "a fragment of it": () => steered(lineOf(LOCAL_OWNER, "operator", "local")),
  "steered by the owner": () => steered(lineOf(LOCAL_OWNER, "operator", "local")),
  "steered by another operator": () => steered(lineOf(REMOTE_OPERATOR, "operator", "platform")),
  "steered over a transport that proves nothing": () => steered(lineOf(REMOTE_OPERATOR, "operator", "relayed")),
  "steered by a guest": () => steered(lineOf(STRANGER, "guest", "platform")),
  "a note of the session": () => kept(own()),
  "a note that a stranger shaped": () => kept(joinLabels(own(), said(STRANGER))),
  "output of a tool of the operator's own": () => ({ label: labels.ofToolOutput("look", own()) }),
  "output of a tool that fetches": () => ({ label: labels.ofToolOutput("fetch", own()) }),
  "output of a tool about private things": () => ({ label: labels.ofToolOutput("recall", own()) }),
  "output of a tool that is gone": () => ({ label: labels.ofToolOutput("gone_tool", own()) }),
  "memory of the owner's": () => kept(said(LOCAL_OWNER)),
  "memory of a guest": () => kept(said(parsePrincipalId("room:ann"))),
  "a guest's line in the chronicle": () => ({ label: said(parsePrincipalId("room:ben")) }),
  "the own character's words": () => stored("character:mirelle"),
  "another character's words": () => stored("character:tobias"),
  "a persona from a file": () => ({ label: labels.ofImport("a".repeat(64)) }),
  "attached context": () => stored("source:weather"),
  "a bundle's prompt": () => stored("bundle:friends"),
  "an MCP server's words": () => stored("mcp:files"),
  "what somebody said who was forgotten": () => stored("forgotten:0011aabb"),
  "a resident of a grid": () => stored("grid:osgrid:01234567-89ab-cdef-0123-456789abcdef"),
  "a label that nobody can read": () => ({ label: labels.read("{") }),
  "the runtime's own words": () => ({ label: labels.ofRuntime() }),
};
const NAMES = Object.keys(PRODUCERS);
/** Somebody else's words: reading stays, every effect is asked about. */
const OTHERS = [2, 1, 1];
/** What the operator and what speaks for the turn itself leave: words that leave are asked about for their readers' sake. */
const OWN = [2, 2, 1];
/** Whatever is not named here is somebody else's. */
const ALONE: Readonly<Record<string, readonly number[]>> = {
  "the turn's own line": OWN,
  "a fragment of it": OWN,
  "steered by the owner": OWN,
  "steered over a transport that proves nothing": [2, 0, 0],
  "steered by a guest": [0, 0, 0],
  "a note of the session": OWN,
  "output of a tool of the operator's own": OWN,
  "output of a tool about private things": OWN,
  "memory of the owner's": OWN,
  "the own character's words": OWN,
  "the runtime's own words": OWN,
};
/** Tools that ask by nothing but the turn: one that reads, one that changes something, one that reaches others. */
const TOOLS = ["look", "note", "walk"] as const;
const RANK = { allow: 2, ask: 1, deny: 0 } as const;
let roots = 0;
const freshRoot = (): MessageId => parseMessageId(`m-contributed${(roots += 1)}`);

/** How far a turn gets with such texts in its prompt, by tool. Its bounds of questions are new each time. */
async function reach(names: readonly string[]): Promise<readonly number[]> {
  // What others shaped may be asked about ten times an hour.
  await bench.clock.advance(3_600_001);
  const all = names.map((name) => (PRODUCERS[name] ?? assert.fail(name))());
  const label = joinLabels(own(), ...all.map((one) => one.label));
  const verdicts: Verdict[] = [];
  for (const name of TOOLS)
    verdicts.push(
      ...(await bench.judge({
        ...bench.batch([{ name }], { root: freshRoot() }),
        label,
        lines: all.flatMap(({ lines = [] }) => lines),
      })),
    );
  return verdicts.map(({ kind }) => RANK[kind]);
}

test("TR-014 SE-080 SE-081 property: with any texts in its prompt a turn gets as far as the least of them alone would let it, for every kind of call", async () => {
  const alone = new Map<string, readonly number[]>();
  for (const name of NAMES) alone.set(name, await reach([name]));
  for (const name of NAMES) assert.deepEqual(alone.get(name), ALONE[name] ?? OTHERS, name);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...NAMES), { maxLength: 9 }), async (drawn) => {
      const held = await reach(drawn);
      const least = TOOLS.map((_, at) => Math.min(2, ...["the turn's own line", ...drawn].map((name) => alone.get(name)?.[at] ?? 0)));
      assert.deepEqual(held, least, drawn.join(", "));
    }),
    { numRuns: 150 },
  );
});

test("SE-080 every kind of author that a label can name is among those texts", () => {
  const kinds = new Set(
    NAMES.flatMap((name) => {
      const { influence } = JSON.parse(labelText((PRODUCERS[name] ?? assert.fail(name))().label)) as { influence: readonly string[] };
      return influence.map((one) => one.slice(0, one.indexOf(":")));
    }),
  );
  const all = ["local", "room", "discord", "grid", "mcp", "forgotten", "character", "tool", "import", "source", "bundle", "unknown"];
  assert.deepEqual([...kinds].toSorted(), all.toSorted());
});
