import type {
  InviteStore,
  LineChange,
  LineRange,
  Lines,
  MemberRecord,
  Outcomes,
  RoomConfig,
  RoomStore,
  VoiceState,
  Voices,
} from "../surfaces/room/ports.ts";
import type { Inbox } from "../surfaces/surface.ts";
import { ANSWERS } from "./road-fixtures.ts";
import type { ChronicleEvent } from "../vocabulary/event.ts";
import type { CharacterId, InviteId, MessageId, SurfaceName, TurnId } from "../vocabulary/ids.ts";
import { parseCharacterId, parseMessageId, parseSurfaceName, parseTurnId, partIdOf } from "../vocabulary/ids.ts";
import type { Heard, InboundEvent } from "../vocabulary/inbound.ts";
import type { Reader } from "../vocabulary/label.ts";
import { mayRead, readersOf } from "../vocabulary/label.ts";
import type { OutcomeChange } from "../vocabulary/outcome.ts";
import type { Part } from "../vocabulary/part.ts";
import type { Place } from "../vocabulary/place.ts";
import type { PrincipalId } from "../vocabulary/principal.ts";

type NewInvite = Parameters<InviteStore["keepInvite"]>[0];
type FakeInvite = NewInvite & {
  readonly member: PrincipalId | null;
  readonly claimHash: string;
  readonly redeemedAtMs: number | null;
  readonly revokedAtMs: number | null;
};

/** Somebody came or went. */
export type PresenceNote = Parameters<RoomStore["setPresence"]>[0];

/** Members and presence kept in memory; hand the same one to a second room to have it find what the first one kept. */
export class FakeRoomStore implements RoomStore, InviteStore {
  readonly members: Map<PrincipalId, MemberRecord & { readonly seenAtMs: number }> = new Map();
  readonly invites: Map<InviteId, FakeInvite> = new Map();
  readonly optedOut: Set<PrincipalId> = new Set();
  readonly presence: PresenceNote[] = [];
  readonly read: RoomStore["read"] = {
    memberBySecret: (surface, hash) => [...this.members.values()].find((row) => row.surface === surface && row.secretHash === hash) ?? null,
    inviteByCode: (surface, hash) => [...this.invites.values()].find((row) => row.surface === surface && row.codeHash === hash) ?? null,
    inviteOf: (member) => [...this.invites.values()].find((row) => row.member === member) ?? null,
    optedOut: (person) => this.optedOut.has(person),
  };

  admitMember(row: MemberRecord): Promise<{ readonly admitted: boolean }> {
    const other = [...this.members.values()].some(
      (known) => known.id !== row.id && known.surface === row.surface && known.foldedName === row.foldedName,
    );
    if (!other) this.members.set(row.id, { ...row, seenAtMs: row.atMs });
    return Promise.resolve({ admitted: !other });
  }

  renewMember({ id, atMs }: { readonly id: PrincipalId; readonly atMs: number }): Promise<void> {
    const known = this.members.get(id);
    if (known !== undefined) this.members.set(id, { ...known, seenAtMs: atMs });
    return Promise.resolve();
  }

  dropMember(id: PrincipalId): Promise<void> {
    this.members.delete(id);
    return Promise.resolve();
  }

  keepInvite(row: NewInvite): ReturnType<InviteStore["keepInvite"]> {
    this.invites.set(row.id, { ...row, member: null, redeemedAtMs: null, revokedAtMs: null, claimHash: "" });
    return Promise.resolve({ kind: "kept" });
  }

