import assert from "node:assert/strict";
import { test } from "node:test";
import { ANN, MIRELLE } from "../../src/testing/road-fixtures.ts";
import { LOCAL_OWNER, parsePrincipalId } from "../../src/vocabulary/principal.ts";
import type { VoiceOutcome } from "../../src/vocabulary/reply.ts";
import type { Harness, HarnessOptions } from "./road-harness.ts";
import { RECORD, inFolder, openHarness, says } from "./road-harness.ts";

const QUESTION = { digest: "d1", call: "{}", state: "{}", expiresAtMs: Number.MAX_SAFE_INTEGER };
const halt = (one: Harness): Promise<{ readonly ended: number }> =>
  one.road.halt({ by: LOCAL_OWNER, via: "command", atMs: one.clock.nowMs() });

/** A voice that asks, waits for ever, or answers, as its line says. */
const voice: HarnessOptions["voice"] = (turn, signal): Promise<VoiceOutcome> => {
  if (turn.trigger.text.includes("ask")) return Promise.resolve({ kind: "suspended", question: QUESTION, record: RECORD });
  if (!turn.trigger.text.includes("wait")) return Promise.resolve(says("Aye."));
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("cut")), { once: true }));
};
const withRoad = (work: (one: Harness, folder: string) => Promise<void>): Promise<void> =>
  inFolder(async (folder) => {
    await using one = await openHarness({ folder, voice, policyOfStore: (store) => ({ paused: () => store.read.halted() !== null }) });
    await work(one, folder);
  });

test("TR-073 a halt cuts every turn that runs, drops every line that waits and voids every question; each is told, once", () =>
  withRoad(async (one) => {
    const hear = (deliveryId: string, text: string, person = ANN): Promise<unknown> =>
      one.hear({ deliveryId, text, person, direct: MIRELLE });
    const [ben, cat] = [parsePrincipalId("room:ben"), parsePrincipalId("room:cat")];
    await hear("a", "ask me");
    await one.settle();
    await hear("b", "wait", ben);
    await hear("c", "and this waits behind it", ben);
    await hear("d", "wait", cat);
    await one.settle();
    const before = one.ended.length;
    const { ended } = await halt(one);
    await one.settle();
    assert.deepEqual([ended, one.road.counts()], [4, { waiting: 0, lanes: 0, thinking: 0 }]);
    assert.deepEqual(
      one.ended.slice(before).map(({ end, reason, words }) => `${end} ${reason} ${String(words)}`),
      Array.from({ length: 4 }, () => "cancelled stopped false"),
    );
    assert.deepEqual(one.store.read.counts().inbox, { open: 0, running: 0, suspended: 0 });
    assert.equal(one.store.read.calls.pending(one.clock.nowMs()).length, 0);
    assert.deepEqual(one.store.read.audits(1)[0], {
      atMs: one.clock.nowMs(),
      by: LOCAL_OWNER,
      act: "stop",
      person: null,
      about: "command",
    });
  }));

test("TR-073 while it stands nothing begins, also after a restart, and what an old turn hands in is not taken; rearmed, answers come again", () =>
  inFolder(async (folder) => {
    const policyOfStore: HarnessOptions["policyOfStore"] = (store) => ({ paused: () => store.read.halted() !== null });
    {
      let release = (): void => {};
      const deaf: HarnessOptions["voice"] = () => new Promise((resolve) => (release = () => resolve(says("Too late."))));
      await using one = await openHarness({ folder, voice: deaf, policyOfStore });
      await one.hear({ deliveryId: "a", direct: MIRELLE });
      await one.settle();
      await halt(one);
      release();
      await one.settle();
      assert.deepEqual(one.surface.sent, [], "a voice that does not heed its signal says nothing");
    }
    await using one = await openHarness({ folder, voice, policyOfStore });
    const heard = await one.hear({ deliveryId: "b", direct: MIRELLE });
    assert.equal(heard.kind === "suppressed" && heard.reason, "stopped");
    assert.deepEqual(
      [await one.store.rearm({ by: LOCAL_OWNER, atMs: 1 }), await one.store.rearm({ by: LOCAL_OWNER, atMs: 1 })],
      [{ rearmed: true }, { rearmed: false }],
    );
    await one.hear({ deliveryId: "c", direct: MIRELLE });
    await one.settle();
    assert.deepEqual(
      one.surface.sent.map(({ body }) => body),
      ["Aye."],
    );
  }));

test("TR-073 while it stands a command and an answer are refused like talk, before anything of them is done or kept", () =>
  inFolder(async (folder) => {
    const policyOfStore: HarnessOptions["policyOfStore"] = (store) => ({ halted: () => store.read.halted() !== null });
    const ran: string[] = [];
    const noting: HarnessOptions["voice"] = (turn) => {
      ran.push(turn.trigger.text);
      return Promise.resolve(says("Done."));
    };
    await using one = await openHarness({ folder, voice: noting, policyOfStore, operators: [ANN] });
    await halt(one);
    for (const [at, text] of ["/about", "allow 1", "good evening"].entries()) {
      const heard = await one.hear({ deliveryId: `h${at}`, direct: MIRELLE, person: ANN, text });
      assert.equal(heard.kind === "suppressed" && heard.reason, "stopped", text);
    }
    await one.settle();
    assert.deepEqual([ran, one.surface.sent], [[], []]);
    await one.store.rearm({ by: LOCAL_OWNER, atMs: 1 });
    await one.hear({ deliveryId: "after", direct: MIRELLE, person: ANN, text: "/about" });
    await one.settle();
    assert.deepEqual(ran, ["/about"]);
  }));

test("TR-073 a line that was let in a moment before the halt begins no turn", () =>
  withRoad(async (one) => {
    const ben = parsePrincipalId("room:ben");
    const [, heard, waits] = await Promise.all([
      halt(one),
      one.hear({ deliveryId: "a", direct: MIRELLE }),
      one.hear({ deliveryId: "b", direct: MIRELLE, person: ben, text: "wait" }),
    ]);
    await one.settle();
    assert.deepEqual([heard.kind, waits.kind], ["admitted", "admitted"]);
    assert.deepEqual([one.surface.sent, one.road.counts().thinking], [[], 0]);
  }));
