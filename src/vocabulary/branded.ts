/** A plain value that only the parser beside its type mints; ids of different kinds never mix. No authority rests on a brand. */
export type Branded<Value, Name extends string> = Value & { readonly __brand: Name };