  redeemInvite(row: Parameters<RoomStore["redeemInvite"]>[0]): ReturnType<RoomStore["redeemInvite"]> {
    const invite = [...this.invites.values()].find(({ surface, codeHash }) => surface === row.surface && codeHash === row.codeHash);
    if (invite === undefined) return Promise.resolve({ kind: "unknown" });
    if (invite.revokedAtMs !== null) return Promise.resolve({ kind: "revoked" });
    if (invite.expiresAtMs <= row.atMs) return Promise.resolve({ kind: "expired" });
    if (invite.member !== null && invite.claimHash !== row.claimHash) return Promise.resolve({ kind: "used" });
    const { name, foldedName, surface, expiresAtMs } = invite;
    const member = invite.member ?? row.member;
    this.invites.set(invite.id, { ...invite, member, redeemedAtMs: row.atMs, claimHash: row.claimHash });
    this.members.set(member, { id: member, surface, name, foldedName, secretHash: row.secretHash, atMs: row.atMs, seenAtMs: row.atMs });
    return Promise.resolve({ kind: "redeemed", member, name, expiresAtMs });
  }

  /** End an invite as its maker does. */
  revoke(id: InviteId, atMs: number): PrincipalId | null {
    const invite = this.invites.get(id);
    if (invite === undefined) return null;
    this.invites.set(id, { ...invite, revokedAtMs: atMs });
    return invite.member;
  }

  setPresence(row: PresenceNote): Promise<void> {
    this.presence.push(row);
    return Promise.resolve();
  }
}

/** A line to put into the record; what is left out is as for a public line that was said. */
export type NewLine = { readonly place: Place } & Pick<ChronicleEvent, "id" | "author" | "text" | "atMs"> &
  Partial<Pick<ChronicleEvent, "action" | "state" | "audience" | "turn" | "delivery">>;

/**
 * Record, road and outcomes of a room in one small memory: what is heard is kept with the labels a real line gets, admitted
 * when it names a character or is private, and answered only when a test says so.
 */
