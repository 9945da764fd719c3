import { RuntimeError } from "../../foundation/errors.ts";
import type { SessionId, TurnId } from "../ids.ts";
import type { PrincipalId } from "../principal.ts";

const MINT = Symbol("authorized-action");

/** What one action may do: exactly this call, for this turn. */
export interface ActionFacts {
  readonly turn: TurnId;
  readonly session: SessionId;
  readonly person: PrincipalId;
  /** The call's id within its session. */
  readonly call: string;
  readonly tool: string;
  /** SHA-256 of the tool's definition as it was judged. */
  readonly definition: string;
  /** Canonical JSON of the arguments, as they were judged and shown. */
  readonly argumentsText: string;
  /** SHA-256 of everything that was judged and shown (SE-084). */
  readonly digest: string;
}

/**
 * The right to run one call, once (MC-036, SE-084). Minted by `authority/` alone; a look-alike, a copy, a subclass, a proxy or a
 * value of another realm or module instance has no `#facts` and is refused, and so is one that was used.
 */
export class AuthorizedAction {
  readonly #facts: ActionFacts;
  #used = false;

  constructor(mint: symbol, facts: ActionFacts) {
    if (mint !== MINT || new.target !== AuthorizedAction)
      throw new RuntimeError("forged", "Cannot make an AuthorizedAction: only the authority may");
    this.#facts = freeze({ ...facts });
    freeze(this);
  }

  /** Use a genuine action up and tell what it allows. @throws RuntimeError `forged` for anything else, and the second time. */
  static spend(value: AuthorizedAction): ActionFacts {
    if (!(#facts in value)) throw new RuntimeError("forged", "Cannot run a call: it was not authorised");
    if (value.#used) throw new RuntimeError("forged", "Cannot run a call: its authorisation was used up");
    value.#used = true;
    return value.#facts;
  }
}

// Taken before anything else could replace it.
const { freeze } = Object;

/** Mint an {@link AuthorizedAction}. Only `authority/` may import this (architecture test). */
export function mintAction(facts: ActionFacts): AuthorizedAction {
  return new AuthorizedAction(MINT, facts);
}

/** Use an action up. Only `agents/` may import this (architecture test). @throws RuntimeError `forged` */
export function spendAction(value: AuthorizedAction): ActionFacts {
  return AuthorizedAction.spend(value);
}
