import type { PrincipalId } from "../../vocabulary/principal.ts";
import { parsePrincipalId } from "../../vocabulary/principal.ts";

const MARK_OR_ID = /^(?:<@!?([1-9]\d{16,19})>|([1-9]\d{16,19}))[,;]?$/;
const LARGEST_ID = 2n ** 64n - 1n;

/** Accounts that words name, each once, and the words that name none. */
export interface NamedAccounts {
  readonly people: readonly PrincipalId[];
  readonly invalid: readonly string[];
}

/** Read accounts of Discord from words: a mention's mark or the id itself, mixed as they come (VS-014). A name is no account: anybody can take it. */
export function accountsIn(words: readonly string[]): NamedAccounts {
  const people = new Set<PrincipalId>();
  const invalid: string[] = [];
  for (const word of words) {
    const match = MARK_OR_ID.exec(word);
    const id = match?.[1] ?? match?.[2];
    if (id === undefined || BigInt(id) > LARGEST_ID) invalid.push(word);
    else people.add(parsePrincipalId(`discord:${id}`));
  }
  return { people: [...people], invalid };
}
