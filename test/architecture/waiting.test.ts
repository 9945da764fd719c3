import assert from "node:assert/strict";
import { test } from "node:test";
import { walk } from "../../tools/syntax.ts";
import { checkPromises, checkSignals, isCovered, isWaitingCall, promisingOf } from "./waiting.ts";
import { linesOf, madeUp, readTree } from "./tree.ts";

/** What returns a promise without a signal, by why it ends. Everything else takes one. */
const ENDS_BY_ITSELF: Readonly<Record<string, readonly string[]>> = {
  "a verb is one commit: it is written or refused, never taken back": [
    "src/store/store.ts Store.*",
    "src/store/operator-store.ts OperatorVerbs.*",
    "src/store/guest-store.ts GuestVerbs.*",
    "src/store/spend-store.ts SpendVerbs.*",
    "src/store/conversation-store.ts ConversationVerbs.*",
    "src/operations/own/reset.ts OwnConversation.reset",
    "src/operations/order/keeping-order.ts OrderLedger.*",
    "src/operations/order/keeping-order.ts OrderRoad.takeBack",
    "src/operations/order/held-replies.ts HeldRoad.resume",
    "src/operations/order/kept-words.ts WordShelf.setSetting",
    "src/operations/order/kept-words.ts KeptWords.*",
    "src/wiring/kept-moments.ts KeptMoments.keep",
    "src/operations/order/tried.ts TriedNeeds.*",
    "src/road/3-turns/speaking.ts Speaking.hold",
    "src/operations/order/server-blocks.ts BlockShelf.setSetting",
    "src/operations/order/server-blocks.ts ServerBlocks.*",
    "src/road/4-delivery/take-backs.ts TakeBacks.take",
    "src/road/road.ts RoadDesk.*",
    "src/road/rows-again.ts resume",
    "src/road/rows-again.ts withdraw",
    "src/store/call-store.ts CallVerbs.*",
    "src/store/session-store.ts SessionVerbs.*",
    "src/store/schedule-store.ts ScheduleVerbs.*",
    "src/operations/schedule.ts SchedulesLedger.*",
    "src/agents/tools/schedules.ts OwnSchedules.*",
    "src/operations/grants.ts GrantsLedger.revoke",
    "src/operations/endorse.ts EndorseLedger.*",
    "src/agents/session/history.ts History.add",
    "src/agents/session/renew.ts renewSession",
    "src/agents/control.ts ControlNeeds.*",
    "src/agents/loop/turn-run.ts TurnRun.*",
    "src/store/sqlite/*",
    "src/chronicle/chronicle.ts Chronicle.hear",
    "src/operations/pause.ts PauseLedger.*",
    "src/operations/trust.ts TrustLedger.setTrust",
    "src/operations/triggers-operation.ts TriggersNeeds.audit",
    "src/operations/policy/response-policies.ts PolicyNeeds.setSetting",
    "src/operations/policy/response-policies.ts ResponsePolicies.set",
    "src/operations/invites.ts InviteLedger.revoke",
    "src/operations/own/ignore-me.ts OptOuts.*",
    "src/operations/invites.ts InvitingRoom.invite",
    "src/road/4-delivery/delivery.ts DeliveryNeeds.answer",
    "src/road/4-delivery/delivery.ts DeliveryNeeds.suspend",
    "src/road/4-delivery/delivery.ts DeliveryNeeds.numberQuestion",
    "src/operations/approvals.ts ApprovalsLedger.*",
    "src/operations/mcp/mcp-clients.ts ClientShelf.setSetting",
    "src/operations/mcp/mcp-clients.ts McpClients.*",
    "src/operations/mcp/mcp-face.ts McpFaceNeeds.judge",
    "src/operations/mcp/mcp-readings.ts McpReader.opens",
    "src/operations/mcp/mcp-proposing.ts Desk.propose",
    "src/wiring/mcp/mcp-desk.ts ProposalDesk.*",
    "src/road/4-delivery/outbox.ts OutboxNeeds.*",
    "src/road/4-delivery/outbox.ts Outbox.conclude",
    "src/road/road.ts Road.resume",
    "src/road/road.ts Road.halt",
    "src/road/halt.ts halt",
    "src/wiring/halt-file.ts heedHaltFile",
    "src/operations/halt.ts HaltLedger.*",
    "src/operations/turns.ts TurnsLedger.stop",
    "src/road/3-turns/answer-voice.ts AnswerVoiceNeeds.resume",
    "src/road/road.ts Road.withdraw",
    "src/store/surface-store.ts SurfaceVerbs.*",
    "src/surfaces/discord/gateway/kept-state.ts StateShelf.keep",
    "src/surfaces/room/members.ts Members.*",
    "src/surfaces/room/redemption.ts Redemption.redeem",
    "src/surfaces/room/invite-book.ts InviteBook.make",
    "src/surfaces/room/ports.ts RoomStore.*",
    "src/surfaces/room/ports.ts InviteStore.*",
  ],
  "many small commits, each of which ends; what is cut short the next start finishes": [
    "src/operations/forget.ts Forgetting.*",
    "src/operations/own/forget-me.ts OwnWords.*",
    "src/wiring/commands/forgetting.ts Words.*",
  ],
  "settles at its turn's next gap, or with its end": ["src/agents/live-turns.ts LiveTurn.*"],
  "waits for hooks, each bounded by its own deadline and all by the signal of the turn": [
    "src/agents/loop/hook-points.ts tell",
    "src/agents/loop/hook-points.ts tellEnd",
    "src/agents/hooks/generation-progress.ts GenerationProgress.end",
  ],
  "makes the signal that all else takes": ["src/main.ts main"],
  "lasts as long as the work it is given, which has a signal of its own": [
    "src/observe/traces.ts Traces.run",
    "src/observe/traces.ts Span.child",
  ],
  "the group is the owner of the signal": ["src/foundation/task-group.ts TaskGroup.*"],
  "one small file of this machine": [
    "src/operations/console-link.ts writeRedirect",
    "src/operations/faces/socket-path.ts secureSocketFolder",
  ],
  "ends with its stream, which the owner destroys": [
    "src/operations/faces/json-lines.ts readLines",
    "src/operations/faces/chat-screen.ts ChatScreen.*",
    "src/operations/faces/chat-screen.ts ChatScreenNeeds.*",
    "src/vocabulary/terminal-session.ts TerminalSession.*",
  ],
};
const ENTRIES = Object.values(ENDS_BY_ITSELF).flat();

