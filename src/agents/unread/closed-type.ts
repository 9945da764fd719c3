import { z } from "zod";

/** Values that an answer may have, settled before anything is read (SE-091). */
export type ClosedType =
  | { readonly type: "boolean" }
  | { readonly type: "options"; readonly options: readonly string[] }
  | { readonly type: "integer"; readonly min: number; readonly max: number }
  | { readonly type: "date"; readonly from: string; readonly to: string };

/** Options that one question may give. */
export const MAX_OPTIONS = 32;
const MAX_OPTION_CHARACTERS = 80;
const DAY_MS = 86_400_000;
/** Of a date whose question gives no bounds. */
const EARLIEST = "1900-01-01";
const LATEST = "2099-12-31";

const day = z
  .string()
  .max(10)
  .refine((text) => dayNumber(text) !== null);

/** The same as a model writes it in a call. */
export const closedType: z.ZodType<ClosedType> = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("boolean") }),
  z.strictObject({
    type: z.literal("options"),
    options: z
      .array(z.string().trim().min(1).max(MAX_OPTION_CHARACTERS))
      .min(2)
      .max(MAX_OPTIONS)
      .refine((options) => new Set(options).size === options.length),
  }),
  z.strictObject({ type: z.literal("integer"), min: z.int(), max: z.int() }).refine(({ min, max }) => min < max),
  z.strictObject({ type: z.literal("date"), from: day.default(EARLIEST), to: day.default(LATEST) }).refine(({ from, to }) => from < to),
]);

/** What the model is told of it. */
export const CLOSED_TYPE_SCHEMA: Readonly<Record<string, unknown>> = {
  type: "object",
  description:
    "The values that the answer may have. boolean: nothing else. options: 2 to 32 different ones. integer: min and max. date: from and to as YYYY-MM-DD, or neither.",
  properties: {
    type: { type: "string", enum: ["boolean", "options", "integer", "date"] },
    options: { type: "array", items: { type: "string", maxLength: MAX_OPTION_CHARACTERS }, minItems: 2, maxItems: MAX_OPTIONS },
    min: { type: "integer" },
    max: { type: "integer" },
    from: { type: "string" },
    to: { type: "string" },
  },
  required: ["type"],
  additionalProperties: false,
};

/** How much a value of this type can tell, in whole bits. */
export function bitsOf(type: ClosedType): number {
  return Math.ceil(Math.log2(countOf(type)));
}

function countOf(type: ClosedType): number {
  switch (type.type) {
    case "boolean":
      return 2;
    case "options":
      return type.options.length;
    case "integer":
      return type.max - type.min + 1;
    case "date":
      return (dayNumber(type.to) ?? 0) - (dayNumber(type.from) ?? 0) + 1;
  }
}

/** How the one who reads is told to answer. */
export function formOf(type: ClosedType): string | { readonly "the number of one of these": Readonly<Record<string, string>> } {
  switch (type.type) {
    case "boolean":
      return "yes or no";
    case "options":
      return { "the number of one of these": Object.fromEntries(type.options.map((option, at) => [String(at + 1), option])) };
    case "integer":
      return `a whole number from ${type.min} to ${type.max}`;
    case "date":
      return `a date as YYYY-MM-DD, from ${type.from} to ${type.to}`;
  }
}

/** The value that an answer is; null when it is none of the type. What is given back never is the answer's own text: it is built from the type. */
export function valueIn(type: ClosedType, answer: string): string | null {
  const text = answer.trim();
  switch (type.type) {
    case "boolean":
      return /^(?:yes|true)\.?$/iu.test(text) ? "yes" : /^(?:no|false)\.?$/iu.test(text) ? "no" : null;
    case "options":
      return optionIn(type.options, text);
    case "integer":
      return integerIn(type, text);
    case "date": {
      const at = dayNumber(text);
      return at === null || text < type.from || text > type.to ? null : textOfDay(at);
    }
  }
}

function optionIn(options: readonly string[], text: string): string | null {
  const number = /^([1-9]\d?)\.?$/u.exec(text)?.[1];
  // Options may be numbers themselves: only their place in the list counts then.
  if (number !== undefined) return options[Number(number) - 1] ?? null;
  return options.find((option) => option === text) ?? null;
}

function integerIn({ min, max }: { readonly min: number; readonly max: number }, text: string): string | null {
  if (!/^-?\d{1,16}$/u.test(text)) return null;
  const value = Number(text);
  return Number.isSafeInteger(value) && value >= min && value <= max ? String(value === 0 ? 0 : value) : null;
}

/** Days since 1970 of a date that exists; null for anything else. */
function dayNumber(text: string): number | null {
  const [, year, month, date] = /^(\d{4})-(\d{2})-(\d{2})$/u.exec(text) ?? [];
  if (year === undefined || month === undefined || date === undefined) return null;
  const at = Date.UTC(Number(year), Number(month) - 1, Number(date)) / DAY_MS;
  return textOfDay(at) === text ? at : null;
}

function textOfDay(at: number): string {
  return new Date(at * DAY_MS).toISOString().slice(0, 10);
}
