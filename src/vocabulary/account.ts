/** What a platform tells of an account beside its id: data for people to look at, never identity. */
export interface AccountFacts {
  /** The one name that no other account there has. */
  readonly name: string;
  /** The name it chose to be shown by; null where that is the same. */
  readonly shownAs: string | null;
  readonly bot: boolean;
}

/** What came of asking a platform about an account. When it was made stands in its id, so that is known without an answer. */
export type AccountLook = { readonly madeAtMs: number } & (
  | { readonly kind: "account"; readonly facts: AccountFacts }
  /** There is no such account. */
  | { readonly kind: "unknown" }
  /** The platform could not tell now. */
  | { readonly kind: "unavailable" }
);
