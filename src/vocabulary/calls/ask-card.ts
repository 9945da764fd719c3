import type { Line } from "../../foundation/line.ts";
import { line, text, toned } from "../../foundation/line.ts";
import type { Printable } from "../../foundation/printable.ts";
import { printable } from "../../foundation/printable.ts";
import { sha256Hex } from "../../foundation/ids.ts";
import type { Ask } from "./ask.ts";
import { mustBeShown } from "./ask.ts";

/** Characters of the call in one line of a card. */
export const CARD_WIDTH = 96;

/** What no calendar goes beyond. */
const LAST_DATE_MS = 8.64e15;

/** Why a question is asked, by the rule that asks it. */
const RULES: Readonly<Record<string, string>> = {
  influence: "somebody else's words are in this turn, and the call has an effect",
  readers: "what shaped these words is not for everybody who reads there",
  rule_of_two: "this turn read others' words and something private, and the call has an effect",
  dynamic: "what it does is not wholly said by its arguments",
  relayed: "whoever carries this line could have written it, and the call has an effect",
  protected: "it touches what steers this program, or a path that cannot be told",
  tool: "this tool always asks",
  mcp: "a program that a model drives proposes it",
  held: "replies there wait for a yes",
};

/** What a card shows beside the question itself. */
export interface CardFrame {
  /** What people type to answer it. */
  readonly number: number;
  readonly expiresAtMs: number;
}

/** What a card shows, piece by piece in the order of showing: the same pieces for a terminal, a line of chat and a page. */
export interface CardPieces {
  readonly tool: Printable;
  /** Why it is asked. */
  readonly because: Printable;
  /** Everybody whose words may have shaped it. */
  readonly influence: readonly { readonly whose: Printable; readonly isOther: boolean }[];
  /** Where its words go; "" for nowhere. */
  readonly destination: Printable;
  /** SHA-256 of the bytes. */
  readonly digest: Printable;
  /** Lines that, put together again, are the bytes that would run. */
  readonly bytes: readonly Printable[];
  readonly dynamic: boolean;
  /** What follows from them, as it was reckoned when it was asked. */
  readonly foretold: readonly Printable[];
  readonly scopes: Ask["scopes"];
  /** What the model wrote beside it; "" for nothing. */
  readonly words: Printable;
}

/** Take a frozen question apart for showing (SE-084). Nothing is left out, and nothing but the question is looked at. */
export function cardPieces(ask: Ask): CardPieces {
  const others = new Set<string>(ask.foreign);
  return {
    tool: printable(ask.tool),
    because: becauseOf(ask),
    influence: ask.influence.map((one) => ({ whose: printable(one), isOther: others.has(one) })),
    destination: printable(ask.destination),
    digest: printable(sha256Hex(ask.bytes)),
    bytes: callLines(ask.bytes),
    dynamic: ask.dynamic,
    foretold: (ask.foretold ?? []).map((one) => printable(one)),
    scopes: ask.scopes,
    words: printable(ask.words, 1_000),
  };
}

/**
 * Draw the card of a question (SE-084): the rule and everybody whose words may have shaped it first, then every byte that would
 * run, then how to answer, and the model's own words last, marked as such.
 */
export function askCard(ask: Ask, frame: CardFrame): readonly Line[] {
  const { because, influence, destination, digest, bytes, dynamic, foretold, words } = cardPieces(ask);
  const names = influence.map(({ whose, isOther }) => (isOther ? text`${whose} (not you)` : whose));
  return [
    toned("strong", line`Question ${frame.number}: may this run? ${untilOf(frame)}`),
    line`Asked because ${because}.`,
    toned(influence.some(({ isOther }) => isOther) ? "bad" : "plain", line`Words that may have shaped it are of:`),
    ...(names.length === 0 ? [line`  nobody but the runtime`] : names.map((name) => line`  ${name}`)),
    ...(destination === "" ? [] : [line`Its words go to: ${destination}`]),
    line`What would run, whole (SHA-256 ${digest}):`,
    ...bytes.map((one) => line`${one}`),
    ...(dynamic ? [toned("bad", line`What it does is not wholly said by these bytes.`)] : []),
    ...(foretold.length === 0
      ? []
      : [line`What follows from it, as reckoned when it was asked:`, ...foretold.map((one) => line`  ${one}`)]),
    line`Answer: ${printable(answersOf(ask, frame.number))}`,
    ...(words === "" ? [] : [toned("faint", line`The model wrote beside it, in its own words: ${words}`)]),
  ];
}

function becauseOf({ rule, reason }: Ask): Printable {
  const own = RULES[rule];
  if (own !== undefined) return printable(own);
  return reason === undefined ? text`the rule ${printable(rule)} says so` : text`the rule ${printable(rule)} says: ${printable(reason)}`;
}

/** The bytes of a call in lines that, put together again, are the bytes: canonical JSON is printable as it stands. */
export function callLines(bytes: string): readonly Printable[] {
  const lines: Printable[] = [];
  const points = Array.from(bytes);
  for (let at = 0; at < points.length; at += CARD_WIDTH) lines.push(printable(points.slice(at, at + CARD_WIDTH).join("")));
  return lines;
}

/** The card as a message on a line of chat; where it cannot be answered there, only that it waits, and where. */
export function askMessage(ask: Ask, frame: CardFrame): string {
  if (mustBeShown(ask))
    return [
      `Question ${frame.number} waits: a call of ${printable(ask.tool)} that is shown whole only at the own machine. ${untilOf(frame)}`,
      `See it with: troupe approvals show ${frame.number}`,
    ].join("\n");
  const all = askCard(ask, frame).map(({ text: shown }) => shown);
  const bytes = new Set(callLines(ask.bytes));
  const from = all.findIndex((shown) => bytes.has(shown));
  const upto = from + callLines(ask.bytes).length;
  // A fence keeps a platform from drawing the bytes as anything but themselves; they hold no backtick.
  return [...all.slice(0, from), "```", ...all.slice(from, upto), "```", ...all.slice(upto)].join("\n");
}

/** A question about no call, as its voice words it. */
export function questionText(words: string, { number, expiresAtMs }: CardFrame): string {
  return [
    `Question ${number}: ${printable(words === "" ? "a turn waits for your answer" : words, 1_000)}`,
    `Answer: yes | no | allow ${number} | deny ${number}. ${untilOf({ number, expiresAtMs })}`,
  ].join("\n");
}

/** All that is said of a question where its card may not be shown. */
export function hiddenAsk(number: number): string {
  return `Question ${number} waits. It cannot be shown on this line; see it with: troupe approvals show ${number}`;
}

function answersOf({ scopes }: Ask, number: number): string {
  const wider: Readonly<Record<string, string>> = {
    session: `allow ${number} session (exactly this, as long as the session lasts)`,
    always: `allow ${number} always (exactly this, in every session)`,
  };
  return [`allow ${number}`, ...scopes.flatMap((scope) => wider[scope] ?? []), `deny ${number}`, `deny ${number}; why`].join(" | ");
}

function untilOf({ expiresAtMs }: CardFrame): Printable {
  if (expiresAtMs > LAST_DATE_MS) return printable("It waits until it is answered.");
  return printable(`It waits until ${new Date(expiresAtMs).toISOString().slice(0, 16).replace("T", " ")}Z.`);
}
