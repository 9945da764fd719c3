import { RuntimeError } from "../foundation/errors.ts";
import type { FetchHandler } from "./serve-request.ts";

const MINT = Symbol("guest-graph");

/**
 * Handlers that hold nothing of an operator's: the only ones a listener takes that others can reach (SE-086). Minted by
 * `surfaces/room/` alone (architecture test).
 */
export class GuestGraph {
  readonly #handler: FetchHandler;

  constructor(mint: symbol, handler: FetchHandler) {
    if (mint !== MINT || new.target !== GuestGraph) throw new RuntimeError("forged", "Cannot make a guest's handlers: only the room may");
    this.#handler = handler;
    Object.freeze(this);
  }

  /** The handlers of a genuine value. @throws RuntimeError `forged` */
  static handlerOf(value: GuestGraph): FetchHandler {
    if (!(#handler in value)) throw new RuntimeError("forged", "Cannot use a guest's handlers: the room did not make them");
    return value.#handler;
  }
}

/** Mint a {@link GuestGraph}. Only `surfaces/room/` may import this. */
export function mintGuestGraph(handler: FetchHandler): GuestGraph {
  return new GuestGraph(MINT, handler);
}
