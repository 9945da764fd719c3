import assert from "node:assert/strict";
import { test } from "node:test";
import { isRuntimeError } from "../foundation/errors.ts";
import { sha256Hex } from "../foundation/ids.ts";
import type { ErrorCode } from "../foundation/errors.ts";
import { ManualClock } from "../testing/manual-clock.ts";
import { askText } from "../vocabulary/calls/ask.ts";
import { parseApprovalId } from "../vocabulary/ids.ts";
import { LOCAL_OWNER, parsePrincipalId } from "../vocabulary/principal.ts";
import type { AnswerWord, ApprovalsAnswer, ApprovalsLedger, KeptQuestion } from "./approvals.ts";
import { approvals, bindApprovals } from "./approvals.ts";
import { runOverHttp } from "./faces/http.ts";
import { createOperations } from "./operations.ts";

const OWNER = { principal: LOCAL_OWNER, role: "operator", assurance: "local", channel: "direct" } as const;
const ID = parseApprovalId("a-0001");
const OWN = parsePrincipalId("discord:1009");
const DIGEST = "d".repeat(64);
const HOSTILE = "\u202e\u001b[2Kevil\u0000";

function bench(word: AnswerWord = "taken", more: Partial<KeptQuestion> = {}) {
  const call = askText({
    session: "s-0001",
    call: "c1",
    tool: "write",
    bytes: `{"arguments":{"text":"milk"}}`,
    rule: "tool",
    influence: [LOCAL_OWNER],
    foreign: [],
    destination: "",
    scopes: ["once"],
    least: "local",
    dynamic: false,
    words: HOSTILE,
  });
  const asked: KeptQuestion = {
    approval: ID,
    number: 7,
    digest: DIGEST,
    call,
    person: LOCAL_OWNER,
    state: "pending",
    askedAtMs: 1,
    expiresAtMs: 2,
    ...more,
  };
  const did: string[] = [];
  const ledger: ApprovalsLedger = {
    pending: () => [asked],
    ask: (id) => (id === ID ? asked : null),
    askNumbered: (number) => (number === 7 ? asked : null),
    hasSession: (session) => session === "s-0001",
    keptAnswers: () => [{ approval: ID, number: 7, person: LOCAL_OWNER, tool: HOSTILE, scope: "session", expiresAtMs: 5, usesLeft: 3 }],
    isAsked: (person, by) => person === by.principal || (by.assurance === "local" && person === OWN),
    shown: ({ person }) => (did.push(`shown ${person}`), Promise.resolve({ shown: true })),
    revoke: ({ approval }) => (did.push(`revoke ${approval}`), Promise.resolve({ revoked: word === "taken" })),
    answer: ({ approval, answer, scope, reason = "" }) => (
      did.push(`${answer} ${scope} ${approval} ${reason}`.trim()),
      Promise.resolve(word)
    ),
  };
  const operations = createOperations([bindApprovals(ledger, new ManualClock())]);
  const signal = new AbortController().signal;
  const run = async (args: object, actor: Parameters<typeof operations.run>[2] = OWNER): Promise<ApprovalsAnswer> =>
    approvals.parse(await operations.run("approvals", args, actor, signal));
  const shown = async (args: object): Promise<string> =>
    operations
      .present("approvals", await run(args))
      .lines.map(({ text }) => text)
      .join("\n");
  return { did, run, shown, call, operations };
}

const fails = (code: ErrorCode) => (error: unknown) => isRuntimeError(error, code);

test("SE-084 approvals lists what waits, shows one whole and notes it, and answers by number or id", async () => {
  const { did, run, shown } = bench();
  assert.match(await shown({}), /7 {2}write {2}local:owner/);
  assert.match(await shown({ act: "show", id: "7" }), /\{"arguments":\{"text":"milk"\}\}/);
  assert.match(await shown({ act: "allow", id: "7" }), /Question 7: allowed/);
  await run({ act: "allow", id: "a-0001", scope: "session" });
  assert.match(await shown({ act: "deny", id: "7" }), /Question 7: denied/);
  assert.deepEqual(did, ["shown local:owner", "allow once a-0001", "allow session a-0001", "deny once a-0001"]);
});

