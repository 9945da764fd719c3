import { z } from "zod";

/** When a changed key takes effect. */
export type ReloadMoment = "start" | "next message";

/** What is said of a key beside its schema. */
export interface KeyFacts {
  /** One line for people. */
  readonly docs: string;
  readonly reload: ReloadMoment;
  /** The variable that overrides the file. */
  readonly environment?: string;
  /** The command-line flag that overrides both. */
  readonly flag?: string;
  /** The default in words, where it is no plain value. */
  readonly otherwise?: string;
}

/** One key of the configuration, as documentation and overrides need it. */
export interface KeyRow extends KeyFacts {
  /** `surfaces.*.port`; `*` stands for a name the author chooses. */
  readonly path: string;
  readonly schema: z.ZodType;
  /** Whether its section is refused without it. */
  readonly required: boolean;
  /** The default; undefined where there is none. */
  readonly fallback: unknown;
  /** The `kind` of the section that knows it, where sections of one name differ by kind; "" where they do not. */
  readonly kind: string;
}

const FACTS: z.core.$ZodRegistry<KeyFacts> = z.registry<KeyFacts>();

/** Put a key into the registry: the schema comes back with its description, ready for a section. */
export function key<Schema extends z.ZodType>(schema: Schema, facts: KeyFacts): Schema {
  const described = schema.describe(facts.docs);
  FACTS.add(described, facts);
  return described;
}

/** List every key below a section, in the order it was written. */
export function rowsOf(schema: z.ZodType, path: readonly string[] = []): KeyRow[] {
  const facts = FACTS.get(schema);
  const opened = unwrap(schema);
  const own =
    facts === undefined
      ? []
      : [{ ...facts, path: path.join("."), schema: opened.inner, required: opened.required, fallback: opened.fallback, kind: "" }];
  const kinds = kindsOf(opened.inner).flatMap(([kind, section]) => rowsOf(section, path).map((row) => ({ ...row, kind })));
  if (kinds.length > 0) return [...own, ...kinds];
  return [...own, ...childrenOf(opened.inner).flatMap(([name, child]) => rowsOf(child, [...path, name]))];
}

/** The sections that may stand in one place, by the word of `kind` that tells them apart; empty where there is one alone. */
export function kindsOf(schema: z.core.$ZodType): [string, z.ZodObject][] {
  const { inner } = unwrap(schema);
  if (!(inner instanceof z.ZodDiscriminatedUnion)) return [];
  return inner.options.flatMap((option) => {
    if (!(option instanceof z.ZodObject)) return [];
    const kind: unknown = option.shape["kind"];
    return kind instanceof z.ZodLiteral ? [[String(kind.value), option] as [string, z.ZodObject]] : [];
  });
}

/** The parts of a section by name, `*` for those of a map whose names are the author's. */
export function childrenOf(schema: z.core.$ZodType): [string, z.ZodType][] {
  const { inner } = unwrap(schema);
  if (inner instanceof z.ZodObject)
    return Object.entries(inner.shape).flatMap(([name, child]) => (child instanceof z.ZodType ? [[name, child]] : []));
  if (inner instanceof z.ZodRecord && inner.valueType instanceof z.ZodType) return [["*", inner.valueType]];
  if (inner instanceof z.ZodUnion) return inner.options.flatMap((option) => childrenOf(option));
  return [];
}

/** The schema without its default and its being optional. */
function unwrap(schema: z.core.$ZodType): { inner: z.ZodType; required: boolean; fallback: unknown } {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) {
    return { ...unwrap(schema.def.innerType), required: false, fallback: schema.def.defaultValue };
  }
  if (schema instanceof z.ZodOptional) return { ...unwrap(schema.def.innerType), required: false };
  return { inner: schema instanceof z.ZodType ? schema : z.unknown(), required: true, fallback: undefined };
}
