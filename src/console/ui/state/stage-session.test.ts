import assert from "node:assert/strict";
import { test } from "node:test";
import type { InviteAnswer, LineView, RoomView, SayRequest, StreamEvent } from "../../../surfaces/room/protocol.ts";
import { ManualClock } from "../../../testing/manual-clock.ts";
import { Credentials } from "./credentials.ts";
import { InviteKeeper } from "./invite-keeper.ts";
import { createKeptText } from "./kept-text.ts";
import { nextStage } from "./next-stage.ts";
import { RoomClient, SILENCE_MS } from "./room-client.ts";
import { StageSession } from "./stage-session.ts";
import type { StageStore } from "./stage-session.ts";
import { emptyStage } from "./stage-state.ts";
import type { StageState, UnsentLine } from "./stage-state.ts";

const PUBLIC = { kind: "public" } as const;

/** The far end of the wire: streams that a test writes to and breaks, and lines it takes or loses. */
class FarEnd {
  readonly clock: ManualClock;
  door: "room" | "console" = "room";
  entry: "open" | "invited" = "open";
  invite: InviteAnswer = { state: "unknown" };
  /** Whether the answer to the next use of an invite is lost on its way. */
  losesRedeemed = false;
  ended: { readonly ended?: "expired" | "revoked" } = {};
  readonly claims: string[] = [];
  isDown = false;
  secrets = new Set<string>(["s-ann"]);
  says: "keep" | "lose_answer" | "too_many" | "vanish" = "keep";
  readonly heard: SayRequest[] = [];
  readonly kept = new Map<string, LineView>();
  readonly calls: string[] = [];
  readonly bearers: (string | null)[] = [];
  streams: ReadableStreamDefaultController<Uint8Array>[] = [];

  constructor(clock: ManualClock) {
    this.clock = clock;
  }

  readonly fetch = (path: string, init: RequestInit): Promise<Response> => {
    const call = `${init.method ?? "GET"} ${path}`;
    this.calls.push(call);
    if (this.isDown) return Promise.reject(new TypeError("refused"));
    const bearer = new Headers(init.headers).get("authorization")?.replace("Bearer ", "") ?? null;
    this.bearers.push(bearer);
    return this.#atDoor(call, init, bearer) ?? this.#inside(call, init, bearer);
  };

  #atDoor(call: string, init: RequestInit, bearer: string | null): Promise<Response> | null {
    if (call === "POST /api/door") return answer(200, { door: this.door, ...(this.door === "room" ? { entry: this.entry } : {}) });
    if (call === "POST /api/invites/look") return answer(200, this.invite);
    if (call === "POST /api/invites/redeem") return this.#redeem(init);
    if (call === "POST /api/leave" && bearer !== null) {
      this.secrets.delete(bearer);
      return Promise.resolve(new Response(null, { status: 204 }));
    }
    if (call === "POST /api/members") {
      this.secrets.add("s-new");
      return answer(201, { id: "m-new", name: "Ann", secret: "s-new" });
    }
    if (call === "POST /api/exchange") {
      this.secrets.add("token");
      return bodyOf(init).includes("right")
        ? answer(201, { token: "token" })
        : answer(401, { code: "unauthorized", message: "No.", door: "console" });
    }
    return null;
  }

  #inside(call: string, init: RequestInit, bearer: string | null): Promise<Response> {
    if (bearer === null || !this.secrets.has(bearer))
      return answer(401, { code: "unauthorized", message: "No.", door: this.door, ...this.ended });
    return call === "GET /api/stream" ? this.#stream(init) : this.#say(init);
  }

  push(event: StreamEvent): void {
    for (const stream of this.streams) stream.enqueue(new TextEncoder().encode(`${JSON.stringify(event)}\n`));
  }

  cut(): void {
    for (const stream of this.streams.splice(0)) stream.error(new TypeError("cut"));
  }

  #stream(init: RequestInit): Promise<Response> {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.streams = [controller];
        init.signal?.addEventListener("abort", () => controller.error(new TypeError("aborted")));
      },
    });
    this.push({
      type: "snapshot",
      room: room(this.door, this.clock),
      people: [],
      typing: [],
      pages: [{ place: PUBLIC, lines: [...this.kept.values()], older: null }],
    });
    return Promise.resolve(new Response(body, { status: 200 }));
  }

  /** Takes an invite once, and again from the same claim. */
  #redeem(init: RequestInit): Promise<Response> {
    const { claim } = JSON.parse(bodyOf(init)) as { claim: string };
    if (this.claims[0] !== undefined && this.claims[0] !== claim) return answer(200, { state: "used" });
    this.claims.push(claim);
    this.secrets.add("s-kim");
    this.invite = { state: "used" };
    if (this.losesRedeemed) return Promise.reject(new TypeError("cut after it arrived"));
    return answer(200, { state: "joined", id: "m-kim", name: "Kim", secret: "s-kim" });
  }

  #say(init: RequestInit): Promise<Response> {
    const said: SayRequest = JSON.parse(bodyOf(init));
    if (this.says === "too_many") return answer(429, { code: "too_many", message: "Slow down.", retryAfterMs: 4_000 });
    if (this.says === "vanish") return Promise.reject(new TypeError("cut before it arrived"));
    const line = this.kept.get(said.clientLineId) ?? lineOf(said, this.kept.size);
    if (!this.kept.has(said.clientLineId)) this.heard.push(said);
    this.kept.set(said.clientLineId, line);
    if (this.says === "lose_answer") return Promise.reject(new TypeError("cut after it arrived"));
    this.push({ type: "line", line });
    return answer(202, { lineId: line.id, own: line.own });
  }
}

