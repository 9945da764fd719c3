import assert from "node:assert/strict";
import { test } from "node:test";
import type { Harness, HarnessOptions } from "./road-harness.ts";
import { MemorySurface, inFolder, openHarness, says } from "./road-harness.ts";
import { sha256Hex } from "../../src/foundation/ids.ts";
import { ANN, PARLOUR } from "../../src/testing/road-fixtures.ts";
import { parseInviteId } from "../../src/vocabulary/ids.ts";
import type { PauseQuestion } from "../../src/vocabulary/pause.ts";
import { publicPlace } from "../../src/vocabulary/place.ts";
import { LOCAL_OWNER } from "../../src/vocabulary/principal.ts";

/** A first line thinks until `go`; a second one of Ann waits behind it. */
async function waiting(
  folder: string,
  between: (one: Harness) => Promise<void>,
  policy: HarnessOptions["policy"] = {},
  surface: MemorySurface = new MemorySurface(),
): Promise<{ asked: string[]; typed: boolean[] }> {
  const asked: string[] = [];
  const go = Promise.withResolvers<void>();
  await using one = await openHarness({
    folder,
    surface,
    policy,
    voice: async (turn) => {
      asked.push(turn.trigger.text);
      await go.promise;
      return says("aye");
    },
  });
  await one.hear({ deliveryId: "1", text: "Mirelle, first" });
  await one.hear({ deliveryId: "2", text: "Mirelle, zebrawords" });
  await one.settle();
  await between(one);
  go.resolve();
  await one.pass(5_000);
  return { asked, typed: one.surface.typed };
}

test("TR-043 a line that waits while its writer is forgotten is not sent to a model afterwards", () =>
  inFolder(async (folder) => {
    const { asked } = await waiting(
      folder,
      async (one) => void (await one.store.forget({ person: ANN, atMs: one.clock.nowMs(), request: null })),
    );
    assert.deepEqual(asked, ["Mirelle, first"]);
  }));

test("SE-094 TR-015 a line that waits while its writer is blocked gets no typing and no call", () =>
  inFolder(async (folder) => {
    const { asked, typed } = await waiting(folder, (one) => one.store.setTrust({ person: ANN, role: "blocked", by: ANN, atMs: 0 }));
    assert.deepEqual([asked, typed], [["Mirelle, first"], [true, false]]);
  }));

test("TR-082 a line that waits when its talk is paused ends as cancelled, and what is being answered is finished", () =>
  inFolder(async (folder) => {
    let paused = false;
    const { asked } = await waiting(folder, (one) => ((paused = true), one.settle()), { paused: () => paused });
    assert.deepEqual(asked, ["Mirelle, first"]);
  }));

test("TR-082 a pause reaches what lies in its place: a line that waits there, and one that comes", () =>
  inFolder(async (folder) => {
    let paused = false;
    const surface = Object.assign(new MemorySurface(), { within: () => ["12", "11"] });
    const kinds: string[] = [];
    const isPaused = ({ within }: PauseQuestion): boolean => paused && within.includes("11");
    const { asked } = await waiting(
      folder,
      async (one) => {
        paused = true;
        for (const within of [["13"], ["12", "11"]])
          kinds.push((await one.hear({ deliveryId: within.join(), text: "Mirelle, and now?", within })).kind);
      },
      { paused: isPaused },
      surface,
    );
    assert.deepEqual(kinds, ["admitted", "suppressed"]);
    assert.deepEqual(asked, ["Mirelle, first"]);
  }));

test("TR-091 TR-094 a line that waits when its writer asks not to be heard, or their invite ends, gets no call", () =>
  inFolder(async (folder) => {
    let optedOut = false;
    const wish = await waiting(folder, (one) => ((optedOut = true), one.settle()), { optedOut: () => optedOut });
    assert.deepEqual(wish.asked, ["Mirelle, first"]);
  }).then(() =>
    inFolder(async (folder) => {
      const revoked = await waiting(folder, async (one) => {
        const row = { surface: PARLOUR, codeHash: sha256Hex("code"), atMs: 0, name: "Ann", foldedName: "ann" };
        const id = parseInviteId("i-0001");
        await one.store.keepInvite({ ...row, id, by: LOCAL_OWNER, expiresAtMs: one.clock.nowMs() + 3_600_000 });
        await one.store.redeemInvite({ ...row, member: ANN, claimHash: sha256Hex("claim"), secretHash: sha256Hex("secret") });
        await one.store.revokeInvite({ id, by: LOCAL_OWNER, atMs: 1 });
      });
      assert.deepEqual(revoked, { asked: ["Mirelle, first"], typed: [true, false] });
    }),
  ));

test("SE-094 TR-015 a blocked person's line of an earlier process is not answered by the next one", () =>
  inFolder(async (folder) => {
    {
      await using one = await openHarness({
        folder,
        voice: (_turn, signal) => new Promise((_, no) => signal.addEventListener("abort", () => no(signal.reason))),
      });
      await one.hear({ deliveryId: "1", text: "Mirelle, first" });
      await one.settle();
      await one.store.setTrust({ person: ANN, role: "blocked", by: ANN, atMs: 0 });
    }
    await using two = await openHarness({ folder, voice: () => Promise.resolve(says("aye")) });
    await two.pass(2_000);
    assert.deepEqual(
      two.surface.sent.map(({ body }) => body),
      [],
    );
    void publicPlace(PARLOUR);
  }));

/** A reply of two parts whose line is taken away once its answer is kept (`answer`), or while its first part leaves (`part`). */
async function takenAway(
  folder: string,
  when: "answer" | "part" | "never",
): Promise<{ sent: number; parts: readonly string[] | undefined; state: string | undefined }> {
  const surface = new MemorySurface();
  const remove = (): void => surface.inbox?.removed?.(PARLOUR, "1");
  if (when === "part") {
    surface.outcome = (part) => {
      remove();
      return Promise.resolve({ kind: "delivered", platformId: part.id });
    };
  }
  await using one = await openHarness({
    folder,
    surface,
    voice: () => Promise.resolve(says("word ".repeat(300))),
    ledger: (real) => ({
      ...real,
      async answer(row) {
        const result = await real.answer(row);
        if (when === "answer") remove();
        return result;
      },
    }),
  });
  await one.hear({ deliveryId: "1", text: "Mirelle, tell me" });
  await one.pass(20_000);
  const event = one.store.read.events(publicPlace(PARLOUR).id, 10).find(({ author }) => author.kind === "character");
  const id = one.store.read.delivered(PARLOUR, "1");
  const parts = id === null ? undefined : one.store.read.explain(id)?.parts.map(({ state }) => state);
  return { sent: surface.sent.length, parts, state: event?.state };
}

test("TR-081 cases A13 what has not left when its line is taken away never does, also once the answer is kept", async () => {
  assert.deepEqual(await inFolder((folder) => takenAway(folder, "never")), { sent: 2, parts: ["delivered", "delivered"], state: "said" });
  assert.deepEqual(await inFolder((folder) => takenAway(folder, "answer")), {
    sent: 0,
    parts: ["cancelled", "cancelled"],
    state: "unsaid",
  });
  assert.deepEqual(await inFolder((folder) => takenAway(folder, "part")), { sent: 1, parts: ["delivered", "cancelled"], state: "said" });
});
