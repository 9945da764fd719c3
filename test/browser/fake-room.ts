import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type {
  ApiError,
  CharacterView,
  Door,
  EndReason,
  Entry,
  InviteAnswer,
  LineView,
  OwnLineView,
  PersonView,
  PlaceView,
  RoomView,
  SayRequest,
  StreamEvent,
  TypingView,
  VoiceView,
} from "../../src/surfaces/room/protocol.ts";
import { STRICT_HEADERS } from "../../src/web/strict-headers.ts";
import type { BuiltFile } from "./built-page.ts";
import { FakeOperations } from "./fake-operations.ts";

/** What a fake room starts with. */
export interface FakeRoomOptions {
  readonly files: ReadonlyMap<string, BuiltFile>;
  readonly door?: Door;
  readonly entry?: Entry;
  readonly voice?: VoiceView;
  readonly characters?: readonly CharacterView[];
  /** Lines of a page of history. */
  readonly pageSize?: number;
  /** Rooms of the console beside the first. */
  readonly otherRooms?: readonly { readonly name: string; readonly title: string }[];
}

interface Member {
  readonly id: string;
  readonly name: string;
  readonly secret: string;
}

interface Reader {
  readonly member: Member;
  readonly room: string;
  readonly response: ServerResponse;
}

/** The first room's name. */
const FIRST = "parlour";

const MIRELLE: CharacterView = { id: "mirelle", name: "Mirelle", understudy: true };

/**
 * A room in memory that speaks the wire protocol and does nothing by itself: a test says what is said and when the line breaks.
 * It keeps a ledger of the lines it took, so that a test can see that nothing was said twice.
 */
export class FakeRoom implements AsyncDisposable {
  readonly #options: FakeRoomOptions;
  readonly #members = new Map<string, Member>();
  readonly #readers = new Set<Reader>();
  readonly #byClientId = new Map<string, LineView>();
  #server: Server | null = null;
  #port = 0;
  #count = 0;
  voice: VoiceView;
  characters: readonly CharacterView[];
  people: PersonView[] = [];
  typing: TypingView[] = [];
  /** Every line, with the member whose private line it stands in, and the room it was said in. */
  readonly lines: { line: LineView; readonly of: string | null; readonly room: string }[] = [];
  /** What the operators' pages ask for. */
  readonly operations: FakeOperations = new FakeOperations();
  /** Each line that was said, in the order it was taken. */
  readonly ledger: string[] = [];
  readonly #takers = new Set<{ readonly text: string; readonly take: () => void }>();
  readonly whys: Map<string, unknown> = new Map();
  /** Requests seen: method and path. */
  readonly requests: string[] = [];
  /** What to refuse the next `POST /api/lines` with. */
  nextSay: ApiError | null = null;
  /** Whether lines are taken and every answer to them is lost on the way. */
  losesAnswers: boolean = false;
  /** What the invite `good-invite` is good for; any other code is unknown. */
  invite: InviteAnswer = { state: "unknown" };
  /** Until when whoever comes in now may stay. */
  untilMs: number | null = null;
  optedOut = false;
  siblings: RoomView["siblings"] = [];
  /** Answer to the next `GET /api/lines`. */
  nextOlder: ApiError | null = null;
  /** Milliseconds before a stream begins. */
  streamDelayMs: number = 0;

  private constructor(options: FakeRoomOptions) {
    this.#options = options;
    this.voice = options.voice ?? { kind: "understudy" };
    this.characters = options.characters ?? [MIRELLE];
    this.addMember("local:owner", "the operator", "operator-token");
  }

