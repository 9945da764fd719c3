import assert from "node:assert/strict";
import { test } from "node:test";
import { BoundedChannel } from "../../foundation/bounded-channel.ts";
import { RuntimeError, isRuntimeError } from "../../foundation/errors.ts";
import type { IdSource } from "../../foundation/ids.ts";
import { ANSWERS } from "../../testing/road-fixtures.ts";
import { ManualClock } from "../../testing/manual-clock.ts";
import { parseCharacterId, parseMessageId, parseTurnId, partIdOf } from "../../vocabulary/ids.ts";
import type { Heard, InboundEvent } from "../../vocabulary/inbound.ts";
import type { OutcomeChange } from "../../vocabulary/outcome.ts";
import type { Part } from "../../vocabulary/part.ts";
import { directPlace, publicPlace } from "../../vocabulary/place.ts";
import { LOCAL_OWNER, parsePrincipalId } from "../../vocabulary/principal.ts";
import type { TerminalOutput, TerminalSession } from "../../vocabulary/terminal-session.ts";
import type { Inbox } from "../surface.ts";
import type { TerminalSurface } from "./terminal.ts";
import { TERMINAL, createTerminal } from "./terminal.ts";

const signal = new AbortController().signal;
const MIRELLE = parseCharacterId("mirelle");
const TOBIAS = parseCharacterId("tobias");
const PLACE = directPlace(TERMINAL, MIRELLE, LOCAL_OWNER);
const TURN = parseTurnId("t-aaaa");

interface Stage {
  readonly terminal: TerminalSurface;
  readonly clock: ManualClock;
  readonly heard: InboundEvent[];
  /** What whoever attaches next is given. */
  readonly missed: { readonly text: string; readonly action: string; readonly atMs: number }[];
  publish(change: OutcomeChange): void;
}

function stage(hear: (event: InboundEvent, n: number) => Heard = (_, n) => ({ kind: "admitted", id: parseMessageId(`m-000${n}`) })): Stage {
  const clock = new ManualClock();
  const listeners = new Set<(change: OutcomeChange) => void>();
  const heard: InboundEvent[] = [];
  const missed: Stage["missed"] = [];
  let n = 0;
  const ids: IdSource = { next: (prefix) => `${prefix}-${++n}` };
  const terminal = createTerminal({
    clock,
    ids,
    characters: () =>
      new Map([
        [MIRELLE, { name: "Mirelle" }],
        [TOBIAS, { name: "Tobias" }],
      ]),
    understudy: () => true,
    missed: () => Promise.resolve(missed.splice(0)),
    outcomes: {
      subscribe(listener) {
        listeners.add(listener);
        return { [Symbol.dispose]: () => void listeners.delete(listener) };
      },
    },
  });
  const inbox: Inbox = {
    hear: (event) => {
      heard.push(event);
      return Promise.resolve(hear(event, heard.length));
    },
  };
  const opened = terminal.open(inbox, signal);
  assert.ok(opened instanceof Promise);
  return { terminal, clock, heard, missed, publish: (change) => listeners.forEach((listener) => listener(change)) };
}

function session(
  character: string | null = null,
): TerminalSession & { readonly typed: BoundedChannel<string>; readonly shown: TerminalOutput[]; answer: Promise<boolean> } {
  const typed = new BoundedChannel<string>(16);
  const shown: TerminalOutput[] = [];
  const made = {
    character,
    typed,
    lines: typed,
    shown,
    answer: Promise.resolve(true),
    show(output: TerminalOutput): Promise<boolean> {
      shown.push(output);
      return made.answer;
    },
  };
  return made;
}

function part(body: string, more: Partial<Part> = {}): Part {
  return {
    id: partIdOf(TURN, 0),
    turn: TURN,
    character: MIRELLE,
    place: PLACE,
    index: 0,
    count: 1,
    body,
    action: "",
    answers: ANSWERS,
    generation: 1,
    createdAtMs: 0,
    ...more,
  };
}

const final = (id: string, more: Partial<OutcomeChange> = {}): OutcomeChange => ({
  id: parseMessageId(id),
  person: LOCAL_OWNER,
  place: PLACE.id,
  outcome: "answered",
  tookMs: 5,
  words: true,
  ...more,
});
const settle = async (): Promise<void> => {
  for (let n = 0; n < 5; n += 1) await new Promise<void>((resolve) => setImmediate(resolve));
};

