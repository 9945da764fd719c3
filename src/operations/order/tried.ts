import type { Clock } from "../../foundation/clock.ts";
import { keyedDigest } from "../../foundation/keyed-digest.ts";
import { RateLimiter } from "../../foundation/rate-limiter.ts";
import type { ActAnswer, AnswerButton, PersonalAct } from "../../vocabulary/act.ts";
import type { AuditEntry } from "../../vocabulary/audit.ts";
import type { InboundEvent } from "../../vocabulary/inbound.ts";
import type { SurfaceName } from "../../vocabulary/ids.ts";
import type { PrincipalId, Role } from "../../vocabulary/principal.ts";
import { parsePrincipalId } from "../../vocabulary/principal.ts";
import { KeptWords } from "./kept-words.ts";
import type { WordShelf } from "./kept-words.ts";
import { NOT_YOURS } from "./not-yours.ts";

/** Notices of one bot: so many at once, then one in so long; and one a day of the same person. */
const PACE = { burst: 4, everyMs: 15 * 60_000 } as const;
const AGAIN_MS = 24 * 60 * 60_000;
const MAX_PEOPLE = 4_096;
/** How long a card can be answered; and answered ones that are known, more than the pace lets there be in that time. */
const CARD_MS = 24 * 60 * 60_000;
const MAX_ANSWERED = 256;
const MAX_QUIET = 200;
const MAX_OPEN = 100;
const ACTS = ["person", "place", "quiet"] as const;
type Choice = (typeof ACTS)[number];
const LABELS: Readonly<Record<Choice, string>> = { person: "Let this person", place: "Let everyone here", quiet: "Keep quiet" };
const BUTTON = /^tried:(person|place|quiet):(\d{1,20}):(\d{1,20})?:([0-9a-z]{1,9}):([\w-]{16})$/;

/** A card stands in its own buttons, so it outlives the process without being kept. */
interface Card {
  readonly surface: SurfaceName;
  readonly account: string;
  /** The channel; null for a private line. */
  readonly channel: string | null;
  readonly untilMs: number;
}

/** What the notices stand on. */
export interface TriedNeeds {
  readonly clock: Clock;
  readonly key: Uint8Array;
  readonly shelf: WordShelf;
  readonly roleOf: (person: PrincipalId) => Exclude<Role, "bot">;
  /** Whom a bot's notices go to; null where they go to nobody. */
  readonly ownerOf: (surface: SurfaceName) => PrincipalId | null;
  /** When an account was made, where its id says so. */
  readonly madeAtMs: (person: PrincipalId) => number | null;
  readonly trust: (row: { readonly person: PrincipalId; readonly by: PrincipalId; readonly atMs: number }) => Promise<void>;
  readonly audit: (entry: AuditEntry) => Promise<void>;
}

/** A notice for the one it goes to. */
export interface TriedNotice {
  readonly owner: PrincipalId;
  readonly card: ActAnswer;
}

/**
 * Tells a bot's owner that somebody who may not talk to it tried (TR-093): who, how old the account is, and where, none of their words;
 * with three buttons. A button holds the card, sealed for its owner under a key, and each card takes one answer (SE-084, SE-096).
 */
export class Tried {
  readonly #needs: TriedNeeds;
  readonly #told = new Map<string, number>();
  readonly #paces = new Map<SurfaceName, RateLimiter>();
  readonly #answered = new Map<SurfaceName, KeptWords>();
  /** Cards whose answer is being carried out. */
  readonly #inHand = new Set<string>();
  readonly #quiet = new Map<SurfaceName, KeptWords>();
  readonly #open = new Map<SurfaceName, KeptWords>();

  constructor(needs: TriedNeeds) {
    this.#needs = needs;
  }

