import assert from "node:assert/strict";
import { test } from "node:test";
import type { DecisionsAnswer } from "../../src/observe/decisions-operation.ts";
import { decisions } from "../../src/observe/decisions-operation.ts";
import { grants } from "../../src/operations/grants.ts";
import { LOCAL_ACTOR } from "../../src/operations/local-actor.ts";
import { TERMINAL } from "../../src/surfaces/terminal/terminal.ts";
import { MIRELLE } from "../../src/testing/road-fixtures.ts";
import type { ScriptedAnswer, ScriptedRequest } from "../../src/testing/scripted-model.ts";
import { startScriptedModel } from "../../src/testing/scripted-model.ts";
import { directPlace } from "../../src/vocabulary/place.ts";
import { LOCAL_OWNER } from "../../src/vocabulary/principal.ts";
import type { ComposedHarness } from "./composed.ts";
import { openComposed } from "./composed.ts";
import { typeAtTerminal } from "./typed-lines.ts";

const signal = new AbortController().signal;

const yaml = (url: string): string => `
characters:
  mirelle: { name: Mirelle, description: "Keeps the inn at the ferry." }
surfaces:
  parlour: { kind: room, port: 0, character: mirelle }
console: { port: 0 }
models:
  hosts: { near: { api: openai, url: "${url}", models: [tiny] } }
`;

/** Two calls to a line: one that is allowed, one of a tool that there is not. */
function calling(request: ScriptedRequest): ScriptedAnswer {
  const { messages } = JSON.parse(request.body.toString()) as { messages: { role: string; content: string }[] };
  const last = messages.at(-1);
  if (last?.role !== "user") return { text: "Done." };
  return {
    text: "",
    calls: [
      { name: "note_write", arguments: { name: "errand", text: last.content } },
      { name: "wipe_all", arguments: { what: last.content } },
    ],
  };
}

async function shown(one: ComposedHarness, name: string, args: object): Promise<string> {
  const result = await one.runtime.operations.run(name, args, LOCAL_ACTOR, signal);
  return one.runtime.operations
    .present(name, result)
    .lines.map(({ text }) => text)
    .join("\n");
}

test("CH-070 TR-003 troupe decisions tells of each call who wanted it, what became of it, by which rule and of which bytes, page by page and without a word of anybody; why shows a turn's own", async () => {
  await using model = await startScriptedModel({ script: calling });
  await using one = await openComposed(yaml(model.url));
  const listed = async (args: object): Promise<DecisionsAnswer> =>
    decisions.parse(await one.runtime.operations.run("decisions", args, LOCAL_ACTOR, signal));
  assert.match(await shown(one, "decisions", {}), /No call of a tool was decided about/);
  await typeAtTerminal(one, "lamp oil", "a rope");

  const { decisions: all, next } = await listed({});
  assert.deepEqual(
    all.map(({ tool, verdict, code, rule, person, character, phase }) => [tool, verdict, code, rule, person, character, phase]),
    [
      ["unknown", "deny", "unknown_tool", "schema", LOCAL_OWNER, "mirelle", "judged"],
      ["note_write", "allow", "", "matrix", LOCAL_OWNER, "mirelle", "judged"],
      ["unknown", "deny", "unknown_tool", "schema", LOCAL_OWNER, "mirelle", "judged"],
      ["note_write", "allow", "", "matrix", LOCAL_OWNER, "mirelle", "judged"],
    ],
  );
  assert.equal(next, null);
  assert.ok(all.every(({ digest }) => /^[0-9a-f]{64}$/.test(digest)) && new Set(all.map(({ digest }) => digest)).size === 4);
  assert.ok(!/lamp|rope|wipe/.test(JSON.stringify(all)));

  const pages: DecisionsAnswer[] = [];
  for (let before: number | null | undefined; before !== null && pages.length < 9;) {
    const page = await listed(before === undefined ? { last: 3 } : { last: 3, before });
    pages.push(page);
    before = page.next;
  }
  assert.deepEqual(
    pages.map((page) => page.decisions.length),
    [3, 1],
  );
  assert.deepEqual(
    pages.flatMap((page) => page.decisions),
    all,
  );

  const counts = await Promise.all(
    [
      { tool: "note_write" },
      { verdict: "deny" },
      { verdict: "ask" },
      { person: LOCAL_OWNER },
      { person: "room:ann" },
      { character: "mirelle" },
      { foreign: true },
      { message: all[0]?.message, verdict: "allow" },
      { session: all[0]?.session, tool: "unknown" },
    ].map(async (args) => (await listed(args)).decisions.length),
  );
  assert.deepEqual(counts, [2, 2, 0, 4, 0, 4, 0, 1, 2]);
  for (const args of [{ message: "x" }, { person: "Ann" }, { session: "'; drop table" }])
    await assert.rejects(listed(args), { code: "invalid_argument" });

  const text = await shown(one, "decisions", { last: 2 });
  assert.match(text, /local:owner with mirelle {2,}note_write {2,}allow {2,}matrix {2,}m-\w+ {2,}[0-9a-f]{12}\n/);
  assert.match(text, /deny {2,}schema \(unknown_tool\)[\s\S]*Older ones: --before \d+/);
  const why = await shown(one, "why", { message: all[0]?.message });
  assert.match(
    why.replaceAll(/\s+/g, " "),
    /calls note_write allow matrix [0-9a-f]{12}, unknown deny schema [0-9a-f]{12} \(unknown_tool\)/,
  );
  assert.equal(why.match(/note_write/g)?.length, 1, "another turn's are not its own");
  const id = one.runtime.store.read.sessions.current(directPlace(TERMINAL, MIRELLE, LOCAL_OWNER).id)?.id;
  assert.deepEqual(new Set(all.map(({ session }) => session)), new Set([id]));
});

