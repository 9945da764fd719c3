import type { Clock } from "../../foundation/clock.ts";
import { keyedDigest } from "../../foundation/keyed-digest.ts";
import type { ActAnswer, AnswerButton, PersonalAct } from "../../vocabulary/act.ts";
import type { AnswerRefusal } from "../../vocabulary/calls/answer-refusal.ts";
import { REFUSED_ANSWERS } from "../../vocabulary/calls/answer-refusal.ts";
import { parseAnswer } from "../../vocabulary/calls/approval-answer.ts";
import type { Ask } from "../../vocabulary/calls/ask.ts";
import { mustBeShown, parseAsk } from "../../vocabulary/calls/ask.ts";
import type { ApprovalId } from "../../vocabulary/ids.ts";
import { parseApprovalId } from "../../vocabulary/ids.ts";
import type { OriginFacts } from "../../vocabulary/origin.ts";
import type { Part } from "../../vocabulary/part.ts";
import type { PlaceId } from "../../vocabulary/place.ts";
import type { PrincipalId } from "../../vocabulary/principal.ts";
import { LOCAL_OWNER, assuranceReaches } from "../../vocabulary/principal.ts";
import type { SettledCard } from "../../vocabulary/calls/settled-card.ts";
import type { AskScope } from "../../vocabulary/calls/tool-definition.ts";
import { ASK_SCOPES } from "../../vocabulary/calls/tool-definition.ts";
import type { HeldRoad } from "./held-replies.ts";
import { NOT_YOURS } from "./not-yours.ts";

const PREFIX = "ask:";
const BUTTON = /^ask:(allow|deny):([a-z]{1,10}):(a-[0-9a-z]{4,32}):([\w-]{16})$/;
const ANSWERS = ["allow", "deny"] as const;
/** What each allow is called, by how far it counts. */
const ALLOWS: Readonly<Record<AskScope, string>> = { once: "Allow once", session: "Allow for the session", always: "Allow always" };
const HOW_FAR: Readonly<Record<AskScope, string>> = { once: "once", session: "for the session", always: "in every session" };

/** A question as it is kept. */
export interface CardRecord {
  readonly approval: ApprovalId;
  readonly number: number;
  readonly digest: string;
  readonly call: string;
  readonly person: PrincipalId;
  readonly place: PlaceId | null;
  readonly state: "pending" | "answered" | "cancelled" | "expired";
  readonly answer: string | null;
  readonly expiresAtMs: number;
}

/** What an answer comes to: what the store may take, or why not. */
export type JudgedPress =
  | { readonly kind: "taken"; readonly row: Parameters<HeldRoad["resume"]>[0] }
  | { readonly kind: "refused"; readonly why: AnswerRefusal };

/** What the buttons under questions stand on. */
export interface ApprovalCardsNeeds {
  readonly clock: Pick<Clock, "nowMs">;
  readonly key: Uint8Array;
  readonly ask: (approval: ApprovalId) => CardRecord | null;
  readonly askOfTurn: (turn: Part["turn"]) => CardRecord | null;
  /** Whether all of a question stands in its message there: one with a configured secret in it does not. */
  readonly isShown: (ask: Ask, record: CardRecord, place: Part["place"]) => boolean;
  readonly originOf: (act: PersonalAct) => OriginFacts;
  readonly judge: (
    answer: { readonly question: ApprovalId; readonly answer: "allow" | "deny"; readonly scope: AskScope },
    by: OriginFacts,
  ) => JudgedPress;
}

/**
 * Buttons under the questions of an operator's own line (SE-084). A button holds the question, what it answers, and under a key its
 * digest, the one person and the line it was drawn for; what it says is judged like an answer that was typed there. The store takes
 * one answer, once, wherever it is given.
 */
export class ApprovalCards {
  readonly #needs: ApprovalCardsNeeds;

  constructor(needs: ApprovalCardsNeeds) {
    this.#needs = needs;
  }

