import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { isRuntimeError } from "../../foundation/errors.ts";
import { heard, startRow } from "../../testing/store-rows.ts";
import { ManualClock } from "../../testing/manual-clock.ts";
import type { BatchOptions } from "../../testing/tool-bench.ts";
import { REMOTE_OPERATOR, STRANGER, ToolBench } from "../../testing/tool-bench.ts";
import type { CallBatch, Verdict } from "../../vocabulary/calls/gateway.ts";
import { parseGrantId, parseMessageId, parseSessionId } from "../../vocabulary/ids.ts";
import type { Influence } from "../../vocabulary/label.ts";
import { LOCAL_OWNER, parsePrincipalId } from "../../vocabulary/principal.ts";

const NEVER = new AbortController().signal;
const DAY_MS = 24 * 3_600_000;

function bench(context: TestContext): ToolBench {
  const made = new ToolBench(new ManualClock());
  context.after(() => made.store[Symbol.dispose]());
  return made;
}

const said = (verdict: Verdict | undefined): string =>
  verdict === undefined ? "none" : verdict.kind === "deny" ? `deny ${verdict.code}` : verdict.kind;
const write = (made: ToolBench, more: BatchOptions = {}, text = "x"): CallBatch =>
  made.batch([{ name: "write", arguments: JSON.stringify({ text }) }], { root: freshRoot(), ...more });
let roots = 0;
function freshRoot(): ReturnType<typeof parseMessageId> {
  roots += 1;
  return parseMessageId(`m-root${roots}`);
}

test("SE-084 an approved call runs on the bytes that were asked about, once", async (context) => {
  const made = bench(context);
  const verdict = await made.answer(write(made, {}, "shown"), "allow");
  assert.ok(verdict.kind === "allow");
  await made.run(verdict.action);
  await assert.rejects(
    () => made.run(verdict.action),
    (error) => isRuntimeError(error, "forged"),
  );
  assert.deepEqual(made.ran, [{ tool: "write", text: "shown" }]);
});

test("SE-084 a denied call runs nothing, and its text says that a person said no", async (context) => {
  const made = bench(context);
  const verdict = await made.answer(write(made), "deny");
  assert.ok(verdict.kind === "deny");
  assert.deepEqual([verdict.code, made.ran], ["denied", []]);
  assert.match(verdict.text, /said no/);
});

test("SE-084 TR-007 an answer counts once, also when the process is killed between its use and the run", async (context) => {
  const made = bench(context);
  const batch = write(made);
  const answer = made.resume(made.suspend((await made.judge(batch))[0] as Verdict), "allow");
  assert.ok(answer);
  made.store.restart();
  // Killed between answer and use: nothing was lost, the approval stands.
  assert.equal(said(await made.gateway.answered(batch, answer, NEVER)), "allow");
  // Killed between use and run: it is never run again.
  made.store.restart();
  assert.equal(said(await made.gateway.answered(batch, answer, NEVER)), "deny used");
});

test("SE-084 a denial stays one when its turn is killed behind it: nobody is told that the call may have run", async (context) => {
  const made = bench(context);
  const batch = write(made);
  const answer = made.resume(made.suspend((await made.judge(batch))[0] as Verdict), "deny");
  assert.ok(answer);
  for (let start = 0; start < 2; start += 1) {
    assert.equal(said(await made.gateway.answered(batch, answer, NEVER)), "deny denied");
    made.store.restart();
  }
});

test("SE-084 cases D38 of two that take an answer at the same time one gets it", async (context) => {
  const made = bench(context);
  const batch = write(made);
  const approval = made.suspend((await made.judge(batch))[0] as Verdict);
  assert.ok(made.resume(approval, "allow"));
  const { digest, person } = made.store.read.calls.ask(approval) ?? assert.fail();
  const [call] = batch.calls;
  const { session, turn, root, character } = batch;
  const row = {
    session,
    turn,
    root,
    character,
    person,
    approval,
    digest,
    call: call?.id ?? "",
    tool: "write",
    verdict: "allow",
    code: "",
    foreign: false,
    keep: null,
    atMs: 1,
  } as const;
  assert.deepEqual(
    [made.store.run({ verb: "useAnswer", row }), made.store.run({ verb: "useAnswer", row })],
    [{ used: true }, { used: false }],
  );
});

