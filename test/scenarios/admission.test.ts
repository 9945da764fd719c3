import assert from "node:assert/strict";
import { test } from "node:test";
import { RuntimeError } from "../../src/foundation/errors.ts";
import { ANN, MIRELLE, TOBIAS, inboundLine } from "../../src/testing/road-fixtures.ts";
import { SUPPRESS_REASONS } from "../../src/vocabulary/inbound.ts";
import type { SuppressReason } from "../../src/vocabulary/inbound.ts";
import { outcomeOfSuppression } from "../../src/vocabulary/person-outcome.ts";
import { directPlace, publicPlace } from "../../src/vocabulary/place.ts";
import { parsePrincipalId } from "../../src/vocabulary/principal.ts";
import type { VoiceOutcome } from "../../src/vocabulary/reply.ts";
import type { Turn } from "../../src/vocabulary/turn.ts";
import type { Harness, HarnessOptions } from "./road-harness.ts";
import { MemorySurface, RECORD, inFolder, openHarness, says } from "./road-harness.ts";

type Line = Parameters<typeof inboundLine>[0];
const BEN = parsePrincipalId("room:ben");
const PLACE = publicPlace(inboundLine().surface);
const LONG = "The ferry leaves at nine, and not before the fog is gone.";
const answers = (): Promise<ReturnType<typeof says>> => Promise.resolve(says(LONG));

/** Run `work` on a fresh road. */
function onRoad(options: Partial<HarnessOptions>, work: (one: Harness) => Promise<void>): Promise<void> {
  return inFolder(async (folder) => {
    await using one = await openHarness({ folder, voice: answers, ...options });
    await work(one);
  });
}

interface Case {
  readonly options?: Partial<HarnessOptions>;
  readonly before?: (one: Harness) => Promise<unknown>;
  readonly line: Line;
  /** Gate, rule and key that the decision names; null for a copy, of which nothing is noted. */
  readonly told: string | null;
}

const block = (one: Harness): Promise<void> => one.store.setTrust({ person: ANN, role: "blocked", by: ANN, atMs: 0 });
const never = {
  voice: (_turn: unknown, signal: AbortSignal): Promise<never> =>
    new Promise((_, reject) => signal.addEventListener("abort", () => reject(new RuntimeError("aborted", "Cannot go on: stopping")))),
};

/** One small input for each reason. A new reason does not compile without a line here (TR-004). */
const TABLE: Readonly<Record<SuppressReason, Case>> = {
  self: { line: { kind: "self" }, told: "sender self " },
  object: { line: { kind: "object" }, told: "sender object " },
  system: { line: { kind: "system" }, told: "sender system " },
  muted: { line: { unheard: "muted" }, told: "sender muted " },
  typing: { line: { unheard: "typing", text: "" }, told: "sender typing " },
  group: { line: { unheard: "group" }, told: "sender group " },
  blocked: { before: block, line: {}, told: "authority blocked trust" },
  malformed: { line: { text: "\0" }, told: "normalise malformed " },
  oversized: { options: { limits: { messageBytes: 256 } }, line: { text: "x".repeat(257) }, told: "normalise oversized " },
  duplicate: { before: (one) => one.hear({ deliveryId: "again" }), line: { deliveryId: "again" }, told: null },
  reflection: {
    before: async (one) => {
      await one.hear({ deliveryId: "first" });
      await one.settle();
    },
    line: { kind: "self", text: `*${LONG.toUpperCase()}*` },
    told: "sender own_words ",
  },
  ambient: { line: { text: "what a fog" }, told: "addressed nobody_named surfaces.parlour.admission" },
  untrusted: { options: { mode: "trusted" }, line: {}, told: "admission trusted surfaces.parlour.admission" },
  bot: { line: { kind: "bot" }, told: "sender bot surfaces.parlour.bots" },
  loop: {
    options: { space: { bots: "all", rounds: 1 } },
    before: (one) => one.hear({ kind: "bot", deliveryId: "round" }),
    line: { kind: "bot" },
    told: "loop rounds loops.rounds",
  },
  budget: {
    options: { budgets: { callsPerDayPerPerson: 1 } },
    before: (one) => one.hear({ deliveryId: "paid" }),
    line: {},
    told: "budget person budgets.calls_per_day_per_person",
  },
  overflow: {
    options: { ...never, limits: { ingress: 1, queuedPerLane: 1 } },
    before: async (one) => {
      for (const deliveryId of ["runs", "waits", "more", "still more"]) await one.hear({ deliveryId });
    },
    line: {},
    told: "lane full limits.queued_per_lane",
  },
  silent_space: { options: { mode: "silent" }, line: {}, told: "admission silent surfaces.parlour.admission" },
  stale: { line: { saidAtMs: 1_800_000_000_000 - 13 * 60_000 }, told: "age too_old " },
  stopped: { options: { policy: { paused: () => true } }, line: {}, told: "switch paused " },
};