  static async start(options: FakeRoomOptions): Promise<FakeRoom> {
    const room = new FakeRoom(options);
    await room.up();
    return room;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Listen, on the same port as before. */
  async up(): Promise<void> {
    const server = createServer((request, response) => this.#serve(request, response));
    await new Promise<void>((resolve) => server.listen(this.#port, "127.0.0.1", resolve));
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  /** Vanish as a killed process does: every socket breaks. */
  async down(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    this.#readers.clear();
    if (server === null) return;
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }

  /** Resolve once a line of this text is in the ledger: a page shows its own line before the room has it. */
  took(text: string): Promise<void> {
    if (this.ledger.includes(text)) return Promise.resolve();
    return new Promise((resolve) => {
      const taker = {
        text,
        take: (): void => {
          this.#takers.delete(taker);
          resolve();
        },
      };
      this.#takers.add(taker);
    });
  }

  #tellTakers(text: string): void {
    for (const taker of this.#takers) if (taker.text === text) taker.take();
  }

  addMember(id: string, name: string, secret: string): void {
    this.#members.set(secret, { id, name, secret });
  }

  forgetMembers(): void {
    this.#members.clear();
  }

  /** Send an event to every open page, or to one member's. */
  push(event: StreamEvent, of: string | null = null): void {
    for (const reader of this.#readers) {
      if (of === null || reader.member.id === of) reader.response.write(`${JSON.stringify(event)}\n`);
    }
  }

  /** Add a line of a character, whole. */
  speak(place: PlaceView, of: string | null, text: string, action = ""): LineView {
    const head = this.head(place, action, 1);
    const line = { ...head, parts: [{ id: `${head.id}.0`, index: 0, body: text }] };
    this.keep(line, of);
    return line;
  }

  /** A character's line with no parts yet. */
  head(place: PlaceView, action: string, partCount: number, character: CharacterView = this.characters[0] ?? MIRELLE): LineView {
    const author = { kind: "character", id: character.id, name: character.name, understudy: character.understudy } as const;
    return { id: `t-${this.#next()}`, place, atMs: this.#now(), author, action, parts: [], partCount, own: null };
  }

  /** Add a line of a person. `at` moves it in time. */
  say(name: string, text: string, at: number = this.#now(), room: string = FIRST): LineView {
    const line = personLine({
      id: `m-${this.#next()}`,
      place: { kind: "public" },
      by: { id: `x-${name}`, name, secret: "" },
      text,
      atMs: at,
      clientLineId: null,
    });
    this.keep(line, null, room);
    return line;
  }

  /** Tell operators what became of somebody's line. */
  told(line: LineView, own: Omit<OwnLineView, "clientLineId">): void {
    this.keep({ ...line, own: { ...own, clientLineId: null } }, null);
  }

  /** Keep a line and show it to whoever may see it. */
  keep(line: LineView, of: string | null, room: string = FIRST): void {
    const at = this.lines.findIndex((each) => each.line.id === line.id);
    if (at >= 0) this.lines[at] = { line, of, room };
    else this.lines.push({ line, of, room });
    for (const reader of this.#readers) {
      if (reader.room === room && (of === null || of === reader.member.id))
        reader.response.write(`${JSON.stringify({ type: "line", line: this.#viewedBy(line, reader.member) })}\n`);
    }
  }

  /** Settle the outcome of a member's own line. */
  settle(lineId: string, outcome: OwnLineView["outcome"], tookMs: number | null): void {
    const at = this.lines.findIndex((each) => each.line.id === lineId);
    const kept = this.lines[at];
    if (kept === undefined || kept.line.own === null) throw new Error("no such own line");
    const own: OwnLineView = { ...kept.line.own, outcome, tookMs };
    this.lines[at] = { ...kept, line: { ...kept.line, own } };
    this.push({ type: "outcome", lineId, own }, kept.line.author.kind === "person" ? kept.line.author.id : null);
  }

  setTyping(typing: TypingView[]): void {
    this.typing = typing;
    this.push({ type: "typing", typing });
  }

  /** The newest line that was really said through a page. */
  get lastSaid(): LineView {
    const said = this.lines.findLast(({ line }) => line.own !== null);
    if (said === undefined) throw new Error("nothing was said");
    return said.line;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.down();
  }

  #next(): string {
    this.#count += 1;
    return this.#count.toString(36).padStart(4, "0");
  }

  #now(): number {
    return Date.now();
  }

  /** A guest sees what became of own lines, an operator of everybody's. */
  #viewedBy(line: LineView, member: Member): LineView {
    if (line.author.kind !== "person") return line;
    const you = line.author.id === member.id;
    return { ...line, author: { ...line.author, you }, own: you || this.#options.door === "console" ? line.own : null };
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? "/", this.origin);
    this.requests.push(`${request.method ?? ""} ${url.pathname}`);
    for (const [name, value] of Object.entries(STRICT_HEADERS)) response.setHeader(name, value);
    const file = this.#options.files.get(url.pathname);
    if (file !== undefined) {
      response.setHeader("content-type", file.type);
      response.end(file.bytes);
      return;
    }
    if (!url.pathname.startsWith("/api/")) {
      response.statusCode = 404;
      response.end();
      return;
    }
    readBody(request).then(
      (body) => this.#answer(request, response, url, body),
      () => response.destroy(),
    );
  }

  #answer(request: IncomingMessage, response: ServerResponse, url: URL, body: unknown): void {
    const path = url.pathname
      .replace(/^\/api\/lines\/[^/]+\/why$/, "/api/lines/*/why")
      .replace(/^\/api\/operations\/.+$/, "/api/operations/*");
    const key = `${request.method ?? ""} ${path}`;
    const door = this.#options.door ?? "room";
    if (door === "room" && /^POST \/api\/(?:members|invites\/\w+)$/.test(key)) return this.#arrive(response, key, body);
    if (key === "POST /api/exchange" && door === "console") return this.#exchange(response, body as { code: string });
    if (key === "POST /api/door") return send(response, 200, door === "room" ? { door, entry: this.#options.entry ?? "open" } : { door });
    const member = this.#members.get((request.headers.authorization ?? "").replace("Bearer ", ""));
    if (member === undefined) return send(response, 401, { code: "unauthorized", message: "Come in first.", door } satisfies ApiError);
    this.#answerMember(response, { key, member, url, body });
  }

  #arrive(response: ServerResponse, key: string, body: unknown): void {
    if (key === "POST /api/members") return this.#join(response, body as { name: string });
    const asked = body as { code: string };
    return key === "POST /api/invites/look" ? send(response, 200, this.#inviteOf(asked)) : this.#redeem(response, asked);
  }

  #answerMember(response: ServerResponse, { key, member, url, body }: { key: string; member: Member; url: URL; body: unknown }): void {
    const routes: Readonly<Record<string, () => void>> = {
      "POST /api/operations/*": () => this.#operate(response, url, body),
      "GET /api/stream": () => this.#stream(response, member, roomOf(url)),
      "GET /api/lines": () => this.#older(response, member, url),
      "POST /api/lines": () => this.#take(response, { member, room: roomOf(url) }, body as SayRequest),
      "GET /api/lines/*/why": () => this.#why(response, url),
      "POST /api/leave": () => this.#leave(response, member),
    };
    const route = routes[key];
    if (route === undefined) send(response, 404, { code: "not_found", message: "There is nothing here." });
    else route();
  }

  #operate(response: ServerResponse, url: URL, body: unknown): void {
    const { args = {} } = body as { readonly args?: Readonly<Record<string, unknown>> };
    const tell = (): void => {
      const answer = this.operations.run(url.pathname.split("/")[3] ?? "", args);
      if ("data" in answer) send(response, 200, { kind: "done", text: "", data: answer.data });
      else send(response, answer.code === "not_found" ? 404 : 500, { kind: "failed", ...answer });
    };
    if (this.operations.delayMs === 0) tell();
    else setTimeout(tell, this.operations.delayMs).unref();
  }

  #leave(response: ServerResponse, member: Member): void {
    this.#members.delete(member.secret);
    response.statusCode = 204;
    response.end();
    this.push({ type: "end", reason: "left" }, member.id);
  }

  #join(response: ServerResponse, { name }: { name: string }): void {
    const taken = [...this.#members.values(), ...this.characters].some((each) => each.name.toLowerCase() === name.toLowerCase());
    if (taken) return send(response, 409, { code: "name_taken", message: "The name is taken." });
    if (/[<>]/.test(name)) return send(response, 400, { code: "name_invalid", message: "The name is not allowed." });
    send(response, 201, this.#admit(name));
  }

  #admit(name: string): Member {
    const member = { id: `m-${this.#next()}`, name, secret: `secret-${this.#next()}` };
    this.#members.set(member.secret, member);
    this.people = [...this.people, { id: member.id, name, role: "guest", you: false, here: true, sinceMs: this.#now() }];
    this.push({ type: "people", people: this.people });
    return member;
  }

  #inviteOf({ code }: { code: string }): InviteAnswer {
    return code === "good-invite" ? this.invite : { state: "unknown" };
  }

  #redeem(response: ServerResponse, asked: { code: string }): void {
    const invite = this.#inviteOf(asked);
    if (invite.state !== "open") return send(response, 200, invite);
    this.invite = { state: "used" };
    this.untilMs = invite.untilMs;
    send(response, 200, { state: "joined", ...this.#admit(invite.name) });
  }

  /** The header as a member of that name has it now. */
  roomFor(name: string): RoomView {
    return this.#room(this.#memberOf(name), "parlour");
  }

  #memberOf(name: string): Member {
    const member = [...this.#members.values()].find((each) => each.name === name);
    if (member === undefined) throw new Error("nobody of that name is here");
    return member;
  }

  /** Show a member out, as the end of an invite does. */
  showOut(name: string, reason: EndReason): void {
    const member = this.#memberOf(name);
    this.#members.delete(member.secret);
    this.push({ type: "end", reason }, member.id);
  }

  #exchange(response: ServerResponse, { code }: { code: string }): void {
    if (code === "good-code") send(response, 201, { token: "operator-token" });
    else send(response, 401, { code: "unauthorized", message: "The code is wrong.", door: "console" });
  }

  #room(member: Member, room: string): RoomView {
    const isConsole = this.#options.door === "console";
    const rooms = [{ name: FIRST, title: "The Foyer" }, ...(this.#options.otherRooms ?? [])];
    return {
      door: this.#options.door ?? "room",
      role: isConsole ? "operator" : "guest",
      name: room,
      title: rooms.find(({ name }) => name === room)?.title ?? room,
      self: { id: member.id, name: member.name, untilMs: this.untilMs, optedOut: this.optedOut },
      entry: this.#options.entry ?? "open",
      siblings: this.siblings,
      characters: this.characters,
      voice: isConsole || this.voice.kind !== "model" ? this.voice : { kind: "model", model: null, firstTokenMs: null },
      limits: { nameCharacters: 40, lineBytes: 2_000 },
      nowMs: this.#now(),
      operator: isConsole
        ? {
            version: "0.1.0",
            pid: 4711,
            startedAtMs: this.#now() - 11_520_000,
            rooms: rooms.map((each, index) => ({ ...each, url: `http://127.0.0.1:${7777 + index * 10}/` })),
          }
        : null,
    };
  }

  #stream(response: ServerResponse, member: Member, room: string): void {
    const begin = (): void => {
      if (response.destroyed) return;
      response.setHeader("content-type", "application/x-ndjson");
      const snapshot: StreamEvent = {
        type: "snapshot",
        room: this.#room(member, room),
        people: this.people.map((person) => ({ ...person, you: person.id === member.id })),
        typing: this.typing,
        pages: [{ kind: "public" } as const, ...this.characters.map((each) => ({ kind: "direct", character: each.id }) as const)].map(
          (place) => this.#page(place, { member, room }, null),
        ),
      };
      response.write(`${JSON.stringify(snapshot)}\n`);
      const reader = { member, room, response };
      this.#readers.add(reader);
      response.on("close", () => this.#readers.delete(reader));
    };
    if (this.streamDelayMs === 0) begin();
    else setTimeout(begin, this.streamDelayMs).unref();
  }

  #page(
    place: PlaceView,
    { member, room }: { readonly member: Member; readonly room: string },
    before: string | null,
  ): { place: PlaceView; lines: LineView[]; older: string | null } {
    const all = this.lines
      .filter((each) => each.room === room)
      .filter(({ line, of }) => JSON.stringify(line.place) === JSON.stringify(place) && (of === null || of === member.id))
      .map(({ line }) => line);
    const end = before === null ? all.length : all.findIndex((line) => line.id === before);
    const start = Math.max(0, end - (this.#options.pageSize ?? 50));
    return {
      place,
      lines: all.slice(start, end).map((line) => this.#viewedBy(line, member)),
      older: start > 0 ? (all[start]?.id ?? null) : null,
    };
  }

  #older(response: ServerResponse, member: Member, url: URL): void {
    const refusal = this.nextOlder;
    this.nextOlder = null;
    if (refusal !== null) return send(response, 500, refusal);
    const character = url.searchParams.get("character");
    const place: PlaceView = character === null ? { kind: "public" } : { kind: "direct", character };
    send(response, 200, this.#page(place, { member, room: roomOf(url) }, url.searchParams.get("older")));
  }

  #take(response: ServerResponse, { member, room }: { readonly member: Member; readonly room: string }, said: SayRequest): void {
    const trick = this.nextSay;
    this.nextSay = null;
    if (trick !== null) return send(response, 429, trick);
    const known = this.#byClientId.get(said.clientLineId);
    const place: PlaceView = said.private && said.to !== null ? { kind: "direct", character: said.to } : { kind: "public" };
    const line =
      known ??
      personLine({ id: `m-${this.#next()}`, place, by: member, text: said.text, atMs: this.#now(), clientLineId: said.clientLineId });
    if (known === undefined) {
      this.#byClientId.set(said.clientLineId, line);
      this.ledger.push(said.text);
      this.#tellTakers(said.text);
    }
    if (this.losesAnswers) {
      if (known === undefined) this.lines.push({ line, of: place.kind === "direct" ? member.id : null, room });
      response.destroy();
      return;
    }
    if (known === undefined) this.keep(line, place.kind === "direct" ? member.id : null, room);
    send(response, 202, { lineId: line.id, own: line.own });
  }

  #why(response: ServerResponse, url: URL): void {
    const lineId = url.pathname.split("/")[3] ?? "";
    const own = this.lines.find(({ line }) => line.id === lineId)?.line.own;
    const known =
      this.whys.get(lineId) ??
      (own === null || own === undefined ? null : { lineId, outcome: own.outcome, tookMs: own.tookMs, words: own.words });
    if (known === null) send(response, 404, { code: "not_found", message: "There is nothing here." });
    else send(response, 200, known);
  }
}

interface Spoken {
  readonly id: string;
  readonly place: PlaceView;
  readonly by: Member;
  readonly text: string;
  readonly atMs: number;
  readonly clientLineId: string | null;
}

function personLine({ id, place, by, text, atMs, clientLineId }: Spoken): LineView {
  const own = clientLineId === null ? null : ({ clientLineId, outcome: "waiting", tookMs: null, words: true } as const);
  const author = { kind: "person", id: by.id, name: by.name, you: false } as const;
  return { id, place, atMs, author, action: "", parts: [{ id: `${id}.0`, index: 0, body: text }], partCount: 1, own };
}

/** The room of `?room=`; the first without it. */
function roomOf(url: URL): string {
  return url.searchParams.get("room") ?? FIRST;
}

function send(response: ServerResponse, status: number, value: unknown): void {
  response.statusCode = status;
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(value));
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const text = Buffer.concat(pieces).toString("utf8");
  return text === "" ? null : (JSON.parse(text) as unknown);
}