test("MC-043 TR-015 troupe grants lists what schedules may call unasked, and takes one back at once; both stand in the audit", async () => {
  await using model = await startScriptedModel({ script: calling });
  await using one = await openComposed(yaml(model.url));
  assert.match(await shown(one, "grants", {}), /No schedule may call anything unasked/);
  const wish = { act: "add", what: "daily 8:00", zone: "UTC", session: "count the lamps" };
  await shown(one, "schedule", { ...wish, may: "note_write" });
  await shown(one, "schedule", wish);
  assert.match(
    await shown(one, "grants", {}),
    /g-\w+ {2,}note_write {2,}mirelle by c-\w+ {2,}1000 times, until 20\d\d-\d\d-\d\d {2,}said by local:owner/,
  );
  const listed = async (): Promise<readonly { readonly id: string }[]> =>
    grants.parse(await one.runtime.operations.run("grants", {}, LOCAL_ACTOR, signal)).grants;
  const [grant, ...others] = await listed();
  assert.ok(grant !== undefined && others.length === 0);
  await assert.rejects(shown(one, "grants", { act: "revoke" }), { code: "usage" });
  await assert.rejects(shown(one, "grants", { act: "revoke", id: "g-none00" }), { code: "not_found" });
  assert.match(await shown(one, "grants", { act: "revoke", id: grant.id }), /Taken back[\s\S]*No schedule may call anything unasked/);
  await assert.rejects(shown(one, "grants", { act: "revoke", id: grant.id }), { code: "not_found" });
  assert.deepEqual(await listed(), []);
  assert.ok(one.runtime.store.read.schedules.list().length === 2, "the schedule goes on, and may call nothing");
  assert.equal(
    one.runtime.store.read.calls.grant(
      (one.runtime.store.read.schedules.list().find((each) => each.grant !== null) ?? assert.fail()).grant ?? assert.fail(),
      0,
    ),
    null,
  );
  const audited = one.runtime.store.read.audits(9).map(({ act, by, about }) => [act, by, about]);
  assert.deepEqual(audited, [
    ["ungrant", LOCAL_OWNER, grant.id],
    ["grant", LOCAL_OWNER, `${grant.id} mirelle note_write`],
  ]);
});