function bodyOf(init: RequestInit): string {
  return typeof init.body === "string" ? init.body : "";
}

function answer(status: number, value: unknown): Promise<Response> {
  return Promise.resolve(new Response(JSON.stringify(value), { status }));
}

function lineOf(said: SayRequest, count: number): LineView {
  const own = { clientLineId: said.clientLineId, outcome: "waiting", tookMs: null, words: true } as const;
  const author = { kind: "person", id: "m-1", name: "Ann", you: true } as const;
  return {
    id: `m-${count}`,
    place: PUBLIC,
    atMs: 0,
    author,
    action: "",
    parts: [{ id: `m-${count}.0`, index: 0, body: said.text }],
    partCount: 1,
    own,
  };
}

function room(door: "room" | "console", clock: ManualClock): RoomView {
  return {
    door,
    role: door === "room" ? "guest" : "operator",
    name: "parlour",
    title: "The Foyer",
    self: { id: "m-1", name: "Ann", untilMs: null, optedOut: false },
    entry: "open",
    siblings: [],
    characters: [],
    voice: { kind: "understudy" },
    limits: { nameCharacters: 40, lineBytes: 2_000 },
    nowMs: clock.nowMs(),
    operator: null,
  };
}

interface Bench extends AsyncDisposable {
  readonly far: FarEnd;
  readonly clock: ManualClock;
  readonly session: StageSession;
  readonly credentials: Credentials;
  readonly invites: InviteKeeper;
  readonly gone: () => number;
  readonly state: () => StageState;
  readonly settle: () => Promise<void>;
}

function openBench(options: { readonly secret?: string; readonly unsent?: readonly UnsentLine[] } = {}): Bench {
  const clock = new ManualClock();
  const far = new FarEnd(clock);
  const memory = (): ReturnType<typeof createKeptText> =>
    createKeptText(() => {
      throw new TypeError("no storage");
    });
  const credentials = new Credentials(memory(), memory());
  if (options.secret !== undefined) credentials.keepMember({ id: "m-1", name: "Ann", secret: options.secret });
  let state = emptyStage(options.unsent ?? []);
  const store: StageStore = {
    read: () => state,
    dispatch(action) {
      state = nextStage(state, action);
    },
  };
  const client = new RoomClient({ fetch: far.fetch, clock, bearer: () => credentials.bearer(), room: null });
  let count = 0;
  let gone = 0;
  const invites = new InviteKeeper(memory(), () => "claim-of-this-browser");
  const onGone = (): void => void (gone += 1);
  const freshId = (): string => `c-${++count}`;
  const session = new StageSession({ client, store, credentials, invites, onGone, clock, random: () => 0, freshId });
  return {
    far,
    clock,
    session,
    credentials,
    invites,
    gone: () => gone,
    state: () => state,
    settle: () => clock.advance(0),
    [Symbol.asyncDispose]: () => session[Symbol.asyncDispose](),
  };
}