test("SE-081 a typed line is the owner's own, direct, with assurance local and a delivery id of its own", async () => {
  const { terminal, heard, publish } = stage();
  const here = session();
  const attached = terminal.attach(here, signal);
  here.typed.trySend("hello");
  here.typed.trySend("   ");
  here.typed.trySend("hello");
  here.typed.close();
  await settle();
  assert.deepEqual(
    heard.map(({ sender, place, text, alone, to }) => ({
      principal: sender.principal,
      kind: sender.kind,
      assurance: sender.assurance,
      place,
      text,
      alone,
      to,
    })),
    [
      { principal: LOCAL_OWNER, kind: "person", assurance: "local", place: PLACE, text: "hello", alone: true, to: MIRELLE },
      { principal: LOCAL_OWNER, kind: "person", assurance: "local", place: PLACE, text: "hello", alone: true, to: MIRELLE },
    ],
  );
  assert.notEqual(heard[0]?.deliveryId, heard[1]?.deliveryId);
  publish(final("m-0001"));
  publish(final("m-0002"));
  await attached;
});

test("TR-042 when the typed lines end, answers under way are shown before the terminal is let go", async () => {
  const { terminal, publish } = stage();
  const here = session();
  let over = false;
  const attached = terminal.attach(here, signal).then(() => (over = true));
  here.typed.trySend("hello");
  here.typed.close();
  await settle();
  assert.equal(over, false);
  assert.deepEqual(await terminal.send(part("Good evening.\nSit down."), signal), { kind: "delivered", platformId: "t-aaaa.0" });
  publish(final("m-0001", { outcome: "waiting" }));
  await settle();
  assert.equal(over, false);
  publish(final("m-0001"));
  await attached;
  assert.deepEqual(here.shown, [
    { kind: "heard", id: "m-0001" },
    { kind: "said", name: "Mirelle", badge: "understudy", action: null, lines: ["Good evening.", "Sit down."], last: true },
  ]);
});

test("TR-042 an outcome that is there before hear has resolved is not missed", async () => {
  const made: { stage?: Stage } = {};
  made.stage = stage((_, n) => {
    made.stage?.publish(final(`m-000${n}`, { outcome: "resting", words: false }));
    return { kind: "admitted", id: parseMessageId(`m-000${n}`) };
  });
  const here = session();
  here.typed.trySend("hello");
  here.typed.close();
  await made.stage.terminal.attach(here, signal);
  assert.deepEqual(
    here.shown.map(({ kind }) => kind),
    ["heard", "notice"],
  );
});

test("TR-042 a part that finds nobody attached has failed with a reason, and one for another place never gets here", async () => {
  const { terminal } = stage();
  assert.deepEqual(await terminal.send(part("hello"), signal), { kind: "failed", reason: "nobody_attached" });
  const here = session("tobias");
  const leaving = new AbortController();
  const attached = terminal.attach(here, leaving.signal).catch((error: unknown) => error);
  assert.deepEqual(await terminal.send(part("hello"), signal), { kind: "failed", reason: "nobody_attached" });
  const elsewhere = [publicPlace(TERMINAL), directPlace(TERMINAL, TOBIAS, parsePrincipalId("room:ann"))];
  for (const place of elsewhere)
    assert.deepEqual(await terminal.send(part("hello", { place, character: TOBIAS }), signal), {
      kind: "failed",
      reason: "not_this_surface",
    });
  assert.deepEqual(here.shown, []);
  leaving.abort(new RuntimeError("aborted", "Cannot go on: left"));
  assert.ok(isRuntimeError(await attached, "aborted"));
  assert.deepEqual(await terminal.send(part("hello", { character: TOBIAS }), signal), { kind: "failed", reason: "nobody_attached" });
});

test("TR-007 TR-042 with nothing more typed, a line whose turn waits for its person lets the terminal go and says where to answer; one that goes on is waited for", async () => {
  const { terminal, publish } = stage();
  const here = session();
  let over = false;
  const attached = terminal.attach(here, signal).then(() => (over = true));
  here.typed.trySend("paint it");
  here.typed.trySend("allow 1");
  await settle();
  publish(final("m-0001", { outcome: "waiting", asks: true }));
  here.typed.close();
  await settle();
  assert.equal(over, false, "the second line is under way");
  publish(final("m-0001", { outcome: "waiting", asks: false }));
  publish(final("m-0002", { words: false }));
  await settle();
  assert.equal(over, false, "the first goes on with its answer");
  publish(final("m-0001", { outcome: "waiting", asks: true }));
  await attached;
  assert.deepEqual(
    here.shown.flatMap((output) => (output.kind === "notice" ? [output.text] : [])),
    ["Mirelle chose to say nothing.", "A question waits for your answer: troupe approvals."],
  );
});

