import { z } from "zod";
import type { Declared } from "../operation.ts";
import { declare } from "../operation.ts";
import { SAID_BY_OPERATOR } from "./owner-operation.ts";
import { renderWhitelist } from "./whitelist-lines.ts";

const ACTIONS = ["list", "add", "remove", "yes"] as const;
/** Why somebody whom the owner named is not changed. */
export const LEFT_OUT = [
  "no_account",
  "owner",
  "operator",
  "bot",
  "unknown",
  "unavailable",
  "trusted_already",
  "not_trusted",
  "too_many",
] as const;
/** One of {@link LEFT_OUT}. */
export type LeftOutWhy = (typeof LEFT_OUT)[number];

/** Arguments of `whitelist`. */
export interface WhitelistArguments {
  readonly action: (typeof ACTIONS)[number];
  readonly accounts: readonly string[];
}

/** Somebody on the list. */
export interface ListedPerson {
  readonly id: string;
  /** The name last seen; null for somebody never seen here. */
  readonly name: string | null;
}

/** Somebody whose trust is about to change, as the owner has to see it (SE-096). */
export interface PersonToChange {
  readonly id: string;
  /** The account's own name; null where the platform could not tell, which matters only to somebody who is taken off. */
  readonly name: string | null;
  readonly shownAs: string | null;
  readonly madeAtMs: number;
  readonly ageDays: number;
  readonly from: "trusted" | "guest" | "blocked";
}

/** A word that changes nothing, and why. */
export interface LeftOut {
  readonly word: string;
  readonly why: LeftOutWhy;
}

/** Result of `whitelist`. */
export type WhitelistAnswer =
  | { readonly kind: "list"; readonly owner: ListedPerson; readonly people: readonly ListedPerson[]; readonly more: number }
  | {
      readonly kind: "asks";
      readonly to: "trusted" | "guest";
      readonly people: readonly PersonToChange[];
      readonly leftOut: readonly LeftOut[];
    }
  | { readonly kind: "nothing"; readonly leftOut: readonly LeftOut[] }
  | { readonly kind: "done"; readonly to: "trusted" | "guest"; readonly people: readonly ListedPerson[] }
  | { readonly kind: "no_question" };

const listed = z.object({ id: z.string(), name: z.string().nullable() });
const toChange = z.object({
  id: z.string(),
  name: z.string().nullable(),
  shownAs: z.string().nullable(),
  madeAtMs: z.number(),
  ageDays: z.int(),
  from: z.enum(["trusted", "guest", "blocked"]),
});
const leftOut = z.array(z.object({ word: z.string(), why: z.enum(LEFT_OUT) }));
const to = z.enum(["trusted", "guest"]);

/** `whitelist list|add|remove`, said to a bot by its owner; `whitelist yes` confirms what was shown (VS-010…VS-013, SE-096). */
export const whitelist: Declared<WhitelistArguments, WhitelistAnswer> = declare<WhitelistArguments, WhitelistAnswer>({
  name: "whitelist",
  summary: "who is trusted; add or remove people, which is shown first and done after yes",
  arguments: z.strictObject({
    action: z.enum(ACTIONS).describe("list, add, remove, or yes"),
    accounts: z.array(z.string().max(4_000)).max(100).describe("mentions or ids of accounts"),
  }),
  positional: ["action", "accounts"],
  who: SAID_BY_OPERATOR,
  result: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("list"), owner: listed, people: z.array(listed), more: z.int() }),
    z.object({ kind: z.literal("asks"), to, people: z.array(toChange), leftOut }),
    z.object({ kind: z.literal("nothing"), leftOut }),
    z.object({ kind: z.literal("done"), to, people: z.array(listed) }),
    z.object({ kind: z.literal("no_question") }),
  ]),
  render: renderWhitelist,
});