test("SE-087 a newcomer is asked for a name, and the secret goes into a header and never into an address", async () => {
  await using bench = openBench();
  bench.session.open(null);
  await bench.settle();
  assert.equal(bench.state().phase.kind, "name");
  bench.session.join("Ann");
  await bench.settle();
  assert.equal(bench.state().phase.kind, "stage");
  assert.equal(bench.credentials.bearer(), "s-new");
  assert.equal(bench.far.bearers.at(-1), "s-new");
  assert.ok(bench.far.calls.every((call) => !call.includes("s-new")));
});

test("SE-086 a code is exchanged once and the session's token used from then on; a wrong one asks again", async () => {
  await using bench = openBench();
  bench.far.door = "console";
  bench.session.open("wrong");
  await bench.settle();
  const { phase } = bench.state();
  assert.ok(phase.kind === "code" && phase.error?.code === "unauthorized");
  bench.session.exchange("right");
  await bench.settle();
  assert.deepEqual([bench.state().phase.kind, bench.far.bearers.at(-1)], ["stage", "token"]);
  assert.equal(bench.far.calls.filter((call) => call === "POST /api/exchange").length, 2);
});

test("a broken stream is told at once, tried again with growing waits, and begins anew with a snapshot", async () => {
  await using bench = openBench({ secret: "s-ann" });
  bench.session.open(null);
  await bench.settle();
  assert.equal(bench.state().link.kind, "live");
  bench.far.isDown = true;
  bench.far.cut();
  await bench.settle();
  const down = bench.state().link;
  assert.ok(down.kind === "down");
  assert.deepEqual([down.sinceMs, down.retryAtMs], [bench.clock.nowMs(), bench.clock.nowMs() + 500]);
  await bench.clock.advance(500 + 1_000 + 2_000);
  assert.equal(bench.far.calls.filter((call) => call === "GET /api/stream").length, 4);
  bench.far.isDown = false;
  await bench.clock.advance(4_000);
  assert.equal(bench.state().link.kind, "live");
});

test("somebody who does not want to wait is connected at once", async () => {
  await using bench = openBench({ secret: "s-ann" });
  bench.far.isDown = true;
  bench.session.open(null);
  await bench.clock.advance(60_000);
  bench.far.isDown = false;
  bench.session.wake();
  await bench.settle();
  assert.equal(bench.state().link.kind, "live");
});

test("silence on the stream is a lost link, and a beat is none", async () => {
  await using bench = openBench({ secret: "s-ann" });
  bench.session.open(null);
  await bench.clock.advance(SILENCE_MS - 1);
  bench.far.push({ type: "beat", nowMs: bench.clock.nowMs() });
  await bench.clock.advance(SILENCE_MS - 1);
  assert.equal(bench.state().link.kind, "live");
  await bench.clock.advance(1);
  assert.equal(bench.state().link.kind, "down");
});

test("TR-042 a line whose answer was lost is sent again under its id and stands once", async () => {
  await using bench = openBench({ secret: "s-ann" });
  bench.session.open(null);
  await bench.settle();
  bench.far.says = "lose_answer";
  assert.equal(bench.session.say({ place: PUBLIC, to: null, text: "hello" }), true);
  await bench.settle();
  assert.deepEqual(
    bench.state().unsent.map((line) => line.state.kind),
    ["waiting"],
  );
  bench.far.says = "keep";
  await bench.clock.advance(1_000);
  assert.deepEqual(
    bench.far.heard.map((said) => said.clientLineId),
    ["c-1"],
  );
  assert.equal(bench.far.calls.filter((call) => call === "POST /api/lines").length, 2);
  assert.deepEqual(bench.state().unsent, []);
  assert.equal(bench.state().places["public"]?.lines.length, 1);
});

