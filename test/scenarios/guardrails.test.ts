import assert from "node:assert/strict";
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { LOCAL_ACTOR } from "../../src/operations/local-actor.ts";
import type { ScriptedAnswer, ScriptedRequest } from "../../src/testing/scripted-model.ts";
import { startScriptedModel } from "../../src/testing/scripted-model.ts";
import type { ComposedHarness } from "./composed.ts";
import { openComposed } from "./composed.ts";
import { typeAtTerminal } from "./typed-lines.ts";

const signal = new AbortController().signal;

const yaml = (url: string): string => `
characters: { mirelle: {} }
surfaces: { parlour: { kind: room, port: 0, character: mirelle } }
console: { port: 0 }
models: { hosts: { near: { api: openai, url: "${url}", models: ["tiny:8b"] } } }
`;

/** Keeps what follows "keep " as a note, and says what came of it. */
function keeper({ body }: ScriptedRequest): ScriptedAnswer {
  const { messages } = JSON.parse(body.toString()) as { messages: { role: string; content: string }[] };
  const last = messages.at(-1);
  if (last?.role === "tool") return { text: `It says: ${last.content}` };
  return { text: "", calls: [{ name: "note_write", arguments: { name: "errand", text: last?.content.slice(5) ?? "" } }] };
}

async function guardrails(one: ComposedHarness, args: Record<string, unknown>): Promise<string> {
  const { operations } = one.runtime;
  const result = await operations.run("guardrails", args, LOCAL_ACTOR, signal);
  return operations
    .present("guardrails", result)
    .lines.map(({ text }) => text)
    .join("\n");
}

test("CH-074 CH-078 CH-080 an operator's rule denies the agent's call from the next call after it was written, and what it says reaches the model", async () => {
  await using model = await startScriptedModel({ script: keeper });
  await using one = await openComposed(yaml(model.url));
  assert.match(await typeAtTerminal(one, "keep the cellar is open"), /It says: Kept\./);
  assert.match(await guardrails(one, {}), /There are no rules beside those of the code/);
  await appendFile(
    join(one.folder, "troupe.yaml"),
    `guardrails:
  rules:
    no-cellar:
      tool: [note_write]
      arguments: { text: "(?i)cellar" }
      verdict: deny
      reason: The cellar is nobody's business.
    later: { tool: [fly], modes: [strict], verdict: ask, reason: Birds only. }
`,
  );
  const shown = await typeAtTerminal(one, "keep the CELLAR key hangs left");
  assert.match(shown, /It says: .*Denied by a rule of the owner \(rule:no-cellar\): The cellar is nobody's business\. Nobody was asked/);
  assert.match(await typeAtTerminal(one, "keep buy oil"), /It says: Kept\./);
  const list = await guardrails(one, {});
  assert.match(list, /troupe\.yaml, mode auto/);
  assert.match(list, /no-cellar +deny +votes +line 8 +note_write/);
  assert.match(list, /later +ask +does not vote +line 13 +no tool there is/);
  const before = one.runtime.store.read.calls.decisions(100).length;
  const tried = await guardrails(one, { act: "try", tool: "note_write", call: `{"name":"x","text":"cellar"}` });
  assert.match(tried, /It would be denied, by the rule rule:no-cellar\. Nothing was run\./);
  assert.match(
    await guardrails(one, { act: "try", tool: "note_write", call: `{"name":"x","text":"oil"}` }),
    /It would run at once, by the rule matrix/,
  );
  assert.match(
    await guardrails(one, { act: "try", tool: "note_write", call: `{"name":"x","text":"oil"}`, others: true }),
    /You would be asked, by the rule influence/,
  );
  assert.match(await guardrails(one, { act: "try", tool: "fly" }), /It would be denied, by the rule schema/);
  assert.equal(one.runtime.store.read.calls.decisions(100).length, before, "nothing of a try is kept");
  await appendFile(join(one.folder, "troupe.yaml"), "    broken: { verdict: deny }\n");
  assert.match(await typeAtTerminal(one, "keep buy salt"), /the rules over calls in the configuration cannot be used/);
  assert.match(await guardrails(one, {}), /Every call is denied: .*See: troupe check/);
});

test("CH-074 troupe guardrails is the owner's alone, and takes only what it can try", async () => {
  await using model = await startScriptedModel({ script: keeper });
  await using one = await openComposed(yaml(model.url));
  const { operations } = one.runtime;
  const asked = (args: Record<string, unknown>, actor = LOCAL_ACTOR): Promise<unknown> => operations.run("guardrails", args, actor, signal);
  for (const actor of [
    { ...LOCAL_ACTOR, role: "trusted" },
    { ...LOCAL_ACTOR, assurance: "platform" },
    { ...LOCAL_ACTOR, channel: "public" },
  ] as const)
    await assert.rejects(asked({}, actor), { code: "forbidden" });
  await assert.rejects(asked({ act: "try" }), /name the tool/);
  await assert.rejects(asked({ tool: "note_write" }), /write try before it/);
  await assert.rejects(asked({ act: "run" }), { code: "usage" });
});
