import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { LOCAL_ACTOR } from "../../src/operations/local-actor.ts";
import { markingTools, readMarks } from "../../src/testing/marking-tools.ts";
import type { ScriptedAnswer, ScriptedRequest } from "../../src/testing/scripted-model.ts";
import { startScriptedModel } from "../../src/testing/scripted-model.ts";
import type { TerminalOutput } from "../../src/vocabulary/terminal-session.ts";
import type { ComposedHarness } from "./composed.ts";
import { openComposed } from "./composed.ts";

const yaml = (url: string): string => `
characters:
  mirelle: { name: Mirelle, description: "Keeps the inn at the ferry." }
surfaces:
  parlour: { kind: room, port: 0, character: mirelle }
console: { port: 0 }
models:
  hosts: { near: { api: openai, url: "${url}", models: [tiny] } }
`;
const folder = mkdtempSync(join(tmpdir(), "troupe-away-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const MARKS = join(folder, "marks.jsonl");
const signal = new AbortController().signal;

/** Paints when told so, and says what came of it. */
function painter({ body }: ScriptedRequest): ScriptedAnswer {
  const { messages } = JSON.parse(body.toString()) as { messages: readonly { role: string; content: string }[] };
  const last = messages.at(-1);
  if (last?.role === "tool") return { text: `It is done: ${last.content}` };
  if (last?.content.startsWith("paint ") === true)
    return { text: "", calls: [{ name: "paint", arguments: { what: last.content.slice(6) } }] };
  return { text: "Good evening." };
}

/** Type lines, each once what the one before it names was shown, and end behind them; gives what was shown when the terminal is let go. */
async function pipe(
  one: ComposedHarness,
  ...lines: readonly (string | { readonly behind: string; readonly text: string })[]
): Promise<string> {
  const shown: TerminalOutput[] = [];
  const text = (): string =>
    shown.flatMap((output) => (output.kind === "said" ? output.lines : output.kind === "notice" ? [output.text] : [])).join("\n");
  let onShown = (): void => {};
  const session = {
    character: "mirelle",
    lines: (async function* typed() {
      for (const line of lines) {
        if (typeof line !== "string") while (!text().includes(line.behind)) await new Promise<void>((resolve) => (onShown = resolve));
        // By then whoever follows the line knows that it waits.
        if (typeof line !== "string") await one.runtime.idle();
        yield typeof line === "string" ? line : line.text;
      }
    })(),
    show(output: TerminalOutput) {
      shown.push(output);
      onShown();
      return Promise.resolve(true);
    },
  };
  await one.runtime.terminal.attach(session, signal);
  return text();
}

const operate = (one: ComposedHarness, name: string, args: object): Promise<unknown> =>
  one.runtime.operations.run(name, args, LOCAL_ACTOR, signal);

test("TR-007 TR-032 TR-042 a piped line whose turn asks lets go of the terminal, and what came of the answer is shown to whoever attaches next, once", async () => {
  await using model = await startScriptedModel({ script: painter });
  await using one = await openComposed(yaml(model.url), { tools: markingTools(MARKS, { before: () => {}, after: () => {} }) });
  const asked = await pipe(one, "paint the door");
  assert.match(asked, /Question 1: may this run\?[\s\S]*A question waits for your answer: troupe approvals\.$/);
  await operate(one, "approvals", { act: "allow", id: "1" });
  await one.runtime.idle();
  assert.deepEqual(
    readMarks(MARKS).map(({ what }) => what),
    ["the door"],
  );
  assert.match(await pipe(one), /^While nobody was here, [-\d]+ [\d:]+Z:\nIt is done: paint the door: done$/);
  assert.equal(await pipe(one), "");
  const answered = await pipe(one, "paint the gate", { behind: "Question 2", text: "allow 2" });
  assert.match(answered, /Question 2[\s\S]*It is done: paint the gate: done$/, "what was answered here is waited for");
});

test("TR-015 TR-042 what a schedule says while nobody is attached is kept for whoever attaches next, and no prompt holds it before", async () => {
  await using model = await startScriptedModel({ script: painter });
  await using one = await openComposed(yaml(model.url));
  await operate(one, "schedule", { act: "add", what: "daily 8:00", say: "The kettle is on.", zone: "UTC" });
  const { store } = one.runtime;
  const [due] = store.read.schedules.list();
  assert.ok(due);
  await store.schedules.drop(due.id);
  await store.schedules.keep({ ...due, nextAtMs: Date.now() - 5_000 });
  // Whoever watches the clock looks again when a schedule comes.
  await operate(one, "schedule", { act: "add", what: "daily 10:00", say: "Later.", zone: "UTC" });
  for (let tries = 0; tries < 100 && store.read.events(due.place, 5).length === 0; tries += 1)
    await store.setSetting("test", "behind what a schedule writes");
  await one.runtime.idle();
  assert.deepEqual(
    store.read.events(due.place, 5).map(({ text, state }) => [text, state]),
    [["The kettle is on.", "unsaid"]],
  );
  assert.match(await pipe(one), /While nobody was here[^\n]*\nThe kettle is on\./);
  assert.equal(store.read.events(due.place, 5)[0]?.state, "said");
});
