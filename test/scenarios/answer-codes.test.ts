import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ANSWER_CODE } from "../../src/vocabulary/calls/answer-code.ts";
import type { PrincipalId } from "../../src/vocabulary/principal.ts";
import { parsePrincipalId } from "../../src/vocabulary/principal.ts";
import { AVATAR, ApprovalBench } from "./approval-bench.ts";
import type { Harness } from "./road-harness.ts";
import { inFolder } from "./road-harness.ts";

const OTHER: PrincipalId = parsePrincipalId("grid:osgrid:6f3c0000-0000-4000-8000-000000000002");

const onLine = (work: (bench: ApprovalBench, one: Harness, folder: string) => Promise<void>): Promise<void> =>
  inFolder(async (folder) => {
    const bench = new ApprovalBench("change");
    await using one = await bench.open(folder);
    await work(bench, one, folder);
  });

const bodies = (one: Harness): readonly string[] => one.surface.sent.map(({ body }) => body);
const last = (one: Harness): string => bodies(one).at(-1) ?? "";
const codeOf = (one: Harness): string =>
  /allow \d+ ([0-9A-Z]{8}) \(/.exec(bodies(one).findLast((body) => body.startsWith("Only with")) ?? "")?.[1] ?? "";
const waiting = (one: Harness): number => one.store.read.calls.pending(one.clock.nowMs()).length;

test("SE-081 on a line that only a transport vouches for each change is asked with a code, and runs once, with the code from that id alone", () =>
  onLine(async (bench, one, folder) => {
    await bench.say("milk", AVATAR);
    const code = codeOf(one);
    assert.equal(code.length, ANSWER_CODE.letters, bodies(one).join("\n"));
    assert.match(bodies(one).join("\n"), /could have written it/);
    await bench.say("allow 1", AVATAR);
    assert.match(last(one), /with its code alone/);
    await bench.say("yes", AVATAR);
    assert.match(last(one), /with its code alone/);
    await bench.say(`allow 1 ${code}`, OTHER, "relayed");
    await bench.say(`allow 1 ${code}`, AVATAR, "anonymous");
    assert.deepEqual([bench.ran, waiting(one)], [[], 1]);
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const before = one.store.read
      .events(one.surface.sent[0]?.place.id ?? assert.fail(), 20)
      .filter(({ author }) => author.kind === "character");
    assert.ok(files.length > 0 && !JSON.stringify(before).includes(code), "what is kept of the card is without it");
    await bench.say(`Allow 1 ${code.slice(0, 4).toLowerCase()}-${code.slice(4).toLowerCase()}`, AVATAR);
    assert.deepEqual([bench.ran, last(one)], [["milk"], "written"]);
    await bench.say(`allow 1 ${code}`, AVATAR);
    assert.deepEqual([bench.ran, last(one)], [["milk"], "That question waits no more."]);
  }));

test("SE-081 the third wrong code is the last try, the right one behind it counts no more, and tries are counted for one question alone", () =>
  onLine(async (bench, one) => {
    await bench.say("milk", AVATAR);
    const code = codeOf(one);
    await bench.say("bread", AVATAR);
    const second = codeOf(one);
    assert.notEqual(code, second);
    await bench.say(`allow 1 ${second}`, AVATAR);
    assert.match(last(one), /not its code/, "another question's");
    for (const wrong of ["22222222", "33333333"]) {
      await bench.say(`allow 1 ${wrong}`, AVATAR);
      assert.match(last(one), /not its code/);
    }
    await bench.say(`allow 1 ${code}`, AVATAR);
    assert.match(last(one), /counts no more/);
    assert.deepEqual(bench.ran, []);
    await bench.say(`allow 2 ${second}`, AVATAR);
    assert.deepEqual(bench.ran, ["bread"]);
    await bench.say("deny 1", AVATAR);
    assert.deepEqual([bench.ran, waiting(one)], [["bread"], 0], "to say no one needs no code");
  }));

test("SE-081 a code counts five minutes, and its question waits no longer", () =>
  onLine(async (bench, one) => {
    await bench.say("milk", AVATAR);
    const code = codeOf(one);
    await one.clock.leap(ANSWER_CODE.forMs);
    await bench.say(`allow 1 ${code}`, AVATAR);
    assert.deepEqual([bench.ran, last(one)], [[], "That question waits no more."]);
    await one.clock.advance(60_000);
    await one.settle();
    assert.equal(waiting(one), 0);
  }));

test("SE-081 TR-042 a code is of one start of the process: after a restart it opens nothing, also when tries were made before", () =>
  inFolder(async (folder) => {
    const bench = new ApprovalBench("change");
    let code = "";
    {
      await using one = await bench.open(folder);
      await bench.say("milk", AVATAR);
      code = codeOf(one);
      await bench.say("allow 1 22222222", AVATAR);
    }
    await using one = await bench.open(folder);
    assert.equal(waiting(one), 1);
    await bench.say(`allow 1 ${code}`, AVATAR);
    assert.match(last(one), /counts no more/);
    assert.deepEqual(bench.ran, []);
  }));

test("SE-081 what is not offered to such a line is denied, not asked, and no other line is asked for a code", () =>
  inFolder(async (folder) => {
    for (const capability of ["session", "processes"] as const) {
      const bench = new ApprovalBench(capability);
      await using one = await bench.open(join(folder, capability));
      await bench.say("milk", AVATAR);
      assert.deepEqual([bench.ran, waiting(one)], [[], 0], capability);
    }
    const bench = new ApprovalBench("change");
    await using one = await bench.open(join(folder, "own"));
    await bench.say("milk");
    assert.ok(!bodies(one).join("\n").includes("Only with this code"));
    await bench.say("allow 1 22222222");
    assert.deepEqual([bench.ran, last(one)], [[], "That was not offered with this question."]);
    await bench.say("allow 1");
    assert.deepEqual(bench.ran, ["milk"]);
  }));
