import type { Clock } from "../../foundation/clock.ts";
import { keyedDigest } from "../../foundation/keyed-digest.ts";
import { RateLimiter } from "../../foundation/rate-limiter.ts";
import type { ActAnswer, AnswerButton, PersonalAct } from "../../vocabulary/act.ts";
import type { AuditEntry } from "../../vocabulary/audit.ts";
import type { InboundEvent } from "../../vocabulary/inbound.ts";
import type { SurfaceName } from "../../vocabulary/ids.ts";
import type { PrincipalId, Role } from "../../vocabulary/principal.ts";
import { KeptWords } from "./kept-words.ts";
import type { WordShelf } from "./kept-words.ts";
import { NOT_YOURS } from "./not-yours.ts";

/** Notices of one bot: so many at once, then one in so long; and one a day of the same person. */
const PACE = { burst: 4, everyMs: 15 * 60_000 } as const;
const AGAIN_MS = 24 * 60 * 60_000;
const MAX_PEOPLE = 4_096;
/** Cards that can be answered at the same time, and for how long. They end with the process: then a button is told that it does nothing. */
const MAX_CARDS = 64;
const CARD_MS = 24 * 60 * 60_000;
const MAX_QUIET = 200;
const MAX_OPEN = 100;
const ACTS = ["person", "place", "quiet"] as const;
type Choice = (typeof ACTS)[number];
const BUTTON = /^tried:(person|place|quiet):([\w-]{16}):([\w-]{16})$/;

interface Card {
  readonly id: string;
  readonly surface: SurfaceName;
  readonly owner: PrincipalId;
  readonly person: PrincipalId;
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
 * with three buttons. A button holds the card and its owner under a key, and each card takes one answer (SE-084, SE-096).
 */
export class Tried {
  readonly #needs: TriedNeeds;
  readonly #told = new Map<string, number>();
  readonly #paces = new Map<SurfaceName, RateLimiter>();
  readonly #cards = new Map<string, Card>();
  readonly #quiet = new Map<SurfaceName, KeptWords>();
  readonly #open = new Map<SurfaceName, KeptWords>();
  #count = 0;

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
    if (!this.#mayTell(surface, sender.principal)) return null;
    const nowMs = clock.nowMs();
    this.#count += 1;
    const id = keyedDigest(this.#needs.key, ["tried", surface, sender.principal, String(nowMs), String(this.#count)]);
    const channel = place.kind === "public" ? (within[0] ?? null) : null;
    const card: Card = { id, surface, owner, person: sender.principal, channel, untilMs: nowMs + CARD_MS };
    this.#cards.set(id, card);
    dropOldest(this.#cards, MAX_CARDS);
    return { owner, card: this.#draw(card, sender.displayName) };
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

  #draw(card: Card, name: string): ActAnswer {
    const madeAtMs = this.#needs.madeAtMs(card.person);
    const made = madeAtMs === null ? "" : `, account made on ${new Date(madeAtMs).toISOString().slice(0, 10)}`;
    const where = card.channel === null ? "in private" : `in the channel ${card.channel}`;
    const buttons = [
      this.#button(card, "person", "Let this person"),
      ...(card.channel === null ? [] : [this.#button(card, "place", "Let everyone here")]),
      this.#button(card, "quiet", "Keep quiet"),
    ];
    return {
      words: "Somebody who may not talk here tried to.",
      shown: [{ title: name, words: `${card.person}${made}, ${where}` }],
      buttons,
    };
  }

  #button(card: Card, choice: Choice, label: string): AnswerButton {
    return { label, id: `tried:${choice}:${card.id}:${this.#mac(card, choice, card.owner)}`, tone: choice === "person" ? "good" : "plain" };
  }

  #mac(card: Card, choice: Choice, clicker: PrincipalId): string {
    return keyedDigest(this.#needs.key, ["tried button", card.id, choice, card.person, card.channel ?? "", clicker]);
  }

  async #press({ sender }: PersonalAct, id: string): Promise<ActAnswer> {
    const { clock, roleOf } = this.#needs;
    const [, word, cardId = "", mac = ""] = BUTTON.exec(id) ?? [];
    const choice = ACTS.find((one) => one === word);
    const card = this.#cards.get(cardId);
    if (card === undefined || choice === undefined || mac !== this.#mac(card, choice, sender.principal)) return { words: NOT_YOURS };
    if (card.untilMs <= clock.nowMs() || roleOf(sender.principal) !== "operator") return { words: NOT_YOURS };
    // Used up before it takes effect: pressed twice at once, it is answered once.
    this.#cards.delete(cardId);
    return { words: await this.#choose(card, choice) };
  }

  async #choose(card: Card, choice: Choice): Promise<string> {
    const { clock, roleOf, trust, audit } = this.#needs;
    const { surface, owner: by, person, channel } = card;
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

  #openIn(surface: SurfaceName): KeptWords {
    return listOf(this.#open, surface, () => new KeptWords(this.#needs.shelf, `open_places:${surface}`, MAX_OPEN));
  }
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
