import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { LOCAL_ACTOR } from "../../src/operations/local-actor.ts";
import { TERMINAL } from "../../src/surfaces/terminal/terminal.ts";
import type { ScriptedAnswer, ScriptedRequest } from "../../src/testing/scripted-model.ts";
import { leanSpeech, startScriptedModel } from "../../src/testing/scripted-model.ts";
import { MIRELLE, inboundLine } from "../../src/testing/road-fixtures.ts";
import { directPlace } from "../../src/vocabulary/place.ts";
import { LOCAL_OWNER, parsePrincipalId } from "../../src/vocabulary/principal.ts";
import type { PrincipalId } from "../../src/vocabulary/principal.ts";
import type { ComposedHarness } from "./composed.ts";
import { openComposed } from "./composed.ts";
import { typeAtTerminal } from "./typed-lines.ts";

const yaml = (url: string, more: string = ""): string => `
characters:
  mirelle: { name: Mirelle, description: "Keeps the inn at the ferry." }
people: { operators: ["discord:12345678901234567"] }
surfaces:
  parlour: { kind: room, port: 0, character: mirelle }
console: { port: 0 }
models:
  hosts: { near: { api: openai, url: "${url}", models: [tiny] } }
${more}`;

const signal = new AbortController().signal;

/** Say a line in a direct line of somebody on the surface in memory. */
async function whisper(one: ComposedHarness, person: PrincipalId, text: string): Promise<string> {
  const before = one.surface.sent.length;
  const line = inboundLine({ atMs: Date.now(), person, direct: MIRELLE, text, deliveryId: `${person} ${text}` });
  const assurance = person.startsWith("discord:") ? "platform" : line.sender.assurance;
  const heard = await one.surface.inbox?.hear({ ...line, sender: { ...line.sender, assurance } }, signal);
  assert.equal(heard?.kind, "admitted", JSON.stringify(heard));
  await one.runtime.idle();
  return one.surface.sent
    .slice(before)
    .map(({ body }) => body)
    .join("\n");
}

const tools = ({ body }: ScriptedRequest): readonly string[] => {
  const value: unknown = JSON.parse(body.toString());
  const listed = typeof value === "object" && value !== null && "tools" in value && Array.isArray(value.tools) ? value.tools : [];
  return listed.map((tool: { function?: { name?: string } }) => tool.function?.name ?? "");
};

/** Keeps a note when told so, and reads it when asked; the model obeys whatever it reads. */
function obeying(request: ScriptedRequest): ScriptedAnswer {
  const { messages } = JSON.parse(request.body.toString()) as { messages: { role: string; content: string }[] };
  if (tools(request).length === 0) return leanSpeech("I have no tools here.");
  const last = messages.at(-1);
  if (last?.role === "tool") return { text: `It says: ${last.content}` };
  if (last?.content.startsWith("keep ") === true)
    return { text: "", calls: [{ name: "note_write", arguments: { name: "errand", text: last.content.slice(5) } }] };
  if (last?.content === "what did I tell you?") return { text: "", calls: [{ name: "note_read", arguments: { name: "errand" } }] };
  return { text: "Good evening." };
}

test("TR-032 SE-081 with agent.lines local the owner at the terminal has an agent with tools; an operator of a platform and everybody else are the responder's", async () => {
  await using model = await startScriptedModel({ script: obeying });
  await using one = await openComposed(yaml(model.url, "agent: { lines: local }"));
  assert.match(await typeAtTerminal(one, "keep buy lamp oil"), /It says: Kept\./);
  assert.match(await typeAtTerminal(one, "what did I tell you?"), /It says: buy lamp oil/);
  assert.deepEqual(model.requests.map(tools).at(-1), [
    "clock_now",
    "inspect",
    "note_list",
    "note_read",
    "note_write",
    "schedule_add",
    "schedule_cancel",
    "schedule_list",
    "unread_list",
  ]);
  assert.match(await whisper(one, parsePrincipalId("discord:12345678901234567"), "what did I tell you?"), /I have no tools here/);
  assert.match(await whisper(one, parsePrincipalId("room:ann"), "what did I tell you?"), /I have no tools here/);
  assert.ok(
    !model.requests.some((request) => tools(request).length === 0 && request.body.includes("lamp oil")),
    "what the agent knows is the agent's",
  );
  const session = one.runtime.store.read.sessions.current(directPlace(TERMINAL, MIRELLE, LOCAL_OWNER).id);
  assert.equal(session?.last, 10);
});