test("TR-042 a line that broke with the process is said once after the reconnect, before what is said later", async () => {
  await using bench = openBench({ secret: "s-ann" });
  bench.session.open(null);
  await bench.settle();
  bench.far.says = "vanish";
  bench.session.say({ place: PUBLIC, to: null, text: "first" });
  bench.session.say({ place: PUBLIC, to: null, text: "second" });
  await bench.settle();
  bench.far.isDown = true;
  bench.far.cut();
  await bench.clock.advance(1_000);
  assert.equal(bench.session.say({ place: PUBLIC, to: null, text: "while down" }), false);
  bench.far.says = "keep";
  bench.far.isDown = false;
  await bench.clock.advance(15_000);
  assert.deepEqual(
    bench.far.heard.map((said) => said.text),
    ["first", "second"],
  );
  assert.deepEqual(bench.state().unsent, []);
});

test("TR-042 a line that an earlier load of the tab had not got through goes out once under its old id", async () => {
  const unsent: UnsentLine = { clientLineId: "old-1", place: PUBLIC, to: null, text: "from before", atMs: 0, state: { kind: "waiting" } };
  await using bench = openBench({ secret: "s-ann", unsent: [unsent] });
  bench.session.open(null);
  await bench.settle();
  assert.deepEqual(
    bench.far.heard.map((said) => said.clientLineId),
    ["old-1"],
  );
});

test("a refused line stays, and goes out when its author says so", async () => {
  await using bench = openBench({ secret: "s-ann" });
  bench.session.open(null);
  await bench.settle();
  bench.far.says = "too_many";
  bench.session.say({ place: PUBLIC, to: null, text: "hello" });
  await bench.clock.advance(60_000);
  const [line] = bench.state().unsent;
  assert.ok(line?.state.kind === "refused" && line.state.trouble.code === "too_many");
  assert.equal(bench.far.calls.filter((call) => call === "POST /api/lines").length, 1);
  bench.far.says = "keep";
  bench.session.sayAgain("c-1");
  await bench.settle();
  assert.deepEqual([bench.far.heard.length, bench.state().unsent.length], [1, 0]);
});

test("SE-086 a session that died with the process asks for a new code and keeps what is unsent", async () => {
  await using bench = openBench();
  bench.far.door = "console";
  bench.session.open("right");
  await bench.settle();
  bench.far.says = "vanish";
  bench.session.say({ place: PUBLIC, to: null, text: "kept" });
  await bench.settle();
  bench.far.secrets.clear();
  bench.far.cut();
  await bench.clock.advance(500);
  const { phase } = bench.state();
  assert.ok(phase.kind === "code" && phase.ended && phase.error === null);
  assert.equal(bench.credentials.bearer(), null);
  bench.far.says = "keep";
  bench.session.exchange("right");
  await bench.clock.advance(1_000);
  assert.deepEqual(
    bench.far.heard.map((said) => said.text),
    ["kept"],
  );
});

test("SE-087 a membership that has ended asks for a name and offers the old one", async () => {
  await using bench = openBench({ secret: "s-forgotten" });
  bench.session.open(null);
  await bench.settle();
  const { phase } = bench.state();
  assert.ok(phase.kind === "name" && phase.before === "Ann");
});

test("MC-096 nothing is sent and no timer waits after the session has ended", async () => {
  const bench = openBench({ secret: "s-ann" });
  bench.far.isDown = true;
  bench.session.open(null);
  await bench.clock.advance(3_000);
  await bench[Symbol.asyncDispose]();
  const { length } = bench.far.calls;
  await bench.clock.advance(120_000);
  assert.deepEqual([bench.far.calls.length, bench.clock.pending], [length, 0]);
});

const OPEN_INVITE: InviteAnswer = { state: "open", name: "Kim", title: "The Foyer", untilMs: 10_000_000 };

/** A bench whose tab was opened with an invite. */
async function openInvited(options: { readonly secret?: string } = {}): Promise<Bench> {
  const bench = openBench(options);
  bench.far.entry = "invited";
  bench.far.invite = OPEN_INVITE;
  bench.invites.hold("the-code");
  bench.session.open(null);
  await bench.settle();
  return bench;
}

test("TR-094 an invite is looked at without being used, and used by the press of a button; the code stands in no address", async () => {
  await using bench = await openInvited();
  const { phase } = bench.state();
  assert.ok(phase.kind === "invite" && phase.invite?.name === "Kim");
  assert.deepEqual(bench.far.claims, []);
  bench.session.acceptInvite();
  await bench.settle();
  assert.deepEqual([bench.state().phase.kind, bench.credentials.bearer(), bench.invites.held()], ["stage", "s-kim", null]);
  assert.ok(bench.far.calls.every((call) => !call.includes("the-code")));
});

