import assert from "node:assert/strict";
import { test } from "node:test";
import { askText } from "../../vocabulary/calls/ask.ts";
import type { Ask } from "../../vocabulary/calls/ask.ts";
import { parseApprovalId } from "../../vocabulary/ids.ts";
import type { OriginFacts } from "../../vocabulary/origin.ts";
import { LOCAL_OWNER, parsePrincipalId } from "../../vocabulary/principal.ts";
import type { AnswerRequest, AskRecord } from "./take-answer.ts";
import { takeAnswer } from "./take-answer.ts";

const ASK: Ask = {
  session: "s-0001",
  call: "c1",
  tool: "write",
  bytes: "{}",
  rule: "tool",
  influence: [LOCAL_OWNER],
  foreign: [],
  destination: "",
  scopes: ["once", "session"],
  least: "platform",
  dynamic: false,
  words: "",
};
const OWNER: OriginFacts = { principal: LOCAL_OWNER, role: "operator", assurance: "local", channel: "direct" };

const recordOf = (ask: Partial<Ask> = {}, more: Partial<AskRecord> = {}): AskRecord => ({
  approval: parseApprovalId("a-0001"),
  number: 7,
  digest: "d",
  call: askText({ ...ASK, ...ask }),
  person: LOCAL_OWNER,
  place: null,
  state: "pending",
  askedAtMs: 0,
  expiresAtMs: 100,
  shownAtMs: null,
  usedAtMs: null,
  answer: null,
  ...more,
});
const answered = (record: AskRecord | null, more: Partial<Omit<AnswerRequest, "record">> = {}): string => {
  const taken = takeAnswer({
    record,
    answer: "allow",
    scope: "once",
    by: OWNER,
    roleNow: "operator",
    ownAccounts: new Set(),
    hides: () => false,
    nowMs: 50,
    ...more,
  });
  return taken.kind === "taken" ? taken.row.answer : taken.why;
};

test("SE-084 an answer is of the one who was asked, from a direct line, while the question waits", () => {
  assert.equal(answered(recordOf()), "allow once a-0001");
  assert.equal(answered(recordOf(), { answer: "deny" }), "deny once a-0001");
  assert.equal(answered(recordOf(), { scope: "session" }), "allow session a-0001");
  assert.equal(answered(null), "not_found");
  assert.equal(answered(recordOf({}, { person: parsePrincipalId("discord:1001") })), "not_found");
  assert.equal(answered(recordOf(), { by: { ...OWNER, channel: "public" } }), "not_found");
  assert.equal(answered(recordOf(), { roleNow: "trusted" }), "not_found", "an operator who is none any more");
  for (const state of ["answered", "cancelled", "expired"] as const) assert.equal(answered(recordOf({}, { state })), "not_waiting");
  assert.equal(answered(recordOf(), { nowMs: 100 }), "not_waiting");
});

test("SE-081 SE-085 it counts only from a line as good as the call needs, and only as far as was offered", () => {
  const remote = { by: { ...OWNER, assurance: "platform" } as const };
  assert.equal(answered(recordOf(), remote), "allow once a-0001");
  assert.equal(answered(recordOf({ least: "local" }), remote), "wrong_line");
  assert.equal(answered(recordOf({ least: "local" }), { ...remote, answer: "deny" }), "deny once a-0001", "to say no is always open");
  assert.equal(answered(recordOf(), { scope: "always" }), "scope");
});

test("SE-084 what must be shown whole is allowed only at the own machine, and only after it was", () => {
  const large = { bytes: "x".repeat(2_049) };
  assert.equal(answered(recordOf(large)), "show_first");
  assert.equal(answered(recordOf({ dynamic: true })), "show_first");
  assert.equal(answered(recordOf(large, { shownAtMs: 1 })), "allow once a-0001");
  assert.equal(answered(recordOf(large, { shownAtMs: 1 }), { by: { ...OWNER, assurance: "platform" } }), "show_first");
  assert.equal(answered(recordOf(large), { answer: "deny" }), "deny once a-0001");
  const taken = takeAnswer({
    hides: () => false,
    record: recordOf(large, { shownAtMs: 1 }),
    answer: "allow",
    scope: "once",
    by: OWNER,
    roleNow: "operator",
    ownAccounts: new Set(),
    nowMs: 1,
  });
  assert.equal(taken.kind === "taken" && taken.row.mustBeShown, true, "the store looks once more");
});

test("SE-084 a damaged question can only be denied or taken as no call's", () => {
  assert.equal(answered(recordOf({}, { call: "" })), "allow once a-0001");
  assert.equal(answered(recordOf({}, { call: "" }), { scope: "session" }), "scope");
});

test("SE-084 TR-010 what is asked of the owner's own account may be answered at the own machine; nobody else's, and from nowhere else", () => {
  const account = parsePrincipalId("discord:1001");
  const own = { ownAccounts: new Set([account]) };
  const record = recordOf({ bytes: "x".repeat(2_049) }, { person: account, shownAtMs: 1 });
  const taken = takeAnswer({
    record,
    answer: "allow",
    scope: "once",
    by: OWNER,
    roleNow: "operator",
    nowMs: 50,
    hides: () => false,
    ...own,
  });
  assert.deepEqual(taken.kind === "taken" ? [taken.row.person, taken.row.by] : [], [account, LOCAL_OWNER]);
  assert.equal(answered(record), "not_found", "an account that configuration does not name");
  assert.equal(answered(record, { ...own, by: { ...OWNER, assurance: "platform" } }), "not_found");
  const another = parsePrincipalId("discord:1002");
  assert.equal(answered(record, { ...own, by: { ...OWNER, principal: another } }), "not_found");
  assert.equal(answered(recordOf({}, { person: LOCAL_OWNER }), { ...own, by: { ...OWNER, principal: account } }), "not_found");
});

test("SE-084 SE-103 a question whose card holds a configured secret stood on no line: it is allowed at the own machine alone, after it was shown", () => {
  const hides = (text: string): boolean => text.includes("sk-cellar");
  const secret = { bytes: '{"key":"sk-cellar"}' };
  const chat: Partial<AnswerRequest> = { by: { ...OWNER, assurance: "platform" }, hides };
  assert.equal(answered(recordOf(), chat), "allow once a-0001");
  assert.equal(answered(recordOf(secret), chat), "show_first");
  assert.equal(answered(recordOf(secret, { shownAtMs: 1 }), chat), "show_first");
  assert.equal(answered(recordOf({ words: "with sk-cellar" }), chat), "show_first");
  assert.equal(answered(recordOf(secret), { ...chat, answer: "deny" }), "deny once a-0001");
  assert.equal(answered(recordOf(secret), { hides }), "show_first");
  assert.equal(answered(recordOf(secret, { shownAtMs: 1 }), { hides }), "allow once a-0001");
});