test("CH-075 a denial may say why, and nothing else may", async () => {
  const { did, run, shown } = bench();
  assert.match(await shown({ act: "deny", id: "7", because: " take\u0007 the\nother " }), /Question 7: denied/);
  assert.deepEqual(did, ["deny once a-0001 take the other"]);
  for (const act of ["allow", "show", "revoke", "list"])
    await assert.rejects(() => run({ act, id: "7", because: "please" }), fails("usage"), act);
  await assert.rejects(() => run({ act: "deny", id: "7", because: "x".repeat(501) }), fails("usage"));
  assert.equal(did.length, 1);
});

test("SE-085 approvals lists answers that count on, and takes one back", async () => {
  const { did, shown } = bench();
  assert.match(await shown({ act: "kept" }), /3 times/);
  assert.match(await shown({ act: "revoke", id: "7" }), /Answer 7 counts no more/);
  assert.deepEqual(did, ["revoke a-0001"]);
  await assert.rejects(() => bench("not_found").run({ act: "revoke", id: "7" }), fails("not_found"));
});

test("SE-084 cases D25 each refusal has its code, and another's question is none", async () => {
  const codes: Readonly<Record<Exclude<AnswerWord, "taken">, ErrorCode>> = {
    not_found: "not_found",
    not_waiting: "not_found",
    wrong_line: "forbidden",
    code: "forbidden",
    wrong_code: "forbidden",
    code_over: "forbidden",
    show_first: "usage",
    scope: "usage",
  };
  for (const [word, code] of Object.entries(codes))
    await assert.rejects(() => bench(word as AnswerWord).run({ act: "allow", id: "7" }), fails(code), word);
  const others = bench("taken", { person: parsePrincipalId("discord:1001") });
  await assert.rejects(() => others.run({ act: "show", id: "7" }), fails("not_found"));
  await assert.rejects(() => bench("taken", { state: "answered" }).run({ act: "show", id: "7" }), fails("not_found"));
  for (const args of [{ act: "allow" }, { act: "wipe" }, { act: "allow", id: "7", approved: true }])
    await assert.rejects(() => bench().run(args), fails("usage"));
  await assert.rejects(() => bench().run({ act: "allow", id: "8" }), fails("not_found"));
  assert.deepEqual(others.did, []);
});

test("SE-084 SE-081 away from the own machine an operator sees what is theirs alone, and a long question is not shown there nor noted as shown", async () => {
  const REMOTE = { ...OWNER, principal: parsePrincipalId("discord:1001"), assurance: "platform" } as const;
  const others = bench();
  assert.deepEqual(await others.run({}, REMOTE), { done: "list", number: null, card: null, waiting: [], kept: [] });
  for (const act of ["show", "revoke"]) await assert.rejects(() => others.run({ act, id: "7" }, REMOTE), fails("not_found"));
  const own = bench("taken", { person: REMOTE.principal });
  assert.deepEqual(
    (await own.run({}, REMOTE)).waiting.map(({ number }) => number),
    [7],
  );
  assert.notEqual((await own.run({ act: "show", id: "7" }, REMOTE)).card, null);
  const dynamic = JSON.stringify({ ...JSON.parse(own.call), dynamic: true });
  await assert.rejects(
    () => bench("taken", { person: REMOTE.principal, call: dynamic }).run({ act: "show", id: "7" }, REMOTE),
    fails("usage"),
  );
  assert.deepEqual([others.did, own.did], [[], []]);
});

