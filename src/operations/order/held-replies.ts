import type { Clock } from "../../foundation/clock.ts";
import { keyedDigest } from "../../foundation/keyed-digest.ts";
import { printable } from "../../foundation/printable.ts";
import type { ActAnswer, AnswerButton, PersonalAct, ShownWords } from "../../vocabulary/act.ts";
import { answerText } from "../../vocabulary/calls/approval-answer.ts";
import type { Ask } from "../../vocabulary/calls/ask.ts";
import { mustBeShown, parseAsk } from "../../vocabulary/calls/ask.ts";
import { HELD_RULE, HELD_TOOL } from "../../vocabulary/calls/held.ts";
import type { ApprovalId } from "../../vocabulary/ids.ts";
import type { PlaceId } from "../../vocabulary/place.ts";
import type { PrincipalId } from "../../vocabulary/principal.ts";
import { LOCAL_OWNER } from "../../vocabulary/principal.ts";
import { NOT_YOURS } from "./not-yours.ts";
import type { Standing } from "./standing.ts";

/** Replies that one answer shows. */
const MAX_SHOWN = 5;
const BUTTON = /^held:(allow|deny):(a-[0-9a-z]{4,32}):([\w-]{16})$/;

/** A question as it is kept. */
export interface HeldRecord {
  readonly approval: ApprovalId;
  readonly number: number;
  readonly digest: string;
  readonly call: string;
  readonly person: PrincipalId;
  readonly place: PlaceId | null;
  readonly state: string;
  readonly expiresAtMs: number;
}

/** What deciding about held replies stands on. */
export interface HeldNeeds {
  readonly clock: Pick<Clock, "nowMs">;
  readonly key: Uint8Array;
  readonly standing: (act: PersonalAct) => Standing;
  readonly pending: (nowMs: number, person: PrincipalId) => readonly HeldRecord[];
}

/** What the road does for it. */
export interface HeldRoad {
  resume(answer: {
    readonly approval: ApprovalId;
    readonly digest: string;
    readonly person: PrincipalId;
    readonly answer: string;
    readonly by?: PrincipalId;
    readonly mustBeShown?: boolean;
  }): Promise<boolean>;
}

type Held = HeldRecord & { readonly ask: Ask };
type Work = () => Promise<ActAnswer>;

/**
 * Replies that wait for a yes (SE-084). Whoever keeps order in the place is shown the exact words with buttons of their own: a button
 * holds the question, the digest of the words and the one person it was drawn for, under a key, so that a forged one, another's, one of
 * other words and one that was used are all the same nothing. The store takes one answer, once.
 */
export class HeldReplies {
  readonly #needs: HeldNeeds;

  constructor(needs: HeldNeeds) {
    this.#needs = needs;
  }

  workOf(act: PersonalAct, road: HeldRoad): Work | null {
    const { what } = act;
    if (what.kind === "command" && what.name === "held") return () => Promise.resolve(this.#list(act));
    if (what.kind === "button" && what.id.startsWith("held:")) return () => this.#press(act, what.id, road);
    return null;
  }

  /** The card of one that was just held, for an operator; null when it waits no more. */
  cardFor(approval: ApprovalId, person: PrincipalId): ActAnswer | null {
    const found = this.#waiting().find((one) => one.approval === approval);
    return found === undefined ? null : this.#cardsOf([found], person);
  }

  #list(act: PersonalAct): ActAnswer {
    const mine = this.#waiting().filter((one) => this.#mayDecide(act, one));
    if (mine.length > 0) return this.#cardsOf(mine, act.sender.principal);
    return { words: this.#needs.standing(act) === "nobody" ? NOT_YOURS : "Nothing waits here." };
  }

  async #press(act: PersonalAct, id: string, road: HeldRoad): Promise<ActAnswer> {
    const [, answer, approval = "", mac = ""] = BUTTON.exec(id) ?? [];
    const held = this.#waiting().find((one) => one.approval === approval);
    if (held === undefined || (answer !== "allow" && answer !== "deny")) return { words: NOT_YOURS };
    const own = mac === this.#mac(held, answer, act.sender.principal) && this.#mayDecide(act, held) && !mustBeShown(held.ask);
    if (!own) return { words: NOT_YOURS };
    const taken = await road.resume({
      approval: held.approval,
      digest: held.digest,
      person: held.person,
      answer: answerText({ approval: held.approval, answer, scope: "once" }),
    });
    if (!taken) return { words: NOT_YOURS };
    return { words: answer === "allow" ? "It is said." : "It is not said." };
  }

  /** An operator everywhere, a moderator in the very place where it would be said. */
  #mayDecide(act: PersonalAct, held: Held): boolean {
    const standing = this.#needs.standing(act);
    return standing === "operator" || (standing === "moderator" && held.place === act.place.id);
  }

  #waiting(): readonly Held[] {
    const { pending, clock } = this.#needs;
    return pending(clock.nowMs(), LOCAL_OWNER).flatMap((record) => {
      const ask = parseAsk(record.call);
      return ask !== null && ask.tool === HELD_TOOL && ask.rule === HELD_RULE ? [{ ...record, ask }] : [];
    });
  }

  #cardsOf(held: readonly Held[], person: PrincipalId): ActAnswer {
    const shown = held.slice(0, MAX_SHOWN);
    const more = held.length > shown.length ? ` ${held.length - shown.length} more wait behind these.` : "";
    return {
      words: `${held.length === 1 ? "A reply waits" : `${held.length} replies wait`} for a yes.${more}`,
      shown: shown.map(cardOf),
      buttons: shown.filter(({ ask }) => !mustBeShown(ask)).flatMap((one) => this.#buttonsOf(one, person)),
    };
  }

  #buttonsOf(held: Held, person: PrincipalId): readonly AnswerButton[] {
    const button = (answer: "allow" | "deny", label: string): AnswerButton => ({
      label: `${label} ${held.number}`,
      id: `held:${answer}:${held.approval}:${this.#mac(held, answer, person)}`,
      tone: answer === "allow" ? "good" : "bad",
    });
    return [button("allow", "✓ Say"), button("deny", "✗ Drop")];
  }

  #mac({ approval, digest }: Held, answer: "allow" | "deny", person: PrincipalId): string {
    return keyedDigest(this.#needs.key, ["held reply", approval, digest, answer, person]);
  }
}

/** The card is drawn from the frozen bytes alone. */
function cardOf({ number, ask, expiresAtMs }: Held): ShownWords {
  const until = new Date(expiresAtMs).toISOString().slice(11, 16);
  const title = `${number}: to be said in ${ask.destination}, until ${until}Z`;
  if (mustBeShown(ask)) return { title, words: `Too long to be answered here: troupe approvals show ${number}` };
  const others = ask.foreign.map((one) => printable(one)).join(", ");
  return { title, words: `Words that may have shaped it are of: ${others === "" ? "nobody" : others}\n${ask.bytes}` };
}