test("SE-084 cases D26 D38 an answer to other arguments, another call, session, person or tool is none", async (context) => {
  const made = bench(context);
  const batch = write(made);
  const answer = made.resume(made.suspend((await made.judge(batch))[0] as Verdict), "allow");
  assert.ok(answer);
  const [call] = batch.calls;
  assert.ok(call);
  const others: Readonly<Record<string, CallBatch>> = {
    arguments: { ...batch, calls: [{ ...call, arguments: `{"text":"y"}` }] },
    id: { ...batch, calls: [{ ...call, id: "other" }] },
    tool: { ...batch, calls: [{ ...call, name: "note" }] },
    session: { ...batch, session: parseSessionId("s-0002") },
    person: { ...write(made, { person: REMOTE_OPERATOR, assurance: "platform" }), calls: batch.calls },
  };
  for (const [what, other] of Object.entries(others))
    assert.equal(said(await made.gateway.answered(other, answer, NEVER)), "deny changed", what);
  for (const wrong of [
    { ...answer, scope: "session" },
    { ...answer, answer: "deny" },
    { ...answer, approval: "a-000099" as never },
  ] as const)
    assert.equal(said(await made.gateway.answered(batch, wrong, NEVER)), "deny changed");
  await assert.rejects(
    () => made.gateway.answered({ ...batch, calls: [call, call] }, answer, NEVER),
    (error) => isRuntimeError(error, "invalid_argument"),
  );
  // The control: the very call still runs.
  assert.equal(said(await made.gateway.answered(batch, answer, NEVER)), "allow");
});

test("SE-084 no answer is taken of a question that is open, ran out, or was answered before", async (context) => {
  const made = bench(context);
  const batch = write(made);
  const approval = made.suspend((await made.judge(batch))[0] as Verdict);
  const open = { approval, answer: "allow", scope: "once" } as const;
  assert.equal(said(await made.gateway.answered(batch, open, NEVER)), "deny changed");
  await made.clock.advance(DAY_MS + 1);
  assert.equal(made.resume(approval, "allow"), null, "ran out");
  const again = write(made);
  const second = made.suspend((await made.judge(again))[0] as Verdict);
  assert.ok(made.resume(second, "deny"));
  assert.equal(made.resume(second, "allow"), null, "answered before");
});

test("TR-014 what holds when the answer comes decides: a role that went, a rule, a steered line", async (context) => {
  const made = bench(context);
  const remote = write(made, { person: REMOTE_OPERATOR, assurance: "platform" });
  const first = made.resume(made.suspend((await made.judge(remote))[0] as Verdict, REMOTE_OPERATOR), "allow");
  assert.ok(first);
  made.operators.clear();
  assert.equal(said(await made.gateway.answered(remote, first, NEVER)), "deny not_allowed");

  const batch = write(made);
  const second = made.resume(made.suspend((await made.judge(batch))[0] as Verdict), "allow");
  assert.ok(second);
  const steered = { ...batch, label: made.label([STRANGER], ["anyone"]) };
  const verdict = await made.gateway.answered(steered, second, NEVER);
  assert.ok(verdict.kind === "ask", "the card did not name whoever came in since: it is asked again");
  assert.ok(verdict.question.call.includes(STRANGER));
  assert.equal(said(await made.gateway.answered(batch, second, NEVER)), "deny used");
});