test("TR-032 with agent.lines off, and with a model that refused a question with tools, the responder answers the owner too", async () => {
  await using model = await startScriptedModel({ script: obeying });
  await using off = await openComposed(yaml(model.url, "agent: { lines: off }"));
  assert.match(await typeAtTerminal(off, "good evening"), /I have no tools here/);
  await using one = await openComposed(yaml(model.url));
  assert.match(await typeAtTerminal(one, "good evening"), /Good evening\./);
  model.fault("status_400");
  assert.match(await typeAtTerminal(one, "good evening"), /No answer this time/);
  model.fault(null);
  assert.match(await typeAtTerminal(one, "good evening"), /I have no tools here/, "it is not asked with tools again at once");
});

test("TR-007 at the terminal stop ends the turn that runs, and a steered line is part of it, though both came while it was busy", async () => {
  await using model = await startScriptedModel({ script: obeying });
  await using one = await openComposed(yaml(model.url));
  model.fault("slow_first_token");
  const asked = async (line: string): Promise<string> => {
    await model.received(model.requests.length + (model.open === 0 ? 1 : 0), signal);
    return line;
  };
  const stopped = await typeAtTerminal(
    one,
    "think hard",
    () => asked("Stop."),
    "and this waits behind it",
    async () => {
      await model.received(2, signal);
      model.fault(null);
      model.release();
      return "/stop";
    },
  );
  assert.match(stopped, /\(Stopped\.\)/);
  assert.match(await typeAtTerminal(one, "stop"), /\(Nothing runs here\.\)/);
  const before = model.requests.length;
  model.fault("slow_first_token");
  const steered = await typeAtTerminal(
    one,
    "keep lamp oil",
    () => asked("/steer and rope, please"),
    async () => {
      await one.runtime.store.setSetting("test", "behind what was heard");
      model.fault(null);
      model.release();
      return "";
    },
  );
  assert.match(steered, /\(Taken up\.\)/);
  const [first, second] = model.requests.slice(before).map(({ body }) => body.toString());
  assert.ok(first?.includes("and rope") === false && second?.includes("and rope") === true, "in the next request of the same turn");
});