for (const reason of SUPPRESS_REASONS) {
  test(`TR-004 TR-003 MC-015 MC-016 MC-017 cases A10 ${reason}: reached by a small input, told with its gate, rule and key, and it reaches no model`, () => {
    let calls = 0;
    const { options = {}, before, line, told } = TABLE[reason];
    const voice = options.voice ?? answers;
    return onRoad({ ...options, voice: (...run) => ((calls += 1), voice(...run)) }, async (one) => {
      await before?.(one);
      await one.settle();
      const earlier = calls;
      const heard = await one.hear({ deliveryId: "judged", ...line });
      await one.settle();
      assert.deepEqual([heard.kind, heard.kind === "suppressed" ? heard.reason : ""], ["suppressed", reason]);
      assert.equal(calls, earlier, "no model");
      if (told === null) return;
      const { gate, rule, key } = one.store.read.explain(heard.id)?.decision ?? assert.fail("no decision");
      assert.equal(`${gate} ${rule} ${key}`, told);
      assert.equal(one.suppressed.at(-1), reason);
    });
  });
}

test("TR-004 the gates stand in one order: whatever stops first hides what would stop after it", () =>
  onRoad(
    {
      mode: "trusted",
      limits: { messageBytes: 256 },
      budgets: { callsPerDayPerPerson: 0 },
      policy: { paused: () => true },
    },
    async (one) => {
      const bad = { saidAtMs: 0, text: "x".repeat(300) };
      const judged = async (line: Line): Promise<string> => {
        const heard = await one.hear({ deliveryId: `d-${one.issued.length}`, ...line });
        return heard.kind === "suppressed" ? heard.reason : heard.kind;
      };
      assert.equal(await judged({ ...bad, unheard: "muted", kind: "bot" }), "muted");
      assert.equal(await judged({ ...bad, kind: "bot" }), "oversized");
      assert.equal(await judged({ saidAtMs: 0, kind: "bot", text: "fog" }), "bot");
      assert.equal(await judged({ saidAtMs: 0, text: "fog" }), "ambient");
      assert.equal(await judged({ saidAtMs: 0 }), "untrusted");
      await one.store.setTrust({ person: ANN, role: "trusted", by: ANN, atMs: 0 });
      // A member of a room is a guest whatever the list says (SE-087), so a trusted one has another account.
      const trusted = parsePrincipalId("discord:1");
      await one.store.setTrust({ person: trusted, role: "trusted", by: ANN, atMs: 0 });
      assert.equal(await judged({ saidAtMs: 0, person: trusted }), "stale");
      assert.equal(await judged({ person: trusted }), "stopped");
    },
  ));

test("TR-082 paused talk is not answered and told as resting, whoever wrote it; another place, another character and a command go on", () =>
  onRoad({ policy: { paused: ({ place, character }) => place === PLACE.id && character === MIRELLE } }, async (one) => {
    const heard = await one.hear({ deliveryId: "paused" });
    assert.deepEqual([heard.kind, heard.kind === "suppressed" ? heard.reason : ""], ["suppressed", "stopped"]);
    const { gate, rule } = one.store.read.explain(heard.id)?.decision ?? assert.fail("no decision");
    assert.deepEqual([gate, rule], ["switch", "paused"]);
    const others: readonly Line[] = [{ text: "Mirelle, /privacy" }, { direct: MIRELLE }, { text: "Tobias, good evening" }];
    for (const [at, line] of others.entries()) assert.equal((await one.hear({ deliveryId: `other-${at}`, ...line })).kind, "admitted");
    await one.settle();
  }));