test("SE-084 whoever is no operator on a line of their own is refused before the arguments are looked at", async () => {
  const { did, run } = bench();
  for (const actor of [
    { ...OWNER, assurance: "relayed" },
    { ...OWNER, role: "trusted" },
    { ...OWNER, channel: "public" },
  ] as const)
    await assert.rejects(() => run({ nonsense: true }, actor), fails("forbidden"));
  assert.deepEqual(did, []);
});

test("SE-103 hostile text in a question or a tool's name reaches no terminal as it is", async () => {
  const { shown } = bench();
  for (const args of [{}, { act: "show", id: "7" }, { act: "kept" }])
    for (const line of (await shown(args)).split("\n")) assert.doesNotMatch(line, /[\p{Cc}\p{Cf}]/u);
});

test("SE-084 a card is drawn piece by piece from the frozen bytes: rule and influence, every byte, the model's words last", async () => {
  const { run } = bench();
  const { card } = await run({ act: "show", id: "7" });
  const { words, bytes, ...pieces } = card?.pieces ?? assert.fail("it has no pieces");
  assert.equal(bytes.join(""), `{"arguments":{"text":"milk"}}`);
  assert.equal(pieces.digest, sha256Hex(bytes.join("")));
  assert.deepEqual(pieces.influence, [{ whose: LOCAL_OWNER, isOther: false }]);
  assert.equal(words, "⟨202E⟩⟨001B⟩[2Kevil⟨0000⟩");
  assert.deepEqual([card?.id, card?.digest, card?.asks], [ID, DIGEST, ""]);
  const call = JSON.stringify({ kind: "continue", session: "s-0001", root: "m-1", requests: 32, calls: 40 });
  const plain = await bench("taken", { call }).run({ act: "show", id: "7" });
  assert.deepEqual([plain.card?.pieces, plain.waiting[0]?.session], [null, "s-0001"]);
  const ofProgram = call.replace("s-0001", "s-mcp0001");
  assert.equal((await bench("taken", { call: ofProgram }).run({})).waiting[0]?.session, null, "a program's is no agent's");
  assert.match(plain.card?.asks ?? "", /asked 32 times and made 40 calls/);
  assert.match(await bench("taken", { call: "}{" }).shown({ act: "show", id: "7" }), /A turn waits for your answer/);
});

test("SE-084 cases D26 an answer from a page is to the bytes it showed: with another digest nothing is answered", async () => {
  const { did, run } = bench();
  await assert.rejects(() => run({ act: "allow", id: ID, digest: "e".repeat(64) }), fails("not_found"));
  await assert.rejects(() => run({ act: "deny", id: ID, digest: "" }), fails("not_found"));
  const own = bench("taken", { person: OWN });
  await assert.rejects(
    () => own.run({ act: "allow", id: ID, digest: "e".repeat(64) }),
    fails("not_found"),
    "also of an account that is one's own",
  );
  assert.deepEqual(
    (await own.run({})).waiting.map(({ mine }) => mine),
    [true],
  );
  assert.deepEqual(
    (await bench("taken", { person: parsePrincipalId("discord:1001") }).run({})).waiting.map(({ mine }) => mine),
    [false],
  );
  assert.deepEqual([did, own.did], [[], []]);
  await run({ act: "allow", id: ID, digest: DIGEST });
  assert.deepEqual(did, ["allow once a-0001"]);
});

test("SE-084 cases D25 whoever sends along that it is approved is refused for it, in the body as in the arguments, and nothing is answered", async () => {
  const { did, operations } = bench();
  const signal = new AbortController().signal;
  for (const body of [
    { args: { act: "allow", id: "7" }, approved: true },
    { args: { act: "allow", id: "7", approved: true } },
    { args: { act: "list", approved: "yes" } },
  ])
    assert.equal((await runOverHttp(operations, { name: "approvals", body, actor: OWNER }, signal)).status, 400, JSON.stringify(body));
  assert.deepEqual(did, []);
  assert.equal(
    (await runOverHttp(operations, { name: "approvals", body: { args: { act: "allow", id: "7" } }, actor: OWNER }, signal)).status,
    200,
  );
});