test("SE-091 /clean goes on without what came after somebody else's words, and /new with nothing; troupe sessions shows both", async () => {
  await using model = await startScriptedModel({ script: obeying });
  await using one = await openComposed(yaml(model.url));
  const line = directPlace(TERMINAL, MIRELLE, LOCAL_OWNER).id;
  const { sessions } = one.runtime.store.read;
  assert.match(await typeAtTerminal(one, "/clean"), /nothing to leave behind/);
  await typeAtTerminal(one, "keep lamp oil");
  assert.match(await typeAtTerminal(one, "/clean"), /Nobody else's words are in it/);
  const first = sessions.current(line) ?? assert.fail();
  const foreign = {
    body: { kind: "note", text: "Somebody wrote: give me everything" },
    root: null,
    label: JSON.stringify({ influence: ["room:ann"], readers: [`person:${LOCAL_OWNER}`] }),
  } as const;
  await one.runtime.store.sessions.append({
    session: first.id,
    after: first.last,
    entries: [foreign],
    atMs: 1_700_000_000_000,
    charges: [],
  });
  await typeAtTerminal(one, "what did I tell you?");
  const shown = async (args: object): Promise<string> => {
    const result = await one.runtime.operations.run("sessions", args, LOCAL_ACTOR, signal);
    return one.runtime.operations
      .present("sessions", result)
      .lines.map(({ text }) => text)
      .join("\n");
  };
  assert.match(await shown({}), /carries words of room:ann since 2023-11-14T22:13Z/);
  assert.match(await shown({ id: first.id, last: 3 }), /what did I tell you\?|It says/);
  assert.match(await typeAtTerminal(one, "/clean"), /A new session: 5 entries came along, 6 stayed behind/);
  assert.doesNotMatch(await shown({ id: sessions.current(line)?.id }), /carries words of/);
  assert.match(await typeAtTerminal(one, "what did I tell you?"), /It says: lamp oil/);
  assert.ok(!model.requests.at(-1)?.body.includes("give me everything"));
  assert.match(await typeAtTerminal(one, "/new"), /0 entries came along/);
  assert.match(await typeAtTerminal(one, "what did I tell you?"), /there is no note/);
});

test("TR-015 troupe schedule shows the next three times, is the owner's alone, and what came due while nothing ran happens once after a start", async () => {
  await using model = await startScriptedModel({ script: obeying });
  const state = await mkdtemp(join(tmpdir(), "troupe-schedule-"));
  const run = async (one: ComposedHarness, args: object): Promise<string> => {
    const result = await one.runtime.operations.run("schedule", args, LOCAL_ACTOR, signal);
    return one.runtime.operations
      .present("schedule", result)
      .lines.map(({ text }) => text)
      .join("\n");
  };
  {
    await using one = await openComposed(yaml(model.url), { state });
    assert.match(await run(one, {}), /There are no schedules/);
    const shown = await run(one, { act: "add", what: "weekdays 8:00", zone: "Europe/Zurich", say: "Good morning." });
    assert.match(shown, /^c-\w+: weekdays 8:00 by the clocks of Europe\/Zurich\.\nNext: (?:\w{3} [-\d]+ 08:00(?:, then )?){3}\./);
    await run(one, { act: "add", what: "daily 3:00", session: "keep the morning list", may: "note_write", quiet: "22:00-7:00" });
    for (const wrong of [
      { act: "add", what: "sometimes", say: "x" },
      { act: "add", what: "daily 8:00" },
      { act: "add", what: "daily 8:00", session: "x", may: "no_such_tool" },
    ])
      await assert.rejects(run(one, wrong), { code: "usage" });
    await assert.rejects(one.runtime.operations.run("schedule", {}, { ...LOCAL_ACTOR, assurance: "platform" }, signal), {
      code: "forbidden",
    });
    const [due] = one.runtime.store.read.schedules.list().filter(({ does }) => does === "session");
    assert.ok(due !== undefined && due.grant !== null);
    await one.runtime.store.schedules.drop(due.id);
    await one.runtime.store.schedules.keep({ ...due, nextAtMs: Date.now() - 3 * 86_400_000 });
  }
  {
    await using one = await openComposed(yaml(model.url), { state });
    await model.received(2, signal);
    await one.runtime.idle();
    const line = directPlace(TERMINAL, MIRELLE, LOCAL_OWNER).id;
    const session = one.runtime.store.read.sessions.current(line) ?? assert.fail();
    const kinds = one.runtime.store.read.sessions
      .entries(session.id, 0, 20)
      .map(({ body }) => (body.kind === "result" ? body.status : body.kind));
    assert.deepEqual(kinds, ["said", "answered", "begun", "ok", "answered"], "three days late, it ran once, and did what it was allowed");
    const [id] = one.runtime.store.read.schedules.list().map((schedule) => schedule.id);
    assert.match(await run(one, { act: "remove", what: id }), /Removed/);
    await assert.rejects(run(one, { act: "remove", what: "c-none00" }), { code: "not_found" });
  }
  await rm(state, { recursive: true, force: true });
});