  /** Whether an owner let everyone in where a line was heard. */
  isOpen(surface: SurfaceName, within: readonly string[]): boolean {
    return within.some((id) => this.#openIn(surface).has(id));
  }

  /** Somebody tried; null where nobody is to be told, or not again. */
  heard({ surface, sender, place, within = [] }: InboundEvent): TriedNotice | null {
    const { clock, ownerOf } = this.#needs;
    const owner = ownerOf(surface);
    if (owner === null || sender.kind !== "person" || this.#quietIn(surface).has(this.#hash(surface, sender.principal))) return null;
    const account = accountOf(sender.principal);
    if (account === null || !this.#mayTell(surface, sender.principal)) return null;
    const channel = place.kind === "public" ? (within[0] ?? null) : null;
    return { owner, card: this.#draw({ surface, account, channel, untilMs: clock.nowMs() + CARD_MS }, owner, sender.displayName) };
  }

  workOf(act: PersonalAct): (() => Promise<ActAnswer>) | null {
    const { what } = act;
    if (what.kind === "button" && what.id.startsWith("tried:")) return () => this.#press(act, what.id);
    if (what.kind === "command" && what.name === "close") return () => this.#close(act);
    return null;
  }

  #mayTell(surface: SurfaceName, person: PrincipalId): boolean {
    const { clock } = this.#needs;
    const key = `${surface} ${person}`;
    if (clock.nowMs() - (this.#told.get(key) ?? Number.NEGATIVE_INFINITY) < AGAIN_MS) return false;
    const pace = this.#paces.get(surface) ?? new RateLimiter(clock, PACE);
    this.#paces.set(surface, pace);
    if (!pace.tryTake()) return false;
    this.#told.set(key, clock.nowMs());
    dropOldest(this.#told, MAX_PEOPLE);
    return true;
  }

  #draw(card: Card, owner: PrincipalId, name: string): ActAnswer {
    const person = personOf(card);
    const madeAtMs = this.#needs.madeAtMs(person);
    const made = madeAtMs === null ? "" : `, account made on ${new Date(madeAtMs).toISOString().slice(0, 10)}`;
    const where = card.channel === null ? "in private" : `in the channel ${card.channel}`;
    const buttons = [
      this.#button(card, "person", owner),
      ...(card.channel === null ? [] : [this.#button(card, "place", owner)]),
      this.#button(card, "quiet", owner),
    ];
    return {
      words: "Somebody who may not talk here tried to.",
      shown: [{ title: name, words: `${person}${made}, ${where}` }],
      buttons,
    };
  }

  #button(card: Card, choice: Choice, owner: PrincipalId): AnswerButton {
    const { account, channel, untilMs } = card;
    const id = ["tried", choice, account, channel ?? "", untilMs.toString(36), this.#seal(card, choice, owner)].join(":");
    return { label: LABELS[choice], id, tone: choice === "person" ? "good" : "plain" };
  }

  #seal({ surface, account, channel, untilMs }: Card, choice: Choice, clicker: PrincipalId): string {
    return keyedDigest(this.#needs.key, ["tried button", surface, choice, account, channel ?? "", String(untilMs), clicker]);
  }

  async #press({ sender, surface }: PersonalAct, id: string): Promise<ActAnswer> {
    const { clock, roleOf } = this.#needs;
    const pressed = this.#unseal(surface, id, sender.principal);
    const isTheirs = pressed !== null && pressed.card.untilMs > clock.nowMs() && roleOf(sender.principal) === "operator";
    return { words: isTheirs ? await this.#answer(pressed.card, pressed.choice, sender.principal) : NOT_YOURS };
  }

  /** What a button holds; null where it was not made for whoever pressed it. */
  #unseal(surface: SurfaceName, id: string, clicker: PrincipalId): { readonly card: Card; readonly choice: Choice } | null {
    const [, word, account = "", channel = null, until = "", seal = ""] = BUTTON.exec(id) ?? [];
    const choice = ACTS.find((one) => one === word);
    const card: Card = { surface, account, channel, untilMs: Number.parseInt(until, 36) };
    return choice !== undefined && seal === this.#seal(card, choice, clicker) ? { card, choice } : null;
  }

  async #answer(card: Card, choice: Choice, by: PrincipalId): Promise<string> {
    const { surface, account, channel, untilMs } = card;
    const answered = this.#answeredIn(surface);
    const mark = keyedDigest(this.#needs.key, ["tried answered", surface, account, channel ?? "", String(untilMs)]);
    if (answered.has(mark) || this.#inHand.has(mark)) return NOT_YOURS;
    // Two presses at once are one answer; and what is kept of it stands behind what it does, so that no kill uses a card up for nothing.
    this.#inHand.add(mark);
    try {
      const words = await this.#choose(card, choice, by);
      await answered.add(mark);
      return words;
    } finally {
      this.#inHand.delete(mark);
    }
  }

  async #choose(card: Card, choice: Choice, by: PrincipalId): Promise<string> {
    const { clock, roleOf, trust, audit } = this.#needs;
    const { surface, channel } = card;
    const person = personOf(card);
    const atMs = clock.nowMs();
    if (choice === "quiet") {
      await this.#quietIn(surface).add(this.#hash(surface, person));
      return "You are not told of that person any more.";
    }
    if (choice === "person") {
      // What became of somebody since the card was drawn stands: a card never lifts a block.
      if (roleOf(person) !== "guest") return "That person is no guest any more; nothing is changed.";
      await trust({ person, by, atMs });
      return "That person is trusted now.";
    }
    if (channel === null) return NOT_YOURS;
    await audit({ atMs, by, act: "policy", person: null, about: `${surface} ${channel}: open to everyone` });
    await this.#openIn(surface).add(channel);
    return "Everyone who calls the character there is answered now. /close there takes it back.";
  }

  async #close({ surface, sender, within }: PersonalAct): Promise<ActAnswer> {
    const { clock, roleOf, audit } = this.#needs;
    const channel = within.find((id) => this.#openIn(surface).has(id));
    if (channel === undefined || roleOf(sender.principal) !== "operator") return { words: NOT_YOURS };
    await audit({ atMs: clock.nowMs(), by: sender.principal, act: "policy", person: null, about: `${surface} ${channel}: as configured` });
    await this.#openIn(surface).drop(channel);
    return { words: "Only those are answered here again whom the configuration and the trust list name." };
  }

  #hash(surface: SurfaceName, person: PrincipalId): string {
    return keyedDigest(this.#needs.key, ["tried quiet", surface, person]);
  }

  #quietIn(surface: SurfaceName): KeptWords {
    return listOf(this.#quiet, surface, () => new KeptWords(this.#needs.shelf, `tried_quiet:${surface}`, MAX_QUIET));
  }

  #answeredIn(surface: SurfaceName): KeptWords {
    return listOf(this.#answered, surface, () => new KeptWords(this.#needs.shelf, `tried_answered:${surface}`, MAX_ANSWERED));
  }

  #openIn(surface: SurfaceName): KeptWords {
    return listOf(this.#open, surface, () => new KeptWords(this.#needs.shelf, `open_places:${surface}`, MAX_OPEN));
  }
}

function accountOf(person: PrincipalId): string | null {
  return /^discord:(\d{1,20})$/.exec(person)?.[1] ?? null;
}

function personOf({ account }: Card): PrincipalId {
  return parsePrincipalId(`discord:${account}`);
}

function listOf(lists: Map<SurfaceName, KeptWords>, surface: SurfaceName, make: () => KeptWords): KeptWords {
  const list = lists.get(surface) ?? make();
  lists.set(surface, list);
  return list;
}

function dropOldest(table: Map<string, unknown>, max: number): void {
  const oldest = table.keys().next();
  if (table.size > max && oldest.done !== true) table.delete(oldest.value);
}