test("SE-084 a turn may ask three times, and turns that others shaped ten times an hour; then it is denied", async (context) => {
  const made = bench(context);
  const own = await made.judge(made.batch(Array.from({ length: 5 }, (_, at) => ({ name: "write", arguments: `{"text":"${at}"}` }))));
  assert.deepEqual(own.map(said), ["ask", "ask", "ask", "deny asks_spent", "deny asks_spent"]);
  assert.deepEqual(made.spent, [], "nobody else's words were in it");
  const shaped = (): Promise<readonly Verdict[]> =>
    made.judge(made.batch([{ name: "note" }, { name: "note" }], { influence: [STRANGER], root: freshRoot() }));
  const verdicts = [];
  for (let turn = 0; turn < 6; turn += 1) verdicts.push(...(await shaped()));
  assert.deepEqual(verdicts.map(said), [...Array.from({ length: 10 }, () => "ask"), "deny asks_spent", "deny asks_spent"]);
  assert.deepEqual(made.spent, [[STRANGER]], "the operator is told whose words they were");
  made.store.restart();
  assert.equal(said((await shaped())[0]), "deny asks_spent", "also after a restart");
  assert.equal(said((await made.judge(write(made)))[0]), "ask", "the operator's own questions are not theirs");
  await made.clock.advance(3_600_001);
  assert.equal(said((await shaped())[0]), "ask");
});

test("SE-084 TR-014 a question that is asked anew, since words came in behind its card, counts to the three of its turn, and each call is asked anew once", async (context) => {
  const made = bench(context);
  const batch = write(made);
  const anew = async (steered: CallBatch, asked: Verdict): Promise<Verdict> => {
    const answer = made.resume(made.suspend(asked), "allow");
    assert.ok(answer);
    return await made.gateway.answered(steered, answer, NEVER);
  };
  const by = (...authors: readonly Influence[]): CallBatch => ({ ...batch, label: made.label(authors, ["anyone"]) });
  const other: Influence = parsePrincipalId("discord:667");
  const second = await anew(by(STRANGER), (await made.judge(batch))[0] as Verdict);
  assert.equal(said(second), "ask");
  made.store.restart();
  assert.equal(said((await made.judge(by(STRANGER)))[0]), "ask", "the same question, as after a restart");
  const more = (): Promise<readonly Verdict[]> =>
    made.judge({ ...by(STRANGER), calls: [{ id: `more${(calls += 1)}`, name: "write", arguments: `{"text":"${calls}"}` }] });
  let calls = 0;
  assert.equal(said((await more())[0]), "ask", "the third");
  assert.equal(said((await more())[0]), "deny asks_spent", "there is no fourth");
  assert.equal(said(await anew(by(STRANGER, other), second)), "deny asks_spent", "nor a third card for the same call");
});

test("SE-084 a question that is judged again, as after a restart, is the same question and counts no more", async (context) => {
  const made = bench(context);
  const batch = made.batch([{ name: "write" }, { name: "write", arguments: `{"text":"y"}` }]);
  for (let time = 0; time < 4; time += 1) {
    assert.deepEqual((await made.judge(batch)).map(said), ["ask", "ask"]);
    made.store.restart();
  }
});

test("SE-085 cases D9 D31 an answer for the session relaxes exactly that call in that session, and counts its uses", async (context) => {
  const made = bench(context);
  assert.equal(said(await made.answer(write(made), "allow", "session")), "allow");
  const again = async (more: BatchOptions = {}, text?: string): Promise<string> => said((await made.judge(write(made, more, text)))[0]);
  assert.equal(await again(), "allow");
  assert.equal(await again({}, "y"), "ask", "other arguments");
  assert.equal(await again({ session: parseSessionId("s-0002") }), "ask", "another session");
  assert.equal(await again({ character: "tobias" as never }), "ask", "another character");
  assert.equal(await again({ person: REMOTE_OPERATOR, assurance: "platform" }), "ask", "another person");
  assert.equal(made.store.read.calls.keptAnswers(made.clock.nowMs())[0]?.usesLeft, 99);
  made.store.restart();
  assert.equal(await again(), "allow", "also after a restart");
  await made.clock.advance(14 * DAY_MS);
  assert.equal(await again(), "ask", "ran out");
});

