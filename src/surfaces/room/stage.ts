import type { Clock } from "../../foundation/clock.ts";
import { RuntimeError } from "../../foundation/errors.ts";
import type { ChronicleEvent } from "../../vocabulary/event.ts";
import type { CharacterId, MessageId } from "../../vocabulary/ids.ts";
import { parseMessageId } from "../../vocabulary/ids.ts";
import { readersOf } from "../../vocabulary/label.ts";
import type { OutcomeChange } from "../../vocabulary/outcome.ts";
import type { Part } from "../../vocabulary/part.ts";
import type { Place, PlaceId } from "../../vocabulary/place.ts";
import { directPlace, publicPlace } from "../../vocabulary/place.ts";
import type { PrincipalId } from "../../vocabulary/principal.ts";
import type { Inbox } from "../surface.ts";
import { AtMostEvery } from "./at-most-every.ts";
import type { LineSources } from "./line-view.ts";
import { lineIdOf, placesOf, viewEvent, viewLive } from "./line-view.ts";
import type { LiveLine } from "./live-lines.ts";
import { LiveLines } from "./live-lines.ts";
import { Marks } from "./marks.ts";
import { MAX_NAME_CHARACTERS } from "./names.ts";
import { heardLineOf, ownLineOf } from "./own-lines.ts";
import { People } from "./people.ts";
import type { LineChange, Lines, Outcomes, RoomConfig, Voices } from "./ports.ts";
import type {
  EndReason,
  LinesPage,
  OwnLineView,
  PlaceView,
  RoomView,
  SayAnswer,
  SayRequest,
  StreamEvent,
  VoiceView,
  WhyView,
} from "./protocol.ts";
import { SignsOfLife, concerns } from "./signs-of-life.ts";
import { UnsettledLines } from "./unsettled-lines.ts";
import type { Viewer } from "./viewer.ts";

/** Bytes of one line said in the room. */
export const MAX_LINE_BYTES: number = 8 * 1024;
const PAGE_LINES = 60;
/** Who is here is told at most this often: when a hundred pages come back at once, each hears a few lists, not a hundred. */
const PEOPLE_EVERY_MS = 250;

/** A page that is being told what happens. */
export interface Seat {
  push(event: StreamEvent): void;
  end(last: StreamEvent): void;
}

/** What the stage stands on. */
export interface StageNeeds {
  readonly config: RoomConfig;
  readonly lines: Lines;
  readonly outcomes: Outcomes;
  readonly voices: Voices;
  readonly clock: Clock;
  /** Whether a person asked not to be heard. */
  readonly optedOut: (person: PrincipalId) => boolean;
  /** Told when somebody comes or goes. */
  readonly onPresence: (person: PrincipalId, here: boolean) => void;
}

/**
 * The room without HTTP: who is in it, what each may see of it, and the one way to say something. Every event and every page
 * of history is made for one reader, from that reader's own view of the record, at the time it is read (SE-087).
 */
export class Stage implements Disposable {
  readonly #needs: StageNeeds;
  readonly #people: People;
  readonly #live: LiveLines;
  readonly #marks = new Marks();
  readonly #seats = new Map<Seat, Viewer>();
  readonly #unsettled = new UnsettledLines();
  /** What each person's pages were told of their own wish. */
  readonly #wishes = new Map<PrincipalId, boolean>();
  readonly #signs: SignsOfLife;
  readonly #peopleChanged: AtMostEvery;
  readonly #subscriptions: readonly Disposable[];
  #inbox: Inbox | null = null;