test("TR-007 a line that its own person stopped is not told to be said again", async () => {
  const { terminal, publish } = stage();
  const here = session();
  const attached = terminal.attach(here, signal);
  here.typed.trySend("think hard");
  here.typed.trySend("and this");
  here.typed.close();
  await settle();
  publish(final("m-0001", { outcome: "interrupted", words: false, own: true }));
  publish(final("m-0002", { outcome: "interrupted", words: false }));
  await attached;
  assert.deepEqual(
    here.shown.flatMap((output) => (output.kind === "notice" ? [output.text] : [])),
    ["That got no answer. Say it again."],
  );
});

test("TR-042 whoever attaches is shown first what was said while nobody was there", async () => {
  const { terminal, missed } = stage();
  missed.push({ text: "Good morning.\u202e\nThe kettle is on.", action: "", atMs: Date.UTC(2026, 11, 1, 8) });
  const here = session();
  here.typed.close();
  await terminal.attach(here, signal);
  assert.deepEqual(here.shown, [
    { kind: "notice", text: "While nobody was here, 2026-12-01 08:00Z:" },
    { kind: "said", name: "Mirelle", badge: null, action: null, lines: ["Good morning.⟨202E⟩", "The kettle is on."], last: true },
  ]);
});

test("TR-042 a terminal that went away or does not answer in time leaves the part unknown", async () => {
  const { terminal, clock } = stage();
  const here = session();
  const leaving = new AbortController();
  const attached = terminal.attach(here, leaving.signal).catch((error: unknown) => error);
  here.answer = Promise.resolve(false);
  assert.deepEqual(await terminal.send(part("hello"), signal), { kind: "unknown", reason: "terminal_left" });
  here.answer = new Promise(() => undefined);
  const sent = terminal.send(part("hello"), signal);
  await clock.advance(10_000);
  assert.deepEqual(await sent, { kind: "unknown", reason: "terminal_left" });
  leaving.abort(new RuntimeError("aborted", "Cannot go on: left"));
  await attached;
});

test("SE-094 the owner hears the reason of a line that was kept out, and of a silence", async () => {
  const { terminal, publish } = stage((_, n) =>
    n === 1 ? { kind: "suppressed", id: parseMessageId("m-0001"), reason: "budget" } : { kind: "admitted", id: parseMessageId("m-0002") },
  );
  const here = session();
  const attached = terminal.attach(here, signal);
  here.typed.trySend("one");
  here.typed.trySend("two");
  here.typed.close();
  await settle();
  publish(final("m-0002", { person: parsePrincipalId("room:ann"), words: false }));
  publish(final("m-0002", { words: false }));
  await attached;
  assert.deepEqual(
    here.shown.filter(({ kind }) => kind === "notice"),
    [
      { kind: "notice", text: "Not answered: budget." },
      { kind: "notice", text: "Mirelle chose to say nothing." },
    ],
  );
});

test("SE-103 names, actions and each line of a part are printable one by one", async () => {
  const { terminal } = stage();
  const here = session();
  const leaving = new AbortController();
  const attached = terminal.attach(here, leaving.signal).catch((error: unknown) => error);
  terminal.typing(MIRELLE, PLACE, true);
  await terminal.send(part("a\u001b[31mred\nb\u202e\r", { action: "waves\u0007" }), signal);
  assert.deepEqual(here.shown, [
    { kind: "typing", name: "Mirelle", on: true },
    { kind: "said", name: "Mirelle", badge: "understudy", action: "waves⟨0007⟩", lines: ["a⟨001B⟩[31mred", "b⟨202E⟩⟨000D⟩"], last: true },
  ]);
  leaving.abort(new RuntimeError("aborted", "Cannot go on: left"));
  await attached;
});

test("MC-102 the surface's end lets every terminal go, and unknown characters and a ninth terminal are refused", async () => {
  const { terminal } = stage();
  await assert.rejects(terminal.attach(session("nobody"), signal), (error) => isRuntimeError(error, "not_found"));
  const attached = Array.from({ length: 8 }, () => terminal.attach(session(), signal).catch((error: unknown) => error));
  await assert.rejects(terminal.attach(session(), signal), (error) => isRuntimeError(error, "capacity"));
  await terminal[Symbol.asyncDispose]();
  for (const error of await Promise.all(attached)) assert.ok(isRuntimeError(error, "aborted"));
  await assert.rejects(terminal.attach(session(), signal), (error) => isRuntimeError(error, "closed"));
});
