import { RuntimeError } from "../foundation/errors.ts";
import type { Place } from "./place.ts";
import type { Assurance, PrincipalId, Role } from "./principal.ts";

const MINT = Symbol("origin");

/** What an {@link Origin} says, as plain data. */
export interface OriginFacts {
  readonly principal: PrincipalId;
  readonly role: Role;
  readonly assurance: Assurance;
  readonly channel: Place["kind"];
  /** Whether an operator invited this guest by name; absent means no. It gives no right: only a part of what is shared (SE-090). */
  readonly invited?: boolean;
}

/**
 * From whom and from where a message came, fixed before its text is looked at: no text can alter it (MC-027, MC-031). Minted
 * by `authority/` alone; a copy, a look-alike or a value of another module instance is refused (TR-002).
 */
export class Origin {
  readonly #facts: OriginFacts;

  constructor(mint: symbol, facts: OriginFacts) {
    if (mint !== MINT || new.target !== Origin) throw new RuntimeError("forged", "Cannot make an Origin: only the authority may");
    this.#facts = Object.freeze({ ...facts });
    Object.freeze(this);
  }

  /** What a genuine origin says. @throws RuntimeError `forged` */
  static factsOf(value: Origin): OriginFacts {
    if (!(#facts in value)) throw new RuntimeError("forged", "Cannot read an Origin: it was not minted by the authority");
    return value.#facts;
  }
}

/** Mint an {@link Origin}. Only `authority/` may import this (architecture test). */
export function mintOrigin(facts: OriginFacts): Origin {
  return new Origin(MINT, facts);
}
