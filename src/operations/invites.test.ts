import assert from "node:assert/strict";
import { mkdtemp, readFile, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { isRuntimeError } from "../foundation/errors.ts";
import type { Line } from "../foundation/line.ts";
import { ManualClock } from "../testing/manual-clock.ts";
import type { InviteId } from "../vocabulary/ids.ts";
import { parsePrincipalId } from "../vocabulary/principal.ts";
import type { Screen } from "./faces/screen.ts";
import { bindInviteCommand } from "./invite-command.ts";
import type { InviteNeeds, InvitingRoom, MadeOrNot } from "./invites.ts";
import { bindInviteCode, bindInvites } from "./invites.ts";
import { LOCAL_ACTOR } from "./local-actor.ts";
import type { Operations } from "./operations.ts";
import { createOperations } from "./operations.ts";

const { signal } = new AbortController();
const CODE = "AAAAAAAAAAAAAAAAAAAAAAAA";
const KIM = parsePrincipalId("room:m-kim");
const HOUR_MS = 3_600_000;

interface Bench {
  readonly clock: ManualClock;
  readonly wishes: { readonly name: string; readonly forMs: number }[];
  readonly revoked: InviteId[];
  readonly dismissed: string[];
  readonly operations: Operations;
  readonly run: (name: string, args: object) => Promise<Record<string, unknown>>;
}

function bench(rooms: readonly string[] = ["parlour"], answer: MadeOrNot["kind"] = "made"): Bench {
  const clock = new ManualClock(1_800_000_000_000);
  const bench = { clock, wishes: [] as Bench["wishes"], revoked: [] as InviteId[], dismissed: [] as string[] };
  const list: {
    -readonly [Key in keyof ReturnType<InviteNeeds["ledger"]["list"]>[number]]: ReturnType<InviteNeeds["ledger"]["list"]>[number][Key];
  }[] = [];
  const roomOf = (name: string): InvitingRoom => ({
    name,
    title: `The ${name}`,
    url: "https://inn.example.org",
    outside: true,
    invite(wish) {
      bench.wishes.push(wish);
      if (answer !== "made") return Promise.resolve({ kind: answer });
      const made = { id: `i-000${list.length + 1}`, name: wish.name, untilMs: clock.nowMs() + wish.forMs };
      list.push({ ...made, room: name, madeAtMs: clock.nowMs(), usedAtMs: null, member: null, revokedAtMs: null });
      return Promise.resolve({ kind: "made", code: CODE, ...made });
    },
    dismiss: (person, reason) => void bench.dismissed.push(`${name} ${person} ${reason}`),
  });
  const open = rooms.map(roomOf);
  const ledger: InviteNeeds["ledger"] = {
    list: () => list,
    revoke({ id, atMs }) {
      const found = list.find((one) => one.id === id);
      if (found === undefined || found.revokedAtMs !== null) return Promise.resolve({ revoked: false, member: null });
      found.revokedAtMs = atMs;
      bench.revoked.push(id);
      return Promise.resolve({ revoked: true, member: KIM });
    },
  };
  const operations = createOperations([bindInviteCode(() => open), ...bindInvites({ clock, ledger, rooms: () => open })]);
  const run = async (name: string, args: object): Promise<Record<string, unknown>> => {
    const result = await operations.run(name, args, LOCAL_ACTOR, signal);
    operations.present(name, result);
    return JSON.parse(JSON.stringify(result));
  };
  return { ...bench, operations, run };
}

const fails = async (work: Promise<unknown>, code: "usage" | "not_found" | "forbidden", message: RegExp): Promise<void> =>
  assert.rejects(work, (error) => isRuntimeError(error, code) && message.test(error.message));

test("TR-094 an invite is for a name and a time, of the only room or of one that is named", async () => {
  const one = bench();
  const made = await one.run("invite-code", { name: "Kim", for: "30m" });
  assert.deepEqual([made["code"], made["room"], made["untilMs"]], [CODE, "parlour", one.clock.nowMs() + 30 * 60_000]);
  await one.run("invite-code", { name: "Lou" });
  assert.deepEqual(
    one.wishes.map(({ name, forMs }) => [name, forMs]),
    [
      ["Kim", 30 * 60_000],
      ["Lou", 4 * HOUR_MS],
    ],
  );
  await fails(one.run("invite-code", { name: "Kim", for: "15d" }), "usage", /two weeks at most/);
  await fails(one.run("invite-code", { name: "Kim", for: "soon" }), "usage", /30m, 4h or 2d/);
  await fails(one.run("invite-code", { name: "Kim", room: "cellar" }), "not_found", /There is: parlour/);
  const two = bench(["parlour", "yard"]);
  await fails(two.run("invite-code", { name: "Kim" }), "usage", /--room\. There is: parlour, yard/);
  assert.equal((await two.run("invite-code", { name: "Kim", room: "yard" }))["room"], "yard");
  await fails(bench([]).run("invite-code", { name: "Kim" }), "not_found", /no room is configured/);
});

for (const [kind, words] of [
  ["name_invalid", /1 to 40 visible characters/],
  ["name_reserved", /a character's, yours or the room's own/],
  ["name_taken", /somebody has that name/],
  ["full", /too many invites are open/],
] as const) {
  test(`TR-094 an invite that is refused as ${kind} says why and what helps`, async () => {
    await fails(bench(["parlour"], kind).run("invite-code", { name: "Kim" }), "usage", words);
  });
}

test("TR-094 the list says what each invite is good for, and never its code", async () => {
  const { run, clock } = bench();
  await run("invite-code", { name: "Kim", for: "1h" });
  const list = async (): Promise<string> => JSON.stringify((await run("invites", {}))["invites"]);
  assert.match(await list(), /"state":"open"/);
  assert.ok(!(await list()).includes(CODE));
  await clock.advance(HOUR_MS);
  assert.match(await list(), /"state":"expired"/);
});

test("TR-094 revoking shows out whoever came in, takes the beginning of an id, and says so when there is nothing to end", async () => {
  const { run, dismissed, revoked } = bench();
  await run("invite-code", { name: "Kim" });
  await run("invite-code", { name: "Lou" });
  await fails(run("invite-revoke", { id: "i-000" }), "usage", /several begin so/);
  await fails(run("invite-revoke", { id: "i-9" }), "not_found", /troupe invites/);
  await fails(run("invite-revoke", { id: " " }), "not_found", /troupe invites/);
  assert.deepEqual(await run("invite-revoke", { id: "i-0001" }), { id: "i-0001", name: "Kim", room: "parlour", member: KIM });
  assert.deepEqual([revoked, dismissed], [["i-0001"], [`parlour ${KIM} revoked`]]);
  await fails(run("invite-revoke", { id: "i-0001" }), "usage", /revoked before/);
});

test("SE-081 TR-094 nobody but the owner at the own computer makes, lists or ends invites", async () => {
  const { operations } = bench();
  for (const name of ["invite-code", "invites", "invite-revoke"])
    for (const [role, assurance] of [
      ["operator", "platform"],
      ["trusted", "local"],
      ["guest", "anonymous"],
    ] as const)
      await fails(operations.run(name, {}, { principal: KIM, role, assurance, channel: "direct" }, signal), "forbidden", /not from here/);
});

/** A screen that somebody looks at, or nobody. */
function screenOf(interactive: boolean): Screen & { readonly shown: string[] } {
  const shown: string[] = [];
  const print = (lines: readonly Line[]): void => void shown.push(...lines.map(({ text }) => text));
  return { interactive, columns: 120, print, printError: print, printJson: (value) => void shown.push(JSON.stringify(value)), shown };
}

test("SE-086 TR-094 the link is shown to eyes with its picture; with nobody looking it goes into a private file and into nothing else", async () => {
  const stateDirectory = await mkdtemp(join(tmpdir(), "troupe-invite-"));
  try {
    const { operations } = bench();
    const remote = (name: string, args: unknown): Promise<unknown> => operations.run(name, args, LOCAL_ACTOR, signal);
    const ran = async (args: object, interactive: boolean, json = false): Promise<{ result: string; shown: string }> => {
      const screen = screenOf(interactive);
      const command = bindInviteCommand({ screen, json, stateDirectory, remote });
      const result = await command.run(args, { actor: LOCAL_ACTOR, signal });
      const said = command.present(result).lines.map(({ text }) => text);
      return { result: JSON.stringify(result), shown: [...screen.shown, ...said].join("\n") };
    };
    const seen = await ran({ name: "Kim" }, true);
    assert.match(seen.shown, new RegExp(`https://inn\\.example\\.org/#invite=${CODE}`));
    assert.match(seen.shown, /▄|▀|█/);
    assert.match(seen.shown, /Kim into The parlour as a guest.*troupe invite revoke i-0001/s);
    assert.ok(!seen.result.includes(CODE), "programs get no code");
    assert.deepEqual(await readdir(stateDirectory), []);

    for (const [interactive, json] of [
      [false, false],
      [true, true],
    ] as const) {
      const kept = await ran({ name: "Lou" }, interactive, json);
      assert.ok(!kept.shown.includes(CODE) && !kept.result.includes(CODE));
      const file = String((JSON.parse(kept.result) as { file: string }).file);
      assert.equal((await stat(file)).mode & 0o777, 0o600);
      assert.equal(await readFile(file, "utf8"), `https://inn.example.org/#invite=${CODE}\n`);
    }
    assert.equal(
      (await ran({ action: "revoke", id: "i-0002" }, true)).shown,
      `Revoked: i-0002, Lou in parlour; ${KIM} is out, and can say nothing more.`,
    );
    assert.deepEqual(await readdir(stateDirectory), ["invite-i-0003.txt"], "a link that opens nothing is not left lying about");
    await fails(ran({}, true), "usage", /troupe invite --name Kim --for 4h/);
    await fails(ran({ action: "revoke" }, true), "usage", /troupe invite revoke ID/);
    await fails(ran({ action: "revoke", id: "i-0003", name: "Kim" }, true), "usage", /nothing else/);
  } finally {
    await rm(stateDirectory, { recursive: true });
  }
});