test("SE-094 a blocked person who calls a character and an unaddressed one look the same: surface calls, outcomes, rows and their bytes", async () => {
  const seen: unknown[] = [];
  for (const blocked of [true, false]) {
    await onRoad({}, async (one) => {
      if (blocked) await block(one);
      const order: string[] = [];
      const { send, typing } = one.surface;
      one.surface.send = (...call) => (order.push("send"), send.apply(one.surface, call));
      one.surface.typing = (...call) => (order.push("typing"), typing.apply(one.surface, call));
      const lines = ["Mirelle, hm", "Mirelle? ok", "hello Mirell"].map((text) => (blocked ? text : text.replaceAll("Mirell", "Mirabe")));
      for (const [at, text] of lines.entries()) await one.hear({ deliveryId: `d-${at}`, text });
      await one.settle();
      const rows = one.issued
        .map((id) => one.store.read.event(inboundId(id)))
        .map((event) => (event === null ? null : { ...event, id: "", text: event.text.length }));
      seen.push({
        order,
        outcomes: one.suppressed.map((reason) => outcomeOfSuppression(toReason(reason))),
        rows,
        ended: one.ended.length,
        notices: one.notices,
      });
    });
  }
  assert.deepEqual(seen[0], seen[1]);
});

function inboundId(id: string): Parameters<Harness["store"]["read"]["event"]>[0] {
  return id as Parameters<Harness["store"]["read"]["event"]>[0];
}

function toReason(reason: string): SuppressReason {
  return SUPPRESS_REASONS.find((one) => one === reason) ?? assert.fail(reason);
}

test("MC-023 MC-026 TR-050 a conversation begins with a delivered answer, needs no name while it lasts, and ends in time or by leaving", () =>
  onRoad({}, async (one) => {
    const judged = async (text: string, more: Line = {}): Promise<string> => {
      const heard = await one.hear({ deliveryId: `d-${one.issued.length}`, text, ...more });
      await one.settle();
      return heard.kind === "admitted" ? (one.store.read.explain(heard.id)?.decision.rule ?? "") : heard.reason;
    };
    assert.equal(await judged("and the fog?"), "ambient");
    assert.equal(await judged("Mirelle, good evening"), "alias");
    assert.equal(await judged("and the fog?"), "engaged");
    assert.equal(await judged("and the fog?", { person: BEN, displayName: "Ben" }), "ambient", "Ben is in no conversation");
    assert.equal(await judged("@Ben can you row?"), "ambient", "cases A9");
    await one.pass(61_000);
    assert.equal(await judged("and the fog?"), "ambient");
    assert.equal(await judged("Mirelle, again"), "alias");
    one.surface.inbox?.left?.(PLACE, ANN);
    assert.equal(await judged("and the fog?"), "ambient");
  }));

test("MC-023 an answer that reached nobody begins no conversation", async () => {
  const surface = new MemorySurface();
  surface.outcome = () => Promise.resolve({ kind: "failed", reason: "gone" });
  await onRoad({ surface }, async (one) => {
    await one.hear({ deliveryId: "a" });
    await one.settle();
    assert.equal(one.surface.sent.length, 1);
    const heard = await one.hear({ deliveryId: "b", text: "and then?" });
    assert.equal(heard.kind, "suppressed");
  });
});

test("MC-021 MC-022 our own line that comes back by another account is no message, also after a reconnect", () =>
  onRoad({}, async (one) => {
    await one.hear({ deliveryId: "a" });
    await one.settle();
    const { inbox } = one.surface;
    assert.ok(inbox !== null);
    await one.surface.open(inbox);
    const heard = await one.hear({ deliveryId: "b", person: BEN, displayName: "Relay", text: `Mirelle ${LONG}`.slice(8) });
    assert.deepEqual([heard.kind, one.suppressed], ["suppressed", ["reflection"]]);
    await one.pass(61_000);
    const later = await one.hear({ deliveryId: "c", person: BEN, text: LONG });
    assert.equal(later.kind === "suppressed" ? later.reason : "", "ambient", "a minute later it is somebody's own line");
  }));

test("TR-023 cases A1 A11 a bot's loop ends with one notice and a recorded reason, and a person re-arms it", () =>
  onRoad({ space: { bots: "mentions", rounds: 6 } }, async (one) => {
    const bot = { kind: "bot", person: parsePrincipalId("discord:9"), displayName: "Botto" } as const;
    const round = async (at: number): Promise<string> => {
      const heard = await one.hear({ ...bot, deliveryId: `b-${at}`, text: `Mirelle, and what of ${at}?` });
      await one.pass(3_000);
      return heard.kind === "suppressed" ? heard.reason : "admitted";
    };
    const outcomes = [];
    for (let at = 0; at < 9; at += 1) outcomes.push(await round(at));
    assert.deepEqual(outcomes, [...Array.from({ length: 6 }, () => "admitted"), "loop", "loop", "loop"]);
    assert.equal(one.notices.length, 1);
    assert.equal(one.notices[0]?.place, PLACE.id);
    assert.equal((await one.hear({ deliveryId: "person" })).kind, "admitted");
    await one.pass(3_000);
    assert.equal(await round(10), "admitted");
    const bare = await one.hear({ ...bot, deliveryId: "bare", text: "and the fog?" });
    assert.equal(bare.kind === "suppressed" ? bare.reason : "", "bot", "in conversation, but it names nobody");
  }));

