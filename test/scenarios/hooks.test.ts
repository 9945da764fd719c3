import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { LOCAL_ACTOR } from "../../src/operations/local-actor.ts";
import type { ScriptedAnswer, ScriptedModel, ScriptedRequest } from "../../src/testing/scripted-model.ts";
import { startScriptedModel } from "../../src/testing/scripted-model.ts";
import type { ComposedHarness } from "./composed.ts";
import { openComposed } from "./composed.ts";
import { typeAtTerminal } from "./typed-lines.ts";

const signal = new AbortController().signal;

/** Keeps what follows "keep " as a note, and says what came of it. */
function keeper({ body }: ScriptedRequest): ScriptedAnswer {
  const { messages } = JSON.parse(body.toString()) as { messages: { role: string; content: string }[] };
  const last = messages.at(-1);
  if (last?.role === "tool") return { text: `It says: ${last.content}` };
  return { text: "", calls: [{ name: "note_write", arguments: { name: "errand", text: last?.content.slice(5) ?? "" } }] };
}

interface Hook {
  readonly text: string;
  readonly events: string;
  /** The digest that the configuration has; the file's own when left out. */
  readonly sha256?: string;
  readonly more?: string;
}

async function open(
  context: TestContext,
  model: ScriptedModel,
  hooks: Readonly<Record<string, Hook>>,
  more = "",
): Promise<ComposedHarness> {
  const folder = await mkdtemp(join(tmpdir(), "troupe-hooks-"));
  context.after(() => rm(folder, { recursive: true, force: true }));
  const lines: string[] = [];
  for (const [name, { text, events, sha256, more: rest = "" }] of Object.entries(hooks)) {
    const file = join(folder, `${name}.js`);
    await writeFile(file, text);
    const digest = sha256 ?? createHash("sha256").update(text).digest("hex");
    lines.push(`  ${name}: { file: ${file}, sha256: "${digest}", events: [${events}]${rest} }`);
  }
  return await openComposed(`
characters: { mirelle: {} }
surfaces: { parlour: { kind: room, port: 0, character: mirelle } }
console: { port: 0 }
models: { hosts: { near: { api: openai, url: "${model.url}", models: ["tiny:8b"] } } }
hooks:
${lines.join("\n")}
${more}`);
}

async function shown(one: ComposedHarness): Promise<string> {
  const { operations } = one.runtime;
  const result = await operations.run("hooks", {}, LOCAL_ACTOR, signal);
  return operations
    .present("hooks", result)
    .lines.map(({ text }) => text)
    .join("\n");
}

const notices = async (one: ComposedHarness): Promise<string> =>
  JSON.stringify(await one.runtime.operations.run("notices", {}, LOCAL_ACTOR, signal));