test("TR-094 an answer that was lost on its way is asked for again by the same browser, also after a reload", async () => {
  await using bench = await openInvited();
  bench.far.losesRedeemed = true;
  bench.session.acceptInvite();
  await bench.settle();
  const { phase } = bench.state();
  assert.ok(phase.kind === "invite" && phase.error?.code === "unreachable" && phase.invite?.name === "Kim");
  bench.far.losesRedeemed = false;
  // As a reload does: look at what the tab holds; it was used, and the claim says by whom.
  bench.session.lookAtInvite();
  await bench.settle();
  assert.deepEqual([bench.state().phase.kind, bench.credentials.bearer()], ["stage", "s-kim"]);
  assert.equal(new Set(bench.far.claims).size, 1);
});

for (const state of ["used", "expired", "revoked", "unknown"] as const) {
  test(`TR-094 a link that is ${state} says so, is dropped, and keeps nobody out who is in`, async () => {
    await using bench = openBench();
    bench.far.entry = "invited";
    bench.far.invite = { state };
    bench.far.claims.push("another browser's claim");
    bench.invites.hold("the-code");
    bench.session.open(null);
    await bench.settle();
    assert.deepEqual([bench.state().phase, bench.invites.held()], [{ kind: "closed", why: state, name: "" }, null]);

    await using inside = openBench({ secret: "s-ann" });
    inside.far.invite = { state };
    inside.invites.hold("the-code");
    inside.session.open(null);
    await inside.settle();
    assert.equal(inside.state().phase.kind, "stage");
  });
}

test("TR-094 a room by invitation asks nobody for a name", async () => {
  await using bench = openBench();
  bench.far.entry = "invited";
  bench.session.open(null);
  await bench.settle();
  assert.deepEqual(bench.state().phase, { kind: "closed", why: "invited_only", name: "" });
});

for (const how of ["expired", "revoked"] as const) {
  test(`TR-094 a stay that was ${how} ends the page at once, and this browser keeps neither key nor words`, async () => {
    await using bench = openBench({ secret: "s-ann" });
    bench.session.open(null);
    await bench.settle();
    bench.far.push({ type: "end", reason: how });
    await bench.settle();
    assert.deepEqual(bench.state().phase, { kind: "closed", why: `stay_${how}`, name: "Ann" });
    assert.deepEqual([bench.credentials.bearer(), bench.state().room, bench.state().places, bench.gone()], [null, null, {}, 1]);

    await using later = openBench({ secret: "s-old" });
    later.far.ended = { ended: how };
    later.session.open(null);
    await later.settle();
    assert.deepEqual([later.state().phase, later.gone()], [{ kind: "closed", why: `stay_${how}`, name: "Ann" }, 1]);
  });
}

test("SE-087 leaving erases this browser's key, also where nobody can be told", async () => {
  await using bench = openBench({ secret: "s-ann" });
  bench.session.open(null);
  await bench.settle();
  bench.far.isDown = true;
  bench.session.leave();
  await bench.settle();
  assert.deepEqual([bench.state().phase.kind, bench.credentials.bearer(), bench.gone()], ["left", null, 1]);
});

test("TR-094 whoever was here under another name leaves it when they come in by an invite, with what they had not sent", async () => {
  const unsent: UnsentLine = { clientLineId: "old-1", place: PUBLIC, to: null, text: "as Ann", atMs: 0, state: { kind: "waiting" } };
  await using bench = openBench({ secret: "s-ann", unsent: [unsent] });
  bench.far.invite = OPEN_INVITE;
  bench.invites.hold("the-code");
  bench.session.open(null);
  await bench.settle();
  assert.equal(bench.state().phase.kind, "invite");
  bench.session.acceptInvite();
  await bench.settle();
  assert.equal(bench.credentials.bearer(), "s-kim");
  assert.deepEqual([bench.far.secrets.has("s-ann"), bench.far.heard], [false, []]);
});