test("cases A14 a proxy's copy of a person's line is no second turn", () =>
  onRoad({ space: { bots: "all" } }, async (one) => {
    assert.equal((await one.hear({ deliveryId: "a", text: "A: Mirelle, where is the ferry tonight?" })).kind, "admitted");
    const copy = await one.hear({
      deliveryId: "b",
      kind: "bot",
      person: parsePrincipalId("discord:8"),
      text: "Mirelle, where is the ferry tonight?",
    });
    assert.equal(copy.kind === "suppressed" ? copy.reason : "", "reflection");
  }));

test("cases A17 a name makes nobody anything: a stranger named like the owner, or like a number, stays a guest", () =>
  onRoad({ mode: "trusted" }, async (one) => {
    for (const displayName of ["the owner of this computer", "local:owner", "123456"]) {
      const heard = await one.hear({ deliveryId: displayName, displayName });
      assert.equal(heard.kind === "suppressed" ? heard.reason : "", "untrusted");
    }
  }));

/** Asks in a direct line before it answers; in its second run it tells what it was answered. */
const asking = {
  voice: (turn: Turn): Promise<VoiceOutcome> =>
    Promise.resolve(
      turn.kind === "message" && turn.trigger.text.includes("row me over")
        ? { kind: "suspended", record: RECORD, question: { digest: "d-1", call: "{}", state: "{}", expiresAtMs: Number.MAX_SAFE_INTEGER } }
        : says(turn.resumed === undefined ? `I heard ${turn.trigger.text}` : `I was told ${turn.resumed.answer}`),
    ),
};

test("TR-007 SE-084 TR-093 a bare word answers the one question that is open for its person on its line, the turn goes on, and to anybody else it is talk", () =>
  onRoad(asking, async (one) => {
    const classOf = async (line: Line): Promise<string | null> => {
      const heard = await one.hear({ deliveryId: `d-${one.issued.length}`, ...line });
      await one.settle();
      return one.store.read.explain(heard.id)?.decision.class ?? null;
    };
    assert.equal(await classOf({ direct: MIRELLE, text: "yes" }), "talk", "before anything was asked");
    await classOf({ direct: MIRELLE, text: "row me over" });
    assert.deepEqual(
      one.notices.map(({ kind, place }) => [kind, place]),
      [["approval", directPlace(PLACE.surface, MIRELLE, ANN).id]],
    );
    assert.equal(await classOf({ direct: TOBIAS, person: BEN, text: "yes" }), "talk", "another person");
    assert.equal(await classOf({ direct: TOBIAS, text: "yes" }), "talk", "another line");
    assert.equal(await classOf({ text: "Mirelle, yes" }), "talk", "in public");
    assert.equal(await classOf({ direct: MIRELLE, text: "yes, row me" }), "talk", "more than a word");
    const before = one.surface.sent.length;
    assert.equal(await classOf({ direct: MIRELLE, text: "Mirelle: Ja." }), "answer");
    await one.pass(4_000);
    assert.deepEqual(
      one.surface.sent.slice(before).map(({ body }) => body),
      [`I was told allow once ${one.notices[0]?.id ?? ""}`],
      "the turn that asked speaks, the answer itself is silent",
    );
    assert.equal(await classOf({ direct: MIRELLE, text: "yes" }), "talk", "an answer is used once");
    await classOf({ direct: MIRELLE, text: "row me over" });
    await classOf({ direct: MIRELLE, text: "row me over again" });
    assert.equal(await classOf({ direct: MIRELLE, text: "no" }), "talk", "with two open nobody can tell which one is meant");
    assert.equal(await classOf({ text: "Mirelle, /about" }), "command");
    assert.equal(await classOf({ text: "> /about\nMirelle?" }), "talk", "SE-096 quoted words are somebody else's");
  }));

