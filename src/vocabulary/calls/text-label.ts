import { RuntimeError } from "../../foundation/errors.ts";
import type { Audience, Influence, Reader } from "../label.ts";

const MINT = Symbol("label");
const ANYONE: Audience = Object.freeze(["anyone"] as const);

/** What a {@link TextLabel} says, as plain data. */
export interface LabelFacts {
  /** Whose words may have shaped the text: sorted, without repeats. */
  readonly influence: readonly Influence[];
  /** Who may receive text derived from it; empty means nobody. */
  readonly readers: Audience;
}

/**
 * The label that a text of a turn with tools carries (SE-080). There is one way to another one: {@link joinLabels}, which only
 * narrows. What a person releases changes no label but what is made of it when a call is judged. Nobody sets one: it is minted by
 * `authority/` from where a text came from.
 */
export class TextLabel {
  readonly #facts: LabelFacts;

  constructor(mint: symbol, facts: LabelFacts) {
    if (mint !== MINT || new.target !== TextLabel) throw new RuntimeError("forged", "Cannot make a label: only the authority may");
    this.#facts = Object.freeze({
      influence: inOrder(facts.influence),
      readers: facts.readers.includes("anyone") ? ANYONE : inOrder(facts.readers),
    });
    Object.freeze(this);
  }

  /** What a genuine label says. @throws RuntimeError `forged` */
  static factsOf(value: TextLabel): LabelFacts {
    if (!(#facts in value)) throw new RuntimeError("forged", "Cannot read a label: it was not minted by the authority");
    return value.#facts;
  }
}

/** The label of what is made of several texts: everybody who shaped one of them, and only readers who may have all of them. */
export function joinLabels(first: TextLabel, ...others: readonly TextLabel[]): TextLabel {
  let { influence, readers } = TextLabel.factsOf(first);
  for (const other of others) {
    const facts = TextLabel.factsOf(other);
    influence = [...influence, ...facts.influence];
    readers = common(readers, facts.readers);
  }
  return new TextLabel(MINT, { influence, readers });
}

/** Mint a {@link TextLabel}. Only `authority/` may import this (architecture test). */
export function mintLabel(facts: LabelFacts): TextLabel {
  return new TextLabel(MINT, facts);
}

/** The same as text, to be kept beside what it labels; the authority reads it again. */
export function labelText(label: TextLabel): string {
  const { influence, readers } = TextLabel.factsOf(label);
  return JSON.stringify({ influence, readers });
}

/** Readers are names: whoever is named by both lists, and the whole of one where the other says anyone. */
function common(one: Audience, other: Audience): Audience {
  if (one.includes("anyone")) return other;
  if (other.includes("anyone")) return one;
  return one.filter((reader: Reader) => other.includes(reader));
}

function inOrder<Text extends string>(texts: readonly Text[]): readonly Text[] {
  return Object.freeze([...new Set(texts)].toSorted());
}