  /** The buttons under the last part of a question; none where it waits no more, or the part is of no question. */
  buttons(part: Part): readonly AnswerButton[] {
    const record = this.#needs.askOfTurn(part.turn);
    if (record === null || record.state !== "pending" || record.expiresAtMs <= this.#needs.clock.nowMs()) return [];
    if (part.place.kind !== "direct" || part.place.person !== record.person || part.place.id !== record.place) return [];
    const allows = this.#offered(record, part).map((scope) => this.#button(record, "allow", scope));
    return [...allows, this.#button(record, "deny", "once")];
  }

  workOf(act: PersonalAct, road: HeldRoad): (() => Promise<ActAnswer>) | null {
    const { what } = act;
    return what.kind === "button" && what.id.startsWith(PREFIX) ? async () => ({ words: await this.#press(act, what.id, road) }) : null;
  }

  /** What is told under a question that was settled. */
  settled({ state, answer, answeredBy, settledAtMs }: SettledCard): string {
    const at = `${new Date(settledAtMs).toISOString().slice(0, 16).replace("T", " ")}Z`;
    if (state !== "answered" || answer === null) return `${WHY_SETTLED[state]} (${at}).`;
    const by = answeredBy === null ? "" : ` by ${answeredBy === LOCAL_OWNER ? "the owner at the own machine" : answeredBy}`;
    return `${saidIn(answer)}${by} (${at}).`;
  }

  /** How far an allow may go there: nothing that this line could not answer is offered (SE-081). */
  #offered(record: CardRecord, { place }: Pick<Part, "place">): readonly AskScope[] {
    const ask = parseAsk(record.call);
    if (ask === null) return ["once"];
    if (mustBeShown(ask) || !assuranceReaches("platform", ask.least) || !this.#needs.isShown(ask, record, place)) return [];
    return ASK_SCOPES.filter((scope) => ask.scopes.includes(scope));
  }

  async #press(act: PersonalAct, id: string, road: HeldRoad): Promise<string> {
    const pressed = this.#pressed(act, id);
    if (pressed === null) return NOT_YOURS;
    const { record, answer, scope } = pressed;
    if (record.state !== "pending") return staleWords(record);
    const judged = this.#needs.judge({ question: record.approval, answer, scope }, this.#needs.originOf(act));
    if (judged.kind === "refused") return judged.why === "not_found" ? NOT_YOURS : REFUSED_ANSWERS[judged.why];
    if (await road.resume(judged.row)) return `${saidIn(`${answer} ${scope} ${record.approval}`)}.`;
    return staleWords(this.#needs.ask(record.approval) ?? record);
  }

  /** What a button says, where it was drawn for this person and this line; null for every other one. */
  #pressed({ sender, place }: PersonalAct, id: string): Pressed | null {
    const [, word = "", far = "", approval, mac] = BUTTON.exec(id) ?? [];
    const answer = ANSWERS.find((one) => one === word);
    const scope = ASK_SCOPES.find((one) => one === far);
    const record = approval === undefined ? null : this.#needs.ask(parseApprovalId(approval));
    if (answer === undefined || scope === undefined || record === null) return null;
    const own = place.kind === "direct" && record.person === sender.principal && record.place === place.id;
    return own && mac === this.#mac(record, answer, scope) ? { record, answer, scope } : null;
  }

  #button(record: CardRecord, answer: "allow" | "deny", scope: AskScope): AnswerButton {
    return {
      label: answer === "allow" ? ALLOWS[scope] : "Deny",
      id: `${PREFIX}${answer}:${scope}:${record.approval}:${this.#mac(record, answer, scope)}`,
      tone: answer === "allow" ? (scope === "once" ? "good" : "plain") : "bad",
    };
  }

  #mac({ approval, digest, person, place }: CardRecord, answer: "allow" | "deny", scope: AskScope): string {
    return keyedDigest(this.#needs.key, ["approval button", approval, digest, answer, scope, person, place ?? ""]);
  }
}

interface Pressed {
  readonly record: CardRecord;
  readonly answer: "allow" | "deny";
  readonly scope: AskScope;
}

const WHY_SETTLED: Readonly<Record<SettledCard["state"], string>> = {
  answered: "It was answered",
  cancelled: "It waits no more: what asked was ended",
  expired: "Nobody answered in time, so it does not run",
};

/** An answer as it is kept, in words. */
function saidIn(answer: string): string {
  try {
    const { answer: said, scope } = parseAnswer(answer);
    return said === "allow" ? `Allowed ${HOW_FAR[scope]}` : "Denied";
  } catch {
    return "Stopped"; // The one answer of another form ends the turn.
  }
}

function staleWords({ state, answer }: CardRecord): string {
  if (state === "answered" && answer !== null)
    return `That question waits no more: it was answered already (${saidIn(answer).toLowerCase()}).`;
  return `That question waits no more. ${WHY_SETTLED[state === "pending" ? "expired" : state]}.`;
}