test("SE-084 a question that has run out takes no answer: the word is talk again", () =>
  onRoad(
    {
      voice: (turn) => {
        const question = { digest: "d-1", call: "{}", state: "{}", expiresAtMs: turn.trigger.atMs + 10_000 };
        return Promise.resolve(turn.trigger.text === "ask me" ? { kind: "suspended", record: RECORD, question } : says("Aye."));
      },
    },
    async (one) => {
      await one.hear({ deliveryId: "a", direct: MIRELLE, text: "ask me" });
      await one.pass(11_000);
      const heard = await one.hear({ deliveryId: "b", direct: MIRELLE, text: "yes" });
      assert.equal(one.store.read.explain(heard.id)?.decision.class, "talk");
    },
  ));

test("TR-043 TR-024 a command costs no reply and no call: who has used up both still has it answered; a flood of commands is bounded by itself", () =>
  onRoad({ budgets: { repliesPerMinutePerPerson: 1, callsPerDayPerPerson: 1 } }, async (one) => {
    const told = async (text: string): Promise<string> => {
      const heard = await one.hear({ deliveryId: `d-${one.issued.length}`, direct: MIRELLE, text });
      await one.settle();
      return heard.kind === "suppressed" ? heard.reason : (one.store.read.explain(heard.id)?.decision.class ?? "");
    };
    assert.deepEqual([await told("hello"), await told("hello again")], ["talk", "budget"]);
    const flood: string[] = [];
    for (let at = 0; at < 8; at += 1) flood.push(await told("/forget"));
    assert.deepEqual(flood, [...Array.from({ length: 6 }, () => "command"), "budget", "budget"]);
    assert.equal(one.store.read.charged(`calls:person:${ANN}`, 0), 1, "the one line of talk");
    await one.pass(10_000);
    assert.equal(await told("/forget yes"), "command");
  }));

test("MC-025 MC-019 a direct line is refused by the same bounds as a public one, before it waits anywhere", () =>
  onRoad({ limits: { messageBytes: 64 } }, async (one) => {
    for (const [text, reason] of [
      ["x".repeat(65), "oversized"],
      ["\0", "malformed"],
    ] as const)
      for (const direct of [{}, { direct: MIRELLE }]) {
        const heard = await one.hear({ deliveryId: `${reason}-${one.issued.length}`, text, ...direct });
        assert.equal(heard.kind === "suppressed" ? heard.reason : "", reason);
        assert.equal(one.store.read.event(heard.id), null, "not a word of it is kept");
      }
    assert.equal(one.surface.sent.length, 0);
  }));

test("TR-012 a trusted person may speak where only trusted ones are answered, and is no operator anywhere", () =>
  onRoad({ mode: "trusted" }, async (one) => {
    const kim = parsePrincipalId("discord:77");
    const heard = async (deliveryId: string): Promise<string> => {
      const outcome = await one.hear({ deliveryId, person: kim, displayName: "Kim" });
      return outcome.kind === "suppressed" ? outcome.reason : "admitted";
    };
    assert.equal(await heard("before"), "untrusted");
    await one.store.setTrust({ person: kim, role: "trusted", by: ANN, atMs: 0 });
    assert.equal(await heard("after"), "admitted");
    await one.settle();
    assert.equal(one.ended.at(-1)?.row.role, "trusted");
  }));

test("TR-034 where a place keeps no record of its own, only what was admitted is remembered", async () => {
  const surface = new MemorySurface();
  surface.profile = { ...surface.profile, keepsAmbient: false };
  const packets: (readonly string[])[] = [];
  await onRoad(
    {
      surface,
      voice: (_turn, _signal, seen) => {
        packets.push(seen);
        return Promise.resolve(says("Aye."));
      },
    },
    async (one) => {
      await one.hear({ deliveryId: "a", text: "Mirelle, the first line" });
      await one.settle();
      const ambient = await one.hear({ deliveryId: "b", person: BEN, text: "nobody is spoken to here" });
      assert.equal(ambient.kind === "suppressed" ? ambient.reason : "", "ambient");
      assert.equal(one.store.read.event(ambient.id), null);
      await one.hear({ deliveryId: "c", text: "Mirelle, the second line" });
      await one.settle();
      assert.deepEqual(packets.at(-1), ["Mirelle, the first line", "Aye."]);
      assert.deepEqual(
        one.store.read.events(PLACE.id, 10).map(({ text }) => text),
        ["Mirelle, the first line", "Aye.", "Mirelle, the second line", "Aye."],
      );
    },
  );
});