test("SE-085 cases D30 an answer for always holds in every session of the character, until it is taken back", async (context) => {
  const made = bench(context);
  await made.answer(write(made), "allow", "always");
  const elsewhere = async (): Promise<string> => said((await made.judge(write(made, { session: parseSessionId("s-0009") })))[0]);
  assert.equal(await elsewhere(), "allow");
  const [kept] = made.store.read.calls.keptAnswers(made.clock.nowMs());
  assert.ok(kept);
  // Exactly this call, so often and so long: never all calls of a tool, and never for good.
  assert.equal(said((await made.judge(write(made, {}, "something else")))[0]), "ask");
  assert.deepEqual([kept.expiresAtMs - kept.atMs, kept.usesLeft], [14 * DAY_MS, 99]);
  const row = { approval: kept.approval, by: kept.person, atMs: made.clock.nowMs() };
  assert.equal(made.store.run({ verb: "revokeAnswer", row }).revoked, true);
  assert.equal(made.store.run({ verb: "revokeAnswer", row }).revoked, false);
  assert.equal(await elsewhere(), "ask");
  assert.equal(made.store.read.audits(1)[0]?.act, "revoke_answer");
});

test("SE-085 cases D31 with somebody else's words in the turn a kept answer does not count, and a denial is never undone by one", async (context) => {
  const made = bench(context);
  await made.answer(write(made), "allow", "session");
  assert.equal(said((await made.judge(write(made, { influence: [STRANGER] })))[0]), "ask");
  assert.equal(said((await made.judge(write(made, { influence: ["tool:fetch"] })))[0]), "ask");
  assert.equal(said((await made.judge(write(made, { influence: ["tool:recall"] })))[0]), "allow", "the own notes are the operator's");
  assert.equal(said((await made.judge(write(made, { role: "guest" })))[0]), "deny not_allowed");
});

test("SE-085 SE-081 scopes beyond one call are offered for the operator's own words at the own machine alone", async (context) => {
  const made = bench(context);
  const scopes = async (more: BatchOptions): Promise<unknown> => {
    const [verdict] = await made.judge(write(made, more));
    assert.ok(verdict?.kind === "ask");
    return (JSON.parse(verdict.question.call) as { scopes: unknown }).scopes;
  };
  assert.deepEqual(await scopes({}), ["once", "session", "always"]);
  assert.deepEqual(await scopes({ influence: [STRANGER] }), ["once"]);
  const remote = { person: REMOTE_OPERATOR, assurance: "platform" } as const;
  assert.deepEqual(await scopes(remote), ["once"]);
  made.remote = new Set(["files"]);
  assert.deepEqual(await scopes(remote), ["once", "session", "always"]);
  // A scope that was not offered is cut to the one call.
  assert.equal(said(await made.answer(write(made, { influence: [STRANGER] }), "allow", "always")), "allow");
  assert.deepEqual(made.store.read.calls.keptAnswers(made.clock.nowMs()), []);
});

test("SE-084 what is too large or not wholly said by its bytes is asked about at the own machine only", async (context) => {
  const made = bench(context);
  const remote = { person: REMOTE_OPERATOR, assurance: "platform" } as const;
  const large = JSON.stringify({ text: "x".repeat(3_000) });
  const one = (more: BatchOptions & { readonly arguments: string }): Promise<Verdict> => made.one("write", { root: freshRoot(), ...more });
  assert.equal(said(await one({ ...remote, arguments: large })), "deny ceiling");
  assert.equal(said(await one({ ...remote, arguments: `{"text":"x","dynamic":true}` })), "deny ceiling");
  assert.equal(said(await one({ arguments: large })), "ask");
  assert.equal(said(await one({ arguments: `{"text":"x","dynamic":true}` })), "ask");
});

test("Rule of Two: others' words and a private reading together leave nothing to a kept answer or a schedule (SE-080, SE-085)", async (context) => {
  const made = bench(context);
  const [verdict] = await made.judge(made.batch([{ name: "note" }], { influence: [STRANGER, "tool:recall"], root: freshRoot() }));
  assert.ok(verdict?.kind === "ask");
  assert.deepEqual((JSON.parse(verdict.question.call) as { scopes: unknown }).scopes, ["once"]);
});