const FILES = readTree().filter(({ path }) => !path.startsWith("src/console/ui/") && !path.startsWith("src/testing/"));

const BLIND: readonly string[] = [
  "export function f(signal?: AbortSignal): void {}",
  "export function f(signal: AbortSignal = never): void {}",
  "export interface Options { readonly signal?: AbortSignal }",
  "export async function f(clock: Clock): Promise<void> { await clock.sleep(5, never); }",
  "export class A { async f(): Promise<void> { await this.limiter.take(none()); } }",
  "const run = async () => { await fetch(url); };",
];

const SEEING: readonly string[] = [
  "export async function f(clock: Clock, signal: AbortSignal): Promise<void> { await clock.sleep(5, signal); }",
  "export function f({ signal }: { signal: AbortSignal }): Promise<void> { return gate.acquire(signal).then(() => {}); }",
  "class A { readonly #group: TaskGroup; async f(): Promise<void> { await this.clock.sleep(5, this.#group.signal); } }",
  "export function f(signal: AbortSignal): void { group.start(async () => { await clock.sleep(1, signal); }); }",
];

test("MC-096 no signal is optional, and whatever waits has one in reach", () => {
  assert.deepEqual(linesOf(FILES.flatMap(checkSignals)), []);
});

test("the check of signals reports blind waits and leaves seeing ones alone", () => {
  for (const text of BLIND) assert.notDeepEqual(checkSignals(madeUp("src/road/x.ts", text)), [], text);
  for (const text of SEEING) assert.deepEqual(checkSignals(madeUp("src/road/x.ts", text)), [], text);
});

test("MC-096 what returns a promise takes a signal, or the list says why it ends by itself", () => {
  assert.deepEqual(linesOf(FILES.flatMap((file) => checkPromises(file, ENTRIES))), []);
});

test("the check of promises sees functions, methods and ports", () => {
  const missing = (text: string): string => linesOf(checkPromises(madeUp("src/road/x.ts", text), [])).join();
  assert.match(missing("export async function f(): Promise<void> {}"), /f returns a promise/);
  assert.match(missing("export interface Port { send(part: Part): Promise<void> }"), /Port.send/);
  assert.match(missing("export interface Port { readonly send: (part: Part) => Promise<void> }"), /Port.send/);
  assert.match(missing("export class A { async run(): Promise<void> {} }"), /A.run/);
  assert.equal(missing("export class A { async #run(): Promise<void> {} close(): Promise<void> {} }"), "");
  assert.equal(missing("export interface Port { send(part: Part, signal: AbortSignal): Promise<void> }"), "");
  assert.deepEqual(checkPromises(madeUp("src/road/x.ts", "export async function f(): Promise<void> {}"), ["src/road/x.ts f"]), []);
});

test("the list of what ends by itself names only what exists, and the checks saw enough", () => {
  const all = FILES.flatMap(promisingOf);
  assert.ok(all.length > 20, `only ${all.length}`);
  for (const entry of ENTRIES) {
    assert.ok(
      all.some((one) => !one.takesSignal && isCovered(one, entry)),
      `${entry} is listed for nothing`,
    );
  }
  let waits = 0;
  for (const file of FILES) walk(file.program, (node, ancestors) => (waits += isWaitingCall(node, ancestors.at(-1)) ? 1 : 0));
  assert.ok(waits > 4, `only ${waits} waiting calls were seen`);
});
