import type { Signal } from "@preact/signals";
import { signal } from "@preact/signals";
import type { ApprovalsAnswer, QuestionView } from "../../../../operations/approvals.ts";
import type { CardView } from "../../../../operations/card-view.ts";
import type { ScheduleAnswer } from "../../../../operations/schedule.ts";
import type { EntryView, SessionsAnswer } from "../../../../operations/sessions.ts";
import type { TurnView, TurnsAnswer } from "../../../../operations/turns.ts";
import { isApprovals, isSchedule, isSessions, isTurns } from "./answers.ts";
import type { Told } from "./operations-client.ts";
import type { Watch } from "./watch.ts";

/** Sessions of one page of the list. */
export const SESSIONS_SHOWN = 25;
/** Entries that are read at once, and characters of each. */
const ENTRIES_READ = 40;
const MAX_CHARACTERS = 4_000;
/** Older entries that a page holds; those before them are for the terminal. */
const MAX_OLDER = 400;
/** Cards that are held; the oldest go. */
const MAX_CARDS = 32;

type Call = { readonly name: string; readonly args?: object };
type Guard<T> = (value: unknown) => value is T;

/** What it stands on. */
export interface BackstageNeeds {
  readonly watch: <T>(read: (signal: AbortSignal) => Promise<Told<T>>) => Watch<T>;
  readonly run: <T>(call: Call, isValue: Guard<T>, signal: AbortSignal) => Promise<Told<T>>;
  readonly act: <T>(call: Call, isValue: Guard<T>, then: (told: Told<T>) => void) => void;
}

/** What is known of agents, and what is looked at of it. */
export class Backstage {
  readonly turns: Watch<TurnsAnswer>;
  readonly approvals: Watch<ApprovalsAnswer>;
  readonly sessions: Watch<SessionsAnswer>;
  readonly schedules: Watch<ScheduleAnswer>;
  /** The session that is shown, with its newest entries. */
  readonly history: Watch<SessionsAnswer>;
  /** Sessions left out of the list, from the newest on. */
  readonly skip: Signal<number> = signal(0);
  /** The session that is shown; null for none. */
  readonly shown: Signal<string | null> = signal(null);
  /** Entries before the newest ones that somebody asked for. */
  readonly older: Signal<readonly EntryView[]> = signal([]);
  /** Texts that were read whole, by session and entry. */
  readonly whole: Signal<ReadonlyMap<string, EntryView>> = signal(new Map());
  /** Cards by the id of their question. */
  readonly cards: Signal<ReadonlyMap<string, Told<CardView>>> = signal(new Map());
  /** The question that somebody asked to see: it is focused once, when it stands there. */
  readonly wanted: Signal<string | null> = signal(null);
  /** What is being written, by session. */
  readonly drafts: Signal<Readonly<Record<string, string>>> = signal({});
  /** What became of the last answer that did not count, until the next is given. */
  readonly refused: Signal<string> = signal("");
  readonly #needs: BackstageNeeds;