test("SE-099 a restored database has no kept answer, no grant, and gives no number twice", async (context) => {
  const made = bench(context);
  await made.answer(write(made), "allow", "session");
  const { voidAuthority } = await import("../../store/sqlite/file/restored.ts");
  const { connectWriter } = await import("../../store/sqlite/file/connect.ts");
  const { Statements } = await import("../../store/sqlite/rows/statements.ts");
  const first = made.store.read.calls.keptAnswers(made.clock.nowMs())[0]?.number ?? 0;
  const db = connectWriter(made.store.path, null);
  voidAuthority(new Statements(db), made.clock.nowMs());
  db.close();
  assert.deepEqual(made.store.read.calls.keptAnswers(made.clock.nowMs()), []);
  await made.clock.advance(DAY_MS);
  const approval = made.suspend((await made.judge(write(made)))[0] as Verdict);
  assert.ok((made.store.read.calls.ask(approval)?.number ?? 0) > first + 999);
});

test("TR-073 cases D38 while everything is halted no call is let in, no answer is used, and no question is taken up", async (context) => {
  const made = bench(context);
  const batch = write(made);
  const answer = made.resume(made.suspend((await made.judge(batch))[0] as Verdict), "allow");
  assert.ok(answer);
  const atMs = made.clock.nowMs();
  made.store.run({ verb: "halt", row: { by: LOCAL_OWNER, via: "signal", atMs } });
  assert.deepEqual((await made.judge(made.batch([{ name: "look" }, { name: "note" }, { name: "write" }]))).map(said), [
    "deny stopped",
    "deny stopped",
    "deny stopped",
  ]);
  assert.equal(said(await made.gateway.answered(batch, answer, NEVER)), "deny used");
  const late = heard({ number: 900 });
  made.store.run({ verb: "hear", row: late });
  assert.equal(made.store.run({ verb: "start", row: startRow(late) }).started, false, "nothing begins");
  made.store.restart();
  assert.equal(said((await made.judge(made.batch([{ name: "look" }])))[0]), "deny stopped", "also after a restart");
  made.store.run({ verb: "rearm", row: { by: LOCAL_OWNER, atMs } });
  assert.equal(said((await made.judge(made.batch([{ name: "look" }])))[0]), "allow");
});

test("TR-043 forgetting somebody whose words shaped a question takes what it held, and it can be answered no more", async (context) => {
  const made = bench(context);
  const approval = made.suspend((await made.judge(write(made, { influence: [STRANGER] }, "their words")))[0] as Verdict);
  const pseudonym = parsePrincipalId("forgotten:abc");
  made.store.run({ verb: "forgetBegin", row: { person: STRANGER, pseudonym, atMs: made.clock.nowMs() } });
  made.store.run({ verb: "forgetEnd", row: { person: STRANGER, pseudonym, atMs: made.clock.nowMs() } });
  const record = made.store.read.calls.ask(approval);
  assert.deepEqual([record?.call, record?.digest], ["", ""]);
  assert.equal(made.resume(approval, "allow"), null);
  assert.equal(made.store.run({ verb: "lapse", row: { nowMs: made.clock.nowMs() } }).lapsed.length, 1, "its turn ends");
});

test("TR-043 of an operator who is forgotten decisions go on under a keyed name, answers and grants count no more", async (context) => {
  const made = bench(context);
  await made.answer(write(made), "allow", "session");
  const pseudonym = parsePrincipalId("forgotten:abc");
  const { person, character } = made.store.read.calls.keptAnswers(made.clock.nowMs())[0] ?? assert.fail();
  const row = {
    grant: parseGrantId("g-0001"),
    by: person,
    character,
    tool: "note",
    digest: null,
    atMs: 1,
    expiresAtMs: Number.MAX_SAFE_INTEGER,
    uses: 1,
  };
  made.store.run({ verb: "keepGrant", row });
  made.store.run({ verb: "forgetEnd", row: { person, pseudonym, atMs: made.clock.nowMs() } });
  assert.deepEqual([made.store.read.calls.keptAnswers(made.clock.nowMs()), made.store.read.calls.grant(row.grant, 1)], [[], null]);
  assert.deepEqual(new Set(made.store.read.calls.decisions(9).map((one) => one.person)), new Set([pseudonym]));
  assert.equal(made.store.read.charged(`tools:calls:person:${pseudonym}`, 0), 1, "what was charged stays charged");
});