  constructor(needs: StageNeeds) {
    this.#needs = needs;
    this.#people = new People(needs.clock);
    this.#live = new LiveLines(needs.clock);
    this.#signs = new SignsOfLife(needs.clock);
    this.#peopleChanged = new AtMostEvery(needs.clock, PEOPLE_EVERY_MS, () => this.#tellPeople());
    this.#subscriptions = [
      needs.lines.subscribe((change) => this.#onChange(change)),
      needs.outcomes.subscribe((change) => this.#onOutcome(change)),
      needs.voices.subscribe(() => this.#tell((viewer) => ({ type: "room", room: this.view(viewer) }))),
    ];
  }

  /** From now on what is said goes to this inbox. */
  hearInto(inbox: Inbox): void {
    this.#inbox = inbox;
  }

  /** The room's header for one reader. */
  view(viewer: Viewer): RoomView {
    const { config, clock, voices } = this.#needs;
    const state = voices.state();
    const facts = viewer.operator;
    const voice: VoiceView =
      state.kind === "model"
        ? { kind: "model", model: facts?.model?.model ?? null, firstTokenMs: facts?.model?.firstTokenMs ?? null }
        : state;
    return {
      door: facts === null ? "room" : "console",
      role: viewer.role,
      name: config.name,
      title: config.title,
      self: { id: viewer.principal, name: viewer.name, untilMs: viewer.untilMs, optedOut: this.#needs.optedOut(viewer.principal) },
      entry: config.door(),
      siblings: facts === null ? config.siblings() : [],
      characters: config.characters.map(({ id, name }) => ({ id, name, understudy: state.kind === "understudy" })),
      voice,
      limits: { nameCharacters: MAX_NAME_CHARACTERS, lineBytes: MAX_LINE_BYTES },
      nowMs: clock.nowMs(),
      operator: facts?.view ?? null,
    };
  }

  /** One place's lines for one reader: the newest, or those before a mark. Null when there is no such place or the mark is not this reader's. */
  page(viewer: Viewer, where: PlaceView, older: string | null): LinesPage | null {
    const found = placesOf(this.#sources(viewer), viewer.principal).find(({ view }) => samePlace(view, where));
    if (found === undefined) return null;
    const beforeSeq = older === null ? undefined : this.#marks.open(viewer.principal, found.place.id, older);
    if (beforeSeq === null) return null;
    const { events, more } = this.#history(found.place, beforeSeq);
    const sources = this.#sources(viewer);
    const lines = events.map((event) => viewEvent(sources, event, viewer.principal)).filter((line) => line !== null);
    const known = new Set(events.filter(({ state }) => state === "said").map(lineIdOf));
    const live = older !== null ? [] : this.#live.all().filter(({ place, turn }) => place.id === found.place.id && !known.has(turn));
    const first = events[0];
    return {
      place: found.view,
      lines: [...lines, ...live.map((line) => viewLive(sources, line, viewer.principal, true)).filter((line) => line !== null)],
      older: more && first !== undefined ? this.#marks.seal(viewer.principal, found.place.id, first.seq) : null,
    };
  }

  /** Tell a page everything from now on, a snapshot first. Dispose it when the page is gone. */
  attach(viewer: Viewer, seat: Seat): Disposable {
    const arrived = this.#people.arrive(viewer);
    // The seat is taken only after its snapshot, which holds the arrival already.
    if (arrived) this.#needs.onPresence(viewer.principal, true);
    if (arrived) this.#peopleChanged.ask();
    this.#seats.set(seat, viewer);
    this.#wishes.set(viewer.principal, this.#needs.optedOut(viewer.principal));
    seat.push(this.#snapshot(viewer));
    return {
      [Symbol.dispose]: () => {
        if (!this.#seats.delete(seat)) return;
        if (!this.#people.depart(viewer.principal)) return;
        this.#wishes.delete(viewer.principal);
        this.#needs.onPresence(viewer.principal, false);
        if (this.#inbox !== null) this.#peopleChanged.ask();
      },
    };
  }

  /** Names of those who are here. */
  names(): readonly string[] {
    return this.#people.names();
  }

  /** Pages open by one person, by all guests, and by those of them whom nobody invited. */
  pages(person: PrincipalId): { readonly own: number; readonly guests: number; readonly uninvited: number } {
    const guests = [...this.#seats.values()].filter(({ role }) => role === "guest");
    return { own: this.#people.pagesOf(person), guests: guests.length, uninvited: guests.filter(({ untilMs }) => untilMs === null).length };
  }

  /** Close all of a person's pages, and say why. */
  dismiss(person: PrincipalId, reason: EndReason): void {
    for (const [seat, { principal }] of this.#seats) if (principal === person) seat.end({ type: "end", reason });
  }

  /**
   * Say a line: it is heard under the sender and assurance of the viewer, whatever the request holds. Null when it goes to a
   * character that is not here. @throws RuntimeError `closed` before the room is open and while it stops, or the store's code.
   */
  async say(viewer: Viewer, request: SayRequest, signal: AbortSignal): Promise<SayAnswer | null> {
    if (this.#inbox === null) throw new RuntimeError("closed", "Cannot say a line: the room is not open");
    const { config, clock } = this.#needs;
    const to = request.to === null ? null : (config.characters.find(({ id }) => id === request.to)?.id ?? null);
    if (to === null && (request.to !== null || request.private)) return null;
    const heard = await this.#inbox.hear(
      {
        surface: config.name,
        deliveryId: `${viewer.principal}:${request.clientLineId}`,
        atMs: clock.nowMs(),
        sender: { principal: viewer.principal, displayName: viewer.name, kind: "person", assurance: viewer.assurance },
        place: request.private && to !== null ? directPlace(config.name, to, viewer.principal) : publicPlace(config.name),
        ...(to === null ? {} : { to }),
        alone: this.#people.alone(viewer.principal),
        text: request.text,
      },
      signal,
    );
    return { lineId: heard.id, own: heardLineOf(this.#needs.outcomes, heard, viewer.principal, request.clientLineId) };
  }

  /** What became of an own line; null for a missing and a foreign one alike (SE-094). */
  why(viewer: Viewer, lineId: string): WhyView | null {
    const id = messageIdOf(lineId);
    const own = id === null ? null : ownLineOf(this.#needs.outcomes, id, viewer.principal, null);
    return own === null ? null : { lineId, outcome: own.outcome, tookMs: own.tookMs, words: own.words };
  }

  /** Show a part of a character's line. A part that was shown is not shown again. */
  show(part: Part): void {
    const { line, fresh } = this.#live.add(part);
    if (!fresh) return;
    const shown = { id: part.id, index: part.index, body: part.body };
    this.#tell((viewer) => {
      const head = viewLive(this.#sources(viewer), line, viewer.principal, false);
      return head === null ? null : { type: "part", head, part: shown };
    });
  }

  /** Whether this process has shown a part. */
  hasShown(part: Part): boolean {
    return this.#live.has(part);
  }

  /** Show or end a sign of life: to everyone in public, to the one person in a private line. */
  typing(character: CharacterId, place: Place, on: boolean): void {
    if (!this.#signs.set(character, place, on)) return;
    this.#tell((viewer) => (concerns(place, viewer.principal) ? { type: "typing", typing: this.#signs.view(viewer.principal) } : null));
  }

  /** End all pages: the room is closing. */
  [Symbol.dispose](): void {
    this.#inbox = null;
    for (const subscription of this.#subscriptions) subscription[Symbol.dispose]();
    for (const seat of this.#seats.keys()) seat.end({ type: "end", reason: "closing" });
    this.#peopleChanged[Symbol.dispose]();
  }

  #snapshot(viewer: Viewer): StreamEvent {
    const pages = placesOf(this.#sources(viewer), viewer.principal).map(({ view }) => this.page(viewer, view, null));
    return {
      type: "snapshot",
      room: this.view(viewer),
      people: this.#people.view(viewer.principal),
      typing: this.#signs.view(viewer.principal),
      pages: pages.filter((page) => page !== null),
    };
  }

  #history(place: Place, before: number | undefined): { readonly events: readonly ChronicleEvent[]; readonly more: boolean } {
    const found = this.#needs.lines.history(place, readersOf(place), {
      limit: PAGE_LINES + 1,
      ...(before === undefined ? {} : { before }),
    });
    return { events: found.slice(-PAGE_LINES), more: found.length > PAGE_LINES };
  }

  #onChange(change: LineChange): void {
    if (change.kind === "event") this.#tellLine(change.event, null);
    else if (change.kind === "line") this.#unsettled.add(change.event);
    else if (change.kind === "forgotten" || change.kind === "reset") this.#onErased(change);
    else this.#onEnd(change.id, change.place, change.state);
  }

  /** Lines are erased: nothing of them stays here, and every page gets the room anew, which replaces what it holds (TR-043). */
  #onErased({ kind, person, turns }: Extract<LineChange, { kind: "forgotten" | "reset" }>): void {
    for (const { turn } of this.#live.all()) if (turns.includes(turn)) this.#live.take(turn);
    this.#unsettled.drop(new Set(turns));
    // Whoever begins anew is still here, and still has a name.
    if (kind === "forgotten") this.#people.forget(person);
    this.#tell((viewer) => this.#snapshot(viewer));
  }

  /** A character's line has ended: pages that saw it grow to the end need nothing more. */
  #onEnd(id: MessageId, place: PlaceId, state: ChronicleEvent["state"]): void {
    const event = this.#unsettled.settle(id, state);
    if (event === null) return this.#tellRecorded(id, place);
    const shown = event.turn === undefined ? null : this.#live.take(event.turn);
    const wholeShown = shown !== null && shown.parts.length >= shown.count;
    if (!wholeShown || state === "unsaid") this.#tellLine(event, shown);
  }

  /** Tell those who may read it of a committed line; of one that stays unsaid, as much as was shown. */
  #tellLine(event: ChronicleEvent, shown: LiveLine | null): void {
    this.#tell((viewer) => {
      const sources = this.#sources(viewer);
      const stopped = shown === null ? null : viewLive(sources, { ...shown, count: shown.parts.length }, viewer.principal, true);
      const line = event.state === "said" ? viewEvent(sources, event, viewer.principal) : stopped;
      return line === null ? null : { type: "line", line };
    });
  }

  /** A line of an earlier process has ended: look it up as each reader may. */
  #tellRecorded(id: MessageId, place: PlaceId): void {
    this.#tell((viewer) => {
      const sources = this.#sources(viewer);
      const own = placesOf(sources, viewer.principal).find((candidate) => candidate.place.id === place);
      const event = own === undefined ? undefined : this.#history(own.place, undefined).events.find((candidate) => candidate.id === id);
      if (event === undefined) return null;
      if (event.turn !== undefined) this.#live.take(event.turn);
      const line = viewEvent(sources, event, viewer.principal);
      return line === null ? null : { type: "line", line };
    });
  }

  /** What became of a line: told to its author, and of the lines in front of everyone to operators (SE-094). */
  #ownOf(viewer: Viewer, { id, author }: ChronicleEvent, clientLineId: string | null): OwnLineView | null {
    if (author.kind !== "person" || (author.principal !== viewer.principal && viewer.operator === null)) return null;
    return ownLineOf(this.#needs.outcomes, id, author.principal, clientLineId);
  }

  /** A line of one's own may have been the wish not to be heard, or its taking back: the header says which holds. */
  #tellWish(person: PrincipalId): void {
    const optedOut = this.#needs.optedOut(person);
    if (!this.#wishes.has(person) || this.#wishes.get(person) === optedOut) return;
    this.#wishes.set(person, optedOut);
    this.#tell((viewer) => (viewer.principal === person ? { type: "room", room: this.view(viewer) } : null));
  }

  #onOutcome(change: OutcomeChange): void {
    const isPublic = change.place === publicPlace(this.#needs.config.name).id;
    this.#tell((viewer) => {
      const mayKnow = viewer.principal === change.person || (isPublic && viewer.operator !== null);
      const own = mayKnow ? ownLineOf(this.#needs.outcomes, change.id, change.person, null) : null;
      return own === null ? null : { type: "outcome", lineId: change.id, own };
    });
    this.#tellWish(change.person);
  }

  #tellPeople(): void {
    this.#tell((viewer) => ({ type: "people", people: this.#people.view(viewer.principal) }));
  }

  #tell(make: (viewer: Viewer) => StreamEvent | null): void {
    for (const [seat, viewer] of this.#seats) {
      const event = make(viewer);
      if (event !== null) seat.push(event);
    }
  }

  #sources(viewer: Viewer): LineSources {
    const { config, voices } = this.#needs;
    return {
      surface: config.name,
      characters: config.characters,
      byUnderstudy: (turn) => voices.byUnderstudy(turn) ?? voices.state().kind === "understudy",
      own: (event, clientLineId) => this.#ownOf(viewer, event, clientLineId),
    };
  }
}

function samePlace(a: PlaceView, b: PlaceView): boolean {
  return a.kind === "public" ? b.kind === "public" : b.kind === "direct" && a.character === b.character;
}

function messageIdOf(text: string): MessageId | null {
  try {
    return parseMessageId(text);
  } catch {
    return null;
  }
}