export class FakeRoad implements Inbox {
  readonly heard: InboundEvent[] = [];
  /** Places and people that were told to have left, in order. */
  readonly gone: string[] = [];
  readonly events: ChronicleEvent[] = [];
  readonly #outcomes = new Map<MessageId, OutcomeChange>();
  readonly #lineListeners = new Set<(change: LineChange) => void>();
  readonly #outcomeListeners = new Set<(change: OutcomeChange) => void>();
  #count = 0;
  readonly lines: Lines = {
    history: (place, reader, range) => this.#history(place, reader, range),
    subscribe: (listener) => follow(this.#lineListeners, listener),
  };
  readonly outcomes: Outcomes = {
    // Careless on purpose: the room has to look for itself whose outcome it is.
    change: (id) => this.#outcomes.get(id) ?? null,
    subscribe: (listener) => follow(this.#outcomeListeners, listener),
  };

  left(place: Place, person: PrincipalId | null): void {
    this.gone.push(`${place.id} ${person ?? "everyone"}`);
  }

  hear(event: InboundEvent): Promise<Heard> {
    const first = this.events.find(({ delivery }) => delivery?.id === event.deliveryId);
    if (first !== undefined) return Promise.resolve({ kind: "suppressed", id: first.id, reason: "duplicate" });
    this.heard.push(event);
    const id = parseMessageId(`m-${this.#next()}`);
    const author = { kind: "person", principal: event.sender.principal, name: event.sender.displayName } as const;
    const admitted = event.place.kind === "direct" || event.to !== undefined;
    this.setOutcome({
      id,
      person: event.sender.principal,
      place: event.place.id,
      outcome: admitted ? "waiting" : "not_addressed",
      tookMs: null,
      words: false,
    });
    this.add({
      id,
      place: event.place,
      author,
      text: event.text,
      delivery: { surface: event.surface, id: event.deliveryId },
      atMs: event.atMs,
    });
    return Promise.resolve(admitted ? { kind: "admitted", id } : { kind: "suppressed", id, reason: "ambient" });
  }

  /** Keep a line and publish it, with the place's own audience unless the test says otherwise. */
  add(line: NewLine): ChronicleEvent {
    const seq = this.events.filter(({ place }) => place === line.place.id).length + 1;
    const event: ChronicleEvent = {
      action: "",
      state: "said",
      witnesses: [],
      influence: [],
      audience: [readersOf(line.place)],
      seq,
      ...line,
      place: line.place.id,
    };
    this.events.push(event);
    this.#publish({ kind: event.state === "pending" ? "line" : "event", event });
    return event;
  }

  /** Put a character's pending line into the record, and give its parts for the room to send. */
  reply(
    character: CharacterId,
    place: Place,
    bodies: readonly string[],
  ): { readonly turn: TurnId; readonly id: MessageId; readonly parts: readonly Part[] } {
    const turn = parseTurnId(`t-${this.#next()}`);
    const id = parseMessageId(`m-${this.#next()}`);
    this.add({ id, place, author: { kind: "character", character }, text: bodies.join(" "), atMs: 1, state: "pending", turn });
    const parts = bodies.map((body, index) => ({
      id: partIdOf(turn, index),
      turn,
      character,
      place,
      index,
      count: bodies.length,
      body,
      action: "",
      answers: ANSWERS,
      generation: 1,
      createdAtMs: 1,
    }));
    return { turn, id, parts };
  }

  /** End a character's line. */
  end(id: MessageId, state: "said" | "unsaid"): void {
    const at = this.events.findIndex((event) => event.id === id);
    const event = this.events[at];
    if (event === undefined) return;
    this.events[at] = { ...event, state };
    this.#publish({ kind: "state", id, place: event.place, state });
  }

  /** Erase a person's lines and those of these turns. */
  forget(person: PrincipalId, turns: readonly TurnId[]): void {
    const stays = ({ author, turn }: ChronicleEvent): boolean =>
      !(author.kind === "person" && author.principal === person) && !(turn !== undefined && turns.includes(turn));
    this.events.splice(0, Number.POSITIVE_INFINITY, ...this.events.filter(stays));
    for (const listener of this.#lineListeners) listener({ kind: "forgotten", person, turns });
  }

  setOutcome(change: OutcomeChange): void {
    this.#outcomes.set(change.id, change);
    for (const listener of this.#outcomeListeners) listener(change);
  }

  #history(place: Place, reader: Reader, range: LineRange): readonly ChronicleEvent[] {
    const before = range.before ?? Number.POSITIVE_INFINITY;
    return this.events
      .filter((event) => event.place === place.id && event.seq < before && event.state !== "unsaid" && mayRead(event.audience, reader))
      .slice(-range.limit);
  }

  #publish(change: LineChange): void {
    for (const listener of this.#lineListeners) listener(change);
  }

  #next(): string {
    this.#count += 1;
    return this.#count.toString(36).padStart(8, "0");
  }
}

function follow<Listener>(listeners: Set<Listener>, listener: Listener): Disposable {
  listeners.add(listener);
  return { [Symbol.dispose]: () => void listeners.delete(listener) };
}

/** What speaks, as a test sets it. */
export class FakeVoices implements Voices {
  #state: VoiceState = { kind: "understudy" };
  readonly #listeners = new Set<() => void>();

  state(): VoiceState {
    return this.#state;
  }

  byUnderstudy(): boolean | null {
    return null;
  }

  subscribe(listener: () => void): Disposable {
    return follow(this.#listeners, listener);
  }

  set(state: VoiceState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

/** The room every test plays in: two characters, any free port. */
export function fakeRoomConfig(): RoomConfig & { readonly name: SurfaceName } {
  return {
    name: parseSurfaceName("parlour"),
    title: "The Parlour",
    port: 0,
    characters: [
      { id: parseCharacterId("mirelle"), name: "Mirelle" },
      { id: parseCharacterId("tobias"), name: "Tobias" },
    ],
    reservedNames: ["Ilse"],
    outside: null,
    door: () => "open",
    siblings: () => [],
    assets: new Map([["/", { type: "text/html; charset=utf-8", bytes: Buffer.from("<!doctype html><title>shell</title>") }]]),
  };
}
