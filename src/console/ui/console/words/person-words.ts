import type { PersonEntry } from "../../../../observe/people-operation.ts";

/** A person by the name last seen, else by a shortened id. */
export function personName({ name, id }: Pick<PersonEntry, "name" | "id">, own: string | null): string {
  return name ?? own ?? shortId(id);
}

const LONGEST = 22;
const KEPT = 4;

/** An id that fits into a line: the realm, and the beginning and the end of the account tell accounts apart. */
export function shortId(id: string): string {
  if (id.length <= LONGEST) return id;
  const realm = id.slice(0, id.lastIndexOf(":") + 1);
  const account = id.slice(realm.length);
  return `${realm}${account.slice(0, KEPT)}…${account.slice(-KEPT)}`;
}

/** What an account belongs to: `a member of a room`, `an account on Discord`. */
export function realmWords(id: string): string {
  const realm = id.slice(0, id.indexOf(":"));
  if (realm === "room") return "a member of a room, known by its browser alone";
  if (realm === "discord") return "an account on Discord";
  if (realm === "grid") return "an avatar on a grid";
  return realm === "local" ? "this computer’s own operator" : `an account of ${realm}`;
}
