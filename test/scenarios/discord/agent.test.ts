import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { LOCAL_ACTOR } from "../../../src/operations/local-actor.ts";
import { directPlace } from "../../../src/vocabulary/place.ts";
import { parseCharacterId, parseSessionId, parseSurfaceName } from "../../../src/vocabulary/ids.ts";
import { LOCAL_OWNER, parsePrincipalId } from "../../../src/vocabulary/principal.ts";
import { AgentTown, toolsIn } from "./agent-town.ts";

const NOT_YOURS = /nothing here that you can do/;

let one: AgentTown;

before(async () => {
  one = await AgentTown.open({
    faster: 4,
    before(scene) {
      scene.keys = `allow: ["discord:${scene.ben.id}"]`;
    },
  });
});
after(() => one[Symbol.asyncDispose]());

const lastTools = (): readonly string[] => toolsIn(one.town.model.requests.at(-1) ?? assert.fail());

test("TR-032 SE-081 an operator's private line on Discord has the agent that the terminal has; others' and public lines have none", async () => {
  const { town } = one;
  assert.match(await one.ask("keep buy lamp oil", /It says/), /It says: Kept\./);
  assert.match(await one.ask("what did I tell you?", /It says/), /It says: buy lamp oil/);
  for (const name of ["clock_now", "note_list", "note_read", "note_write"]) assert.ok(lastTools().includes(name), name);
  assert.match(await one.ask("what did I tell you?", /./, town.ben), /no tools here/);
  const before = town.discord.postedIn(town.tavern).length;
  town.discord.say(town.ann, town.tavern, `${town.mark} what did I tell you?`);
  await town.until(() => town.discord.postedIn(town.tavern).length > before);
  assert.match(town.discord.postedIn(town.tavern).at(-1) ?? "", /no tools here/);
  const without = town.model.requests.filter((request) => toolsIn(request).length === 0);
  assert.deepEqual([without.length, without.some(({ body }) => body.includes("lamp oil"))], [2, false], "what it knows stays with it");
});

test("TR-032 with agent.lines local the agent is at the own machine alone, from the next message on", async () => {
  const { town } = one;
  await town.rewrite({ keys: `allow: ["discord:${town.ben.id}"]`, lines: "agent: { lines: local }" });
  assert.match(await one.ask("good evening", /./), /no tools here/);
  await town.rewrite({ keys: `allow: ["discord:${town.ben.id}"]` });
  assert.match(await one.ask("good evening", /./), /Good evening\./);
});

test("TR-007 stop, steer and cut reach the turn that runs in a private line on Discord, and a line behind it waits for its turn", async () => {
  const { town } = one;
  const { model } = town;
  const signal = AbortSignal.timeout(10_000);
  const slow = async (words: string): Promise<number> => {
    model.fault("slow_first_token");
    const [posts, requests] = [one.said().length, model.requests.length];
    town.discord.direct(town.ann, words);
    await model.received(requests + 1, signal);
    return posts;
  };
  const go = (): void => {
    model.fault(null);
    model.release();
  };
  const stopped = await slow("think hard");
  town.discord.direct(town.ann, "and this waits behind it");
  town.discord.direct(town.ann, "Stop.");
  await town.until(() => /\(Stopped\.\)/.test(one.said().slice(stopped).join("\n")));
  go();
  assert.match(await one.heard(/Good evening/, { before: stopped }), /\(Stopped\.\)[\s\S]*Good evening/);
  assert.match(await one.ask("stop", /\(/), /\(Nothing runs here\.\)/);
  for (const [order, word] of [
    ["/steer and hemp, please", "and hemp"],
    ["/cut no: twine, please", "twine"],
  ] as const) {
    const from = model.requests.length;
    const before = await slow("keep lamp oil");
    town.discord.direct(town.ann, order);
    const place = one.session()?.place ?? assert.fail();
    await town.until(() => town.runtime.store.read.events(place, 5).some(({ text }) => text === order));
    go();
    await one.heard(/\(Taken up\.\)/, { before });
    const bodies = model.requests.slice(from).map(({ body }) => body.toString());
    assert.deepEqual([bodies[0]?.includes(word), bodies.at(-1)?.includes(word)], [false, true], order);
  }
});

test("SE-091 /clean and /new renew the session of a private line on Discord, and /sessions shows its person's own and no other's", async () => {
  const { town } = one;
  await one.ask("/new", /came along/);
  await one.ask("keep lamp oil", /Kept/);
  assert.match(await one.ask("/clean", /\(/), /Nobody else's words are in it/);
  await one.read("Somebody wrote: give me everything", parsePrincipalId("room:m-1"));
  const owners = directPlace(parseSurfaceName("terminal"), parseCharacterId("mirelle"), LOCAL_OWNER);
  const others = { id: parseSessionId("s-0wner"), character: parseCharacterId("mirelle"), place: owners.id, person: LOCAL_OWNER };
  await town.runtime.store.sessions.open({ ...others, atMs: town.clock.nowMs() });
  const listed = await one.ask("/sessions", /whose/);
  assert.match(listed, /carries words of room:m-1/);
  assert.doesNotMatch(listed, /local:owner|s-0wner/);
  assert.match(await one.ask("/sessions s-0wner", /./), /Cannot find that session/);
  assert.match(await one.ask("/clean", /\(/), /A new session: \d+ entries came along, 1 stayed behind/);
  const { id } = one.session() ?? assert.fail();
  assert.doesNotMatch(await one.ask(`/sessions ${id}`, /whose/), /carries words of/);
  assert.match(await one.ask("/new", /\(/), /A new session: 0 entries came along/);
});

test("TR-073 SE-081 /halt on an operator's private line, by word or by menu, stops everything and is told; nobody else's does, and only the own machine undoes it", async () => {
  const { town } = one;
  const signal = AbortSignal.timeout(10_000);
  const rearm = (): Promise<unknown> => town.runtime.operations.run("rearm", {}, LOCAL_ACTOR, signal);
  const menu = async (user: typeof town.ann): Promise<string> => {
    const asked = town.discord.interact(user, one.line(user), { kind: "command", name: "halt" });
    await town.until(() => (asked.shown[0]?.content ?? "") !== "");
    return asked.shown[0]?.content ?? "";
  };
  assert.match(await one.ask("/halt", /./, town.ben), /no tools here/, "to others it is talk");
  assert.match(await menu(town.ben), NOT_YOURS);
  assert.equal(town.runtime.store.read.halted(), null);
  town.model.fault("slow_first_token");
  const [before, requests] = [one.said().length, town.model.requests.length];
  town.discord.direct(town.ann, "think hard");
  await town.model.received(requests + 1, signal);
  town.discord.direct(town.ann, "/halt");
  await one.heard(/Halted: 2 messages/, { before });
  town.model.fault(null);
  town.model.release();
  assert.notEqual(town.runtime.store.read.halted(), null);
  assert.match(await one.ask("/sessions", /whose/), /in use/, "what it did can be looked at meanwhile");
  assert.equal(one.said().filter((words) => words.includes("Halted")).length, 1);
  await rearm();
  assert.match(await menu(town.ann), /Halted/);
  await rearm();
  assert.match(await one.ask("good evening", /./), /Good evening\./);
  const by = town.runtime.store.read.audits(4).map(({ act, by: whose }) => `${act} ${whose}`);
  assert.deepEqual(by, [
    `rearm ${LOCAL_OWNER}`,
    `stop ${one.principal(town.ann)}`,
    `rearm ${LOCAL_OWNER}`,
    `stop ${one.principal(town.ann)}`,
  ]);
});
