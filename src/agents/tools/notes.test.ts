import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "../../testing/manual-clock.ts";
import { MIRELLE } from "../../testing/road-fixtures.ts";
import { openDirectStore } from "../../testing/store-writer.ts";
import { mintAction } from "../../vocabulary/calls/authorized-action.ts";
import { definitionDigest } from "../../vocabulary/calls/definition-digest.ts";
import { parseSessionId, parseSurfaceName, parseTurnId } from "../../vocabulary/ids.ts";
import { directPlace } from "../../vocabulary/place.ts";
import { LOCAL_OWNER } from "../../vocabulary/principal.ts";
import { clockTool } from "./clock.ts";
import { noteTools } from "./notes.ts";
import { createToolbox } from "./toolbox.ts";

const never = new AbortController().signal;

test("notes are a session's own: listed, read, replaced and removed, bounded, and labelled as what they were written from", async () => {
  using store = openDirectStore();
  const session = (id: string, character: typeof MIRELLE): ReturnType<typeof parseSessionId> =>
    store.run({
      verb: "openSession",
      row: {
        id: parseSessionId(id),
        character,
        place: directPlace(parseSurfaceName("terminal"), character, LOCAL_OWNER).id,
        person: LOCAL_OWNER,
        atMs: 0,
      },
    }).id;
  const clock = new ManualClock(1_800_000_000_000);
  const label = JSON.stringify({ influence: [LOCAL_OWNER], readers: [`person:${LOCAL_OWNER}`] });
  const toolbox = createToolbox([
    ...noteTools({
      clock,
      verbs: { keepNote: (row) => Promise.resolve(store.run({ verb: "keepNote", row })) },
      reads: store.read.sessions,
      labelOf: () => label,
    }),
    clockTool(clock),
  ]);
  const call = async (tool: string, args: unknown, where = session("s-one001", MIRELLE)): Promise<string> => {
    const definition = toolbox.definitions.find(({ name }) => name === tool) ?? assert.fail(tool);
    assert.notEqual(definition.check(args), null, "its schema takes it");
    const facts = { turn: parseTurnId("t-000001"), session: where, person: LOCAL_OWNER, call: "c1-0", digest: "d" };
    const action = mintAction({ ...facts, tool, definition: definitionDigest(definition), argumentsText: JSON.stringify(args) });
    return (await toolbox.run(action, never)).text;
  };
  assert.equal(await call("note_list", {}), "There are no notes.");
  assert.equal(await call("note_write", { name: "errand", text: "lamp oil" }), "Kept.");
  assert.equal(await call("note_write", { name: "errand", text: "lamp oil and rope" }), "Kept.");
  assert.equal(await call("note_read", { name: "errand" }), "lamp oil and rope");
  assert.equal(await call("note_list", {}), "errand (17 bytes)");
  assert.equal(store.read.sessions.note(session("s-one001", MIRELLE), "errand")?.label, label);
  assert.match(await call("note_read", { name: "errand" }, parseSessionId("s-other1")), /^Error: there is no note/);
  assert.match(await call("note_write", { name: "x", text: "x" }, parseSessionId("s-other1")), /^Error: this conversation is gone/);
  for (let n = 1; n < 64; n += 1) await call("note_write", { name: `n${n}`, text: "x" });
  assert.match(await call("note_write", { name: "one more", text: "x" }), /^Error: there is no room/);
  assert.equal(await call("note_write", { name: "errand", text: "" }), "Removed.");
  assert.match(await call("note_write", { name: "errand", text: "" }), /^Error/);
  for (const args of [{}, { name: "" }, { name: "x".repeat(65) }, { name: "x", more: 1 }])
    assert.equal(toolbox.definitions.find(({ name }) => name === "note_read")?.check(args), null);
  assert.equal(await call("clock_now", {}), "Fri 2027-01-15 08:00 UTC");
  assert.equal(await call("clock_now", { zone: "Asia/Kathmandu" }), "Fri 2027-01-15 13:45 Asia/Kathmandu");
  assert.match(await call("clock_now", { zone: "Mars/Base" }), /^Error: Cannot use that time zone/);
});