  constructor(needs: BackstageNeeds) {
    this.#needs = needs;
    const { watch, run } = needs;
    this.turns = watch((ends) => run({ name: "turns" }, isTurns, ends));
    this.approvals = watch((ends) => run({ name: "approvals" }, isApprovals, ends));
    this.schedules = watch((ends) => run({ name: "schedule" }, isSchedule, ends));
    this.sessions = watch((ends) => run({ name: "sessions", args: { skip: this.skip.peek(), limit: SESSIONS_SHOWN } }, isSessions, ends));
    this.history = watch((ends) => this.#readHistory(ends));
  }

  get watches(): readonly Pick<Watch<unknown>, "ask" | "forget">[] {
    return [this.turns, this.approvals, this.sessions, this.schedules, this.history];
  }

  /** Questions that wait for whoever reads this, oldest first. */
  get mine(): readonly QuestionView[] {
    return (this.approvals.seen.value.value?.waiting ?? []).filter((one) => one.mine);
  }

  /** A question that waits, whoever's; null when it waits no more. */
  question(id: string): QuestionView | null {
    return this.approvals.seen.value.value?.waiting.find((one) => one.id === id) ?? null;
  }

  /** Questions that wait in a session. */
  askedIn(session: string): readonly QuestionView[] {
    return (this.approvals.seen.value.value?.waiting ?? []).filter((one) => one.session === session);
  }

  /** What is at work in a session, and what waits there. */
  turnsIn(session: string): readonly TurnView[] {
    return (this.turns.seen.value.value?.turns ?? []).filter((turn) => turn.session === session);
  }

  /** Whether it is known what there is and what waits. */
  get isRead(): boolean {
    return [this.sessions, this.approvals, this.turns].every(({ seen }) => seen.value.value !== null);
  }

  /** What is held of the history that is shown, oldest first. */
  get entries(): readonly EntryView[] {
    const newest = this.history.seen.value.value?.entries ?? [];
    const first = newest[0]?.seq ?? 0;
    const older = this.older.value.filter(({ seq }) => seq < first);
    // Entries that came in faster than was read leave a hole: what is before it is asked for anew.
    return older.at(-1)?.seq === first - 1 ? [...older, ...newest] : newest;
  }

  /** Where a question is shown: in its session, or by itself where that is none of an agent's. */
  itemOf({ id, session }: QuestionView): string {
    return session ?? id;
  }

  /** Show a session: what was read of another goes. */
  show(id: string | null): void {
    if (this.shown.peek() === id) return;
    this.shown.value = id;
    this.older.value = [];
    this.whole.value = new Map();
    this.history.forget();
    this.history.ask();
  }

  /** Read the entries before the oldest that is shown. */
  readOlder(before: number): void {
    const id = this.shown.peek();
    if (id === null) return;
    const args = { id, before, last: ENTRIES_READ, most: MAX_CHARACTERS };
    this.#needs.act({ name: "sessions", args }, isSessions, (told) => {
      if (told.kind === "done" && this.shown.peek() === id)
        this.older.value = [...told.value.entries, ...this.older.peek()].slice(-MAX_OLDER);
    });
  }

  /** Read one entry whole. */
  readWhole(seq: number): void {
    const id = this.shown.peek();
    if (id === null) return;
    this.#needs.act({ name: "sessions", args: { id, after: seq - 1, last: 1 } }, isSessions, (told) => {
      const [entry] = told.kind === "done" ? told.value.entries : [];
      if (entry !== undefined) this.whole.value = new Map([...this.whole.peek(), [`${id} ${seq}`, entry]]);
    });
  }

  /** Read the card of a question, unless it is there: from then on the runtime holds all of it to be shown (SE-084). */
  readCard({ id, digest }: Pick<QuestionView, "id" | "digest">): void {
    const known = this.cards.peek().get(id);
    if (known?.kind === "done" && known.value.digest === digest) return;
    this.#needs.act({ name: "approvals", args: { act: "show", id } }, isApprovals, (told) => {
      const card: Told<CardView> | null =
        told.kind === "failed" ? told : told.value.card === null ? null : { kind: "done", value: told.value.card };
      if (card !== null) this.cards.value = new Map([...[...this.cards.peek()].slice(1 - MAX_CARDS), [id, card]]);
    });
  }

  async #readHistory(ends: AbortSignal): Promise<Told<SessionsAnswer>> {
    const id = this.shown.peek();
    if (id === null) return { kind: "done", value: { sessions: [], more: false, entries: [], spent: null } };
    const args = { id, last: ENTRIES_READ, most: MAX_CHARACTERS };
    const told = await this.#needs.run({ name: "sessions", args }, isSessions, ends);
    // What came for a session that is no longer shown says nothing of the one that is.
    return this.shown.peek() === id ? told : await this.#readHistory(ends);
  }
}