test("CH-084 CH-089 CH-093 an operator's hook denies a call of the agent, asks about another, and tells the operator; the gateway keeps who did it", async (context) => {
  await using model = await startScriptedModel({ script: keeper });
  const text = `export default (event, { notify, ask_user }) => {
    const { text } = JSON.parse(event.call.arguments);
    if (text.includes("cellar")) { notify("\\u001b[2Jsomebody wrote of the cellar"); return { block: "not the cellar." }; }
    if (text.includes("attic")) ask_user("Is the attic meant?");
  };`;
  await using one = await open(context, model, { watch: { text, events: "before_tool_call" } });
  assert.match(await typeAtTerminal(one, "keep buy oil"), /It says: Kept\./);
  assert.match(
    await typeAtTerminal(one, "keep the cellar is open"),
    /Denied by a hook of the owner \(hook:watch\): not the cellar\. Nobody was asked/,
  );
  // The line waits for its answer; it ends with the runtime.
  const waits = typeAtTerminal(one, "keep the attic is open").catch(() => "ended");
  while (one.runtime.store.read.calls.pending(Date.now()).length === 0) await new Promise((resolve) => setImmediate(resolve));
  const { operations } = one.runtime;
  const card = operations.present("approvals", await operations.run("approvals", { act: "show", id: "1" }, LOCAL_ACTOR, signal));
  assert.match(card.lines.map(({ text: words }) => words).join("\n"), /the rule hook:watch says: Is the attic meant\?/);
  const { calls } = one.runtime.store.read;
  assert.deepEqual(
    calls.decisions(3).map(({ rule, verdict, code }) => `${verdict} ${code} ${rule}`),
    ["ask  hook:watch", "deny hook hook:watch", "allow  matrix"],
  );
  const list = await shown(one);
  assert.match(list, /watch hears before_tool_call \(required\)/);
  assert.match(list, /says: ⟨001B⟩\[2Jsomebody wrote of the cellar/);
  assert.match(await notices(one), /"kind":"hook".*"ids":\["watch"\]/);
  assert.ok(!one.log.some((line) => line.includes("cellar")), "its words stand in no log");
  await operations.run("forget", { person: "room:ann", yes: true }, LOCAL_ACTOR, signal);
  assert.ok(
    !(await shown(one)).includes("cellar"),
    "TR-043 with anybody forgotten goes what hooks said: nobody can tell whose words are in it",
  );
  await one.runtime[Symbol.asyncDispose]();
  await waits;
});

test("CH-084 TR-071 while a required hook cannot be loaded every call is denied and says why; others are left out, and the operator is told once, at the first turn", async (context) => {
  await using model = await startScriptedModel({ script: keeper });
  const cases: Readonly<Record<string, Hook>> = {
    changed: { text: "export default () => null;", events: "before_tool_call", sha256: "0".repeat(64) },
    imports: { text: `import "node:fs"; export default () => null;`, events: "before_tool_call" },
    after: { text: "export default (", events: "after_turn", more: ", required: true" },
  };
  for (const [name, hook] of Object.entries(cases)) {
    await using one = await open(context, model, { [name]: hook });
    assert.ok(!(await notices(one)).includes(`"kind":"hook"`));
    assert.match(
      await typeAtTerminal(one, "keep buy oil", "keep buy salt"),
      new RegExp(`Denied by a hook of the owner \\(hook:${name}\\): it is required and cannot be used`),
    );
    assert.match(await notices(one), new RegExp(`"kind":"hook","count":1.*"ids":\\["${name}"\\]`), "once");
    assert.match(await shown(one), new RegExp(`${name} is not heard \\(required\\): .*\n.*\n.*Every call of a tool is denied until it is`));
    const before = one.runtime.store.read.calls.decisions(10).length;
    const tried = await one.runtime.operations.run("guardrails", { act: "try", tool: "clock_now" }, LOCAL_ACTOR, signal);
    assert.match(JSON.stringify(tried), new RegExp(`"verdict":"deny","rule":"hook:${name}"`));
    assert.equal(one.runtime.store.read.calls.decisions(10).length, before);
  }
  await using open_ = await open(context, model, { late: { text: "export default (", events: "after_turn" } });
  assert.match(await typeAtTerminal(open_, "keep buy oil"), /It says: Kept\./);
  assert.match(await notices(open_), /"ids":\["late"\]/);
  assert.match(await shown(open_), /late is not heard \(not required\): it does not load/);
});

test("CH-079 CH-096 with guardrails.enabled false a hook asks nothing and denies as before; what it presents is shown, through the same gate", async (context) => {
  await using model = await startScriptedModel({ script: keeper });
  const text = `export default (event, act) => {
    if (event.hook === "after_turn") return { present: "SHOWN INSTEAD" };
    act.ask_user("May it?");
    return JSON.parse(event.call.arguments).text.includes("cellar") ? { block: "no cellar" } : null;
  };`;
  const hook = { text, events: "before_tool_call, after_turn" };
  await using one = await open(context, model, { watch: hook }, "guardrails: { enabled: false }");
  assert.match(await typeAtTerminal(one, "keep buy oil"), /SHOWN INSTEAD/);
  assert.equal(one.runtime.store.read.calls.decisions(1)[0]?.verdict, "allow");
  await typeAtTerminal(one, "keep the cellar");
  assert.equal(one.runtime.store.read.calls.decisions(1)[0]?.rule, "hook:watch");
});

test("CH-093 troupe hooks is the owner's alone, and says where there are none", async () => {
  await using one = await openComposed("characters: { mirelle: {} }\nconsole: { port: 0 }\n");
  assert.match(await shown(one), /There are no hooks/);
  await assert.rejects(one.runtime.operations.run("hooks", {}, { ...LOCAL_ACTOR, assurance: "platform" }, signal), { code: "forbidden" });
});
