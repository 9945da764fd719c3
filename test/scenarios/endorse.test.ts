import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { sha256Hex } from "../../src/foundation/ids.ts";
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

/** Keeps whatever it is told as a note. */
function keeping(request: ScriptedRequest): ScriptedAnswer {
  const { messages } = JSON.parse(request.body.toString()) as { messages: { role: string; content: string }[] };
  const last = messages.at(-1);
  if (last?.role !== "user") return { text: "Kept." };
  return { text: "", calls: [{ name: "note_write", arguments: { name: last.content, text: "x" } }] };
}

async function run(one: ComposedHarness, name: string, args: object): Promise<string> {
  const result = await one.runtime.operations.run(name, args, LOCAL_ACTOR, signal);
  return one.runtime.operations
    .present(name, result)
    .lines.map(({ text }) => text)
    .join("\n");
}

test("SE-080 troupe endorse takes the words of a file as the owner's own, by its bytes alone; the audit names it, status tells it, and taking it back undoes it at once", async () => {
  await using model = await startScriptedModel({ script: keeping });
  await using one = await openComposed(yaml(model.url));
  const file = join(one.folder, "mirelle.card.json");
  await writeFile(file, "a card");
  const digest = sha256Hex("a card");
  assert.match(await run(one, "endorse", {}), /No import counts as your own words/);
  await typeAtTerminal(one, "first");
  const { sessions } = one.runtime.store.read;
  const { id, last } = sessions.current(directPlace(TERMINAL, MIRELLE, LOCAL_OWNER).id) ?? assert.fail();
  const label = JSON.stringify({ influence: [`import:${digest}`], readers: ["anyone"] });
  const entries = [{ body: { kind: "note", text: "From the card." }, root: null, label }] as const;
  await one.runtime.store.sessions.append({ session: id, after: last, entries, atMs: Date.now(), charges: [] });

  assert.match(await typeAtTerminal(one, "second"), /Question 1:[\s\S]*import:/);
  assert.match(await run(one, "sessions", {}), /carries words of import:/);
  assert.match(
    await run(one, "endorse", { act: "add", what: file }),
    new RegExp(`count as yours: import:${digest}[\\s\\S]*mirelle\\.card\\.json`),
  );
  await run(one, "endorse", { act: "add", what: `import:${digest}` });
  assert.equal(one.runtime.store.read.calls.endorsements().length, 1, "once is enough");
  assert.match(await run(one, "status", {}), /endorsed +1 imports count as your own words/);
  assert.doesNotMatch(await run(one, "sessions", {}), /carries words of/);
  assert.match(await typeAtTerminal(one, "third"), /Kept\./);
  assert.deepEqual(
    sessions.notes(id).map(({ name }) => name),
    ["first", "third"],
  );

  await writeFile(file, "a card, changed");
  await assert.rejects(run(one, "endorse", { act: "remove", what: file }), { code: "not_found" });
  assert.match(await run(one, "endorse", { act: "remove", what: digest }), /somebody else's again[\s\S]*No import counts/);
  assert.match(await typeAtTerminal(one, "fourth"), /Question 2:/);
  assert.deepEqual(
    one.runtime.store.read.audits(9).map(({ act, by, about }) => [act, by, about]),
    [
      ["unendorse", LOCAL_OWNER, `import:${digest}`],
      ["endorse", LOCAL_OWNER, `import:${digest}`],
    ],
  );
});

test("SE-080 what is no file, no whole path and no digest is not endorsed, nor are more than there is room for", async () => {
  await using model = await startScriptedModel({ script: keeping });
  await using one = await openComposed(yaml(model.url));
  const folder = join(one.folder, "cards");
  await mkdir(folder);
  for (const [what, code] of [
    ["mirelle.card.json", "usage"],
    ["A".repeat(64), "usage"],
    [undefined, "usage"],
    [folder, "not_found"],
    [join(folder, "none"), "not_found"],
  ] as const)
    await assert.rejects(run(one, "endorse", { act: "add", what }), { code }, String(what));
  await Promise.all(
    Array.from({ length: 1_024 }, (_, at) =>
      one.runtime.store.calls.endorse({ sha256: sha256Hex(`${at}`), name: "", by: LOCAL_OWNER, atMs: at }),
    ),
  );
  await assert.rejects(run(one, "endorse", { act: "add", what: "a".repeat(64) }), { code: "capacity" });
});
