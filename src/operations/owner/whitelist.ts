import type { Clock } from "../../foundation/clock.ts";
import { RuntimeError } from "../../foundation/errors.ts";
import type { AccountLook } from "../../vocabulary/account.ts";
import type { SurfaceName } from "../../vocabulary/ids.ts";
import type { PrincipalId } from "../../vocabulary/principal.ts";
import type { Operation } from "../operation.ts";
import { saidIn } from "../own/own-operation.ts";
import type { TrustLedger } from "../trust.ts";
import { accountsIn } from "./account-words.ts";
import type { OwnerOf } from "./owner-operation.ts";
import { mustBeOwner } from "./owner-operation.ts";
import type { LeftOut, LeftOutWhy, ListedPerson, PersonToChange, WhitelistAnswer } from "./whitelist-operation.ts";
import { whitelist } from "./whitelist-operation.ts";

/** How long a change that was shown waits for its yes. */
export const CONFIRM_WITHIN_MS: number = 5 * 60_000;
/** People that one message may change, and words that it is told of. */
const MAX_CHANGED = 20;
/** People that the list names. */
const MAX_LISTED = 50;
const DAY_MS = 86_400_000;

/** Where trust is kept, who stands on the list, and who its operators are. */
export interface WhitelistNeeds {
  readonly clock: Pick<Clock, "nowMs">;
  readonly ledger: TrustLedger & { trusted(): readonly PrincipalId[] };
  readonly owner: OwnerOf;
  readonly isOperator: (person: PrincipalId) => boolean;
  /** What the platform of a surface tells of an account. */
  readonly look: (surface: SurfaceName, person: PrincipalId, signal: AbortSignal) => Promise<AccountLook>;
}

/** A change that was shown and waits for the owner's yes. Lost with the process: then it is asked again. */
interface Waiting {
  readonly owner: PrincipalId;
  readonly to: "trusted" | "guest";
  readonly people: readonly ListedPerson[];
  readonly untilMs: number;
}

/**
 * Bind `whitelist`. Whom it changes is shown with id, account name and age, and done once after a yes (SE-096): the newest change that
 * was shown is the one that waits.
 */
export function bindWhitelist(needs: WhitelistNeeds): Operation {
  let waiting: Waiting | null = null;
  const ask = async (change: Asked, signal: AbortSignal): Promise<WhitelistAnswer> => {
    waiting = null;
    const { people, leftOut } = await sorted(needs, change, signal);
    if (people.length === 0) return { kind: "nothing", leftOut };
    const { owner, to } = change;
    waiting = { owner, to, people: people.map(({ id, name }) => ({ id, name })), untilMs: needs.clock.nowMs() + CONFIRM_WITHIN_MS };
    return { kind: "asks", to, people, leftOut };
  };
  const confirm = (owner: PrincipalId): Promise<WhitelistAnswer> => {
    const asked = waiting;
    waiting = null;
    const stands = asked !== null && asked.owner === owner && needs.clock.nowMs() <= asked.untilMs;
    return stands ? change(needs, asked) : Promise.resolve({ kind: "no_question" });
  };
  return whitelist.bind(async ({ action, accounts: words }, context): Promise<WhitelistAnswer> => {
    const owner = mustBeOwner(context, needs.owner());
    const { surface } = saidIn(context).place;
    const names = action === "add" || action === "remove";
    if (names !== words.length > 0)
      throw new RuntimeError("usage", "Cannot run whitelist: list and yes stand alone, add and remove name people");
    if (names) return ask({ surface, owner, to: action === "add" ? "trusted" : "guest", words }, context.signal);
    return action === "yes" ? confirm(owner) : listOf(needs, owner);
  });
}

function listOf({ ledger }: WhitelistNeeds, owner: PrincipalId): WhitelistAnswer {
  const named = (id: PrincipalId): ListedPerson => ({ id: accountOf(id), name: ledger.nameOf(id) });
  const trusted = ledger.trusted().filter((person) => person.startsWith("discord:") && person !== owner);
  return {
    kind: "list",
    owner: named(owner),
    people: trusted.slice(0, MAX_LISTED).map(named),
    more: Math.max(0, trusted.length - MAX_LISTED),
  };
}

async function change({ ledger, clock }: WhitelistNeeds, { owner, to, people }: Waiting): Promise<WhitelistAnswer> {
  for (const { id } of people) {
    const [person] = accountsIn([id]).people;
    if (person !== undefined) await ledger.setTrust({ person, role: to, by: owner, atMs: clock.nowMs(), untilMs: null });
  }
  return { kind: "done", to, people };
}

/** What a message asks to change. */
interface Asked {
  readonly surface: SurfaceName;
  readonly owner: PrincipalId;
  readonly to: "trusted" | "guest";
  readonly words: readonly string[];
}

/** The people that can be changed, and every other word with its reason: one bad word keeps no good one out (VS-014). */
async function sorted(
  needs: WhitelistNeeds,
  asked: Asked,
  signal: AbortSignal,
): Promise<{ readonly people: readonly PersonToChange[]; readonly leftOut: readonly LeftOut[] }> {
  const { people: named, invalid } = accountsIn(asked.words);
  const leftOut: LeftOut[] = invalid.slice(0, MAX_CHANGED).map((word) => ({ word, why: "no_account" }));
  const people: PersonToChange[] = [];
  for (const [at, person] of named.entries()) {
    const found = at >= MAX_CHANGED ? "too_many" : await judge(needs, asked, person, signal);
    if (typeof found === "string") leftOut.push({ word: accountOf(person), why: found });
    else people.push(found);
  }
  return { people, leftOut };
}

/** Somebody as they are shown before the change, or why they are not changed. */
async function judge(needs: WhitelistNeeds, asked: Asked, person: PrincipalId, signal: AbortSignal): Promise<PersonToChange | LeftOutWhy> {
  const standing = standingOf(needs, asked, person);
  if (standing !== null) return standing;
  const looked = await needs.look(asked.surface, person, signal);
  const facts = looked.kind === "account" ? looked.facts : null;
  // Nobody is trusted unseen; taking trust away waits for no platform.
  if (asked.to === "trusted" && looked.kind !== "account") return looked.kind;
  if (asked.to === "trusted" && facts?.bot === true) return "bot";
  const { madeAtMs } = looked;
  return {
    id: accountOf(person),
    name: facts === null ? needs.ledger.nameOf(person) : facts.name,
    shownAs: facts?.shownAs ?? null,
    madeAtMs,
    ageDays: Math.max(0, Math.floor((needs.clock.nowMs() - madeAtMs) / DAY_MS)),
    from: needs.ledger.trust(person),
  };
}

/** Why somebody's standing is not changed, before anybody is asked about them; null where it can be. */
function standingOf({ isOperator, ledger }: WhitelistNeeds, { owner, to }: Asked, person: PrincipalId): LeftOutWhy | null {
  if (person === owner) return "owner";
  if (isOperator(person)) return "operator";
  const isTrusted = ledger.trust(person) === "trusted";
  if (to === "trusted") return isTrusted ? "trusted_already" : null;
  return isTrusted ? null : "not_trusted";
}

/** The platform's id of an account. */
function accountOf(person: PrincipalId): string {
  return person.slice(person.indexOf(":") + 1);
}
