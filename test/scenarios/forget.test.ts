import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { ANN, MIRELLE, PARLOUR, inboundLine } from "../../src/testing/road-fixtures.ts";
import { directPlace, publicPlace } from "../../src/vocabulary/place.ts";
import type { InboundEvent } from "../../src/vocabulary/inbound.ts";
import { LOCAL_OWNER, parsePrincipalId } from "../../src/vocabulary/principal.ts";
import type { OriginFacts } from "../../src/vocabulary/origin.ts";
import type { ComposedHarness } from "./composed.ts";
import { openComposed } from "./composed.ts";

const YAML = `
characters:
  mirelle: { name: Mirelle, description: "Keeps the inn at the ferry." }
surfaces:
  inn: { kind: room, port: 0, character: mirelle }
console: { port: 0 }
budgets: { replies_per_minute_per_room: 60, replies_per_minute_per_person: 20 }
`;
const BEN = parsePrincipalId("room:ben");
const never = new AbortController().signal;
const OWNER: OriginFacts = { principal: LOCAL_OWNER, role: "operator", assurance: "local", channel: "direct" };
let deliveries = 0;

type Line = Partial<InboundEvent> & { direct?: typeof MIRELLE; person?: typeof ANN; displayName?: string };

/** Say a line and give what was answered. */
async function say(one: ComposedHarness, line: Line): Promise<readonly string[]> {
  const before = one.surface.sent.length;
  const person = line.person ?? ANN;
  await one.surface.inbox?.hear(
    inboundLine({ atMs: Date.now(), to: MIRELLE, deliveryId: `${person}:c-${(deliveries += 1)}`, displayName: "Quagganame", ...line }),
    never,
  );
  await one.runtime.idle();
  return one.surface.sent.slice(before).map(({ body }) => body);
}

async function filesWith(folder: string, text: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async (entry) => ((await readFile(join(entry.parentPath, entry.name))).includes(text) ? [entry.name] : [])),
  );
  return found.flat();
}

async function isForgotten(one: ComposedHarness): Promise<void> {
  for (const trace of ["zebrawords", "Quagganame"]) {
    assert.deepEqual(await filesWith(join(one.folder, ".troupe"), trace), [], trace);
    assert.ok(!one.log.some((line) => line.includes(trace)), "the log never held any");
  }
}

test("TR-043 SE-081 a person says /forget and, asked once, /forget yes: no byte of their words is left, and others' are", async () => {
  await using one = await openComposed(YAML);
  await say(one, { text: "Mirelle, say zebrawords aloud" });
  await say(one, { text: "Mirelle, my name is zebrawords too", direct: MIRELLE });
  await say(one, { text: "Mirelle, hello from Ben", person: BEN, displayName: "Ben" });
  assert.ok((await filesWith(join(one.folder, ".troupe"), "zebrawords")).length > 0);

  assert.match((await say(one, { text: "/forget yes" })).join("\n"), /in private/, "not where others read the answer");
  assert.match(
    (await say(one, { text: "/forget yes", direct: MIRELLE })).join("\n"),
    /This erases \d+ of your lines/,
    "it asks first, whatever is said",
  );
  assert.ok((await filesWith(join(one.folder, ".troupe"), "zebrawords")).length > 0);
  const answer = (await say(one, { text: "/forget yes", direct: MIRELLE })).join("\n");
  assert.match(answer, /^.*Forgotten: \d+ of your lines/s);
  await isForgotten(one);
  const { read } = one.runtime.store;
  const texts = read.events(publicPlace(PARLOUR).id, 50).map(({ text }) => text);
  assert.ok(texts.includes("Mirelle, hello from Ben"));
  assert.deepEqual(
    read.events(directPlace(PARLOUR, MIRELLE, ANN).id, 50).map(({ state }) => state),
    ["said"],
    "the answer to the request alone",
  );
  assert.equal(one.runtime.store.read.counts().inbox["running"], 0);
});

test("TR-043 an operator is shown what would go, and it goes with yes alone; nobody else may", async () => {
  await using one = await openComposed(YAML);
  await say(one, { text: "Mirelle, say zebrawords aloud" });
  const { operations } = one.runtime;
  const guest: OriginFacts = { principal: ANN, role: "guest", assurance: "anonymous", channel: "direct" };
  await assert.rejects(operations.run("forget", { person: BEN, yes: true }, guest, never), { code: "forbidden" });
  const shown = operations.present("forget", await operations.run("forget", { person: ANN }, OWNER, never));
  assert.equal(shown.exit, "question");
  assert.ok((await filesWith(join(one.folder, ".troupe"), "zebrawords")).length > 0);
  const done = operations.present("forget", await operations.run("forget", { person: ANN, yes: true }, OWNER, never));
  assert.equal(done.exit, "done");
  assert.match(JSON.stringify(done.lines), /1 own lines/);
  await isForgotten(one);
  for (const trace of [String(ANN)]) assert.deepEqual(await filesWith(join(one.folder, ".troupe"), trace), [], trace);
});
