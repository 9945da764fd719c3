import { z } from "zod";
import type { KeyFacts } from "./key.ts";

const WORD = /^[a-z][a-z0-9_-]{0,39}$/;
const WORD_RULE = "must be a lower-case word: a letter, then up to 39 of a-z 0-9 _ -";
/** Words that are names of every object in the language; as a key they are refused. */
const RESERVED: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** A key that an author chooses: a lower-case word. */
export const name = (): z.ZodString =>
  z
    .string()
    .regex(WORD, WORD_RULE)
    .refine((word) => !RESERVED.has(word), "is a reserved word");
/** One line without control or invisible characters. */
export const line = (max: number): z.ZodString =>
  z
    .string()
    .max(max)
    .regex(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]*$/u, "must be one line without control or invisible characters")
    .regex(/\S/, "must not be blank");
/** Any number of lines. */
export const prose = (max: number): z.ZodString =>
  z
    .string()
    .max(max)
    .regex(/^(?:[^\p{Cc}\p{Cs}]|[\n\t])*$/u, "must be plain text without control characters");
/** A language, as in `de-CH`. */
export const languageCode = (): z.ZodString =>
  z
    .string()
    .max(35)
    .regex(/^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/, "must be a language code such as en or de-CH");
/** A whole number within bounds. */
export const whole = (min: number, max: number): z.ZodNumber => z.number().int().min(min).max(max);
/** Text that another reader has to accept; `rule` gives what it breaks, or null. */
export const checked = (max: number, rule: (text: string) => string | null): z.ZodString =>
  z
    .string()
    .min(1)
    .max(max)
    .check((context) => {
      const broken = rule(context.value);
      if (broken !== null) context.issues.push({ code: "custom", message: broken, input: context.value });
    });
/** Model names hold slashes and colons; a control character or a blank is a mistake. */
export const modelName = (): z.ZodString =>
  z
    .string()
    .max(200)
    .regex(/^[A-Za-z0-9][A-Za-z0-9._:/@+-]*$/, "must be a model's name: letters, digits and . _ : / @ + -");
/** Facts of a key that takes effect with the next message. */
export const now = (docs: string, more: Partial<KeyFacts> = {}): KeyFacts => ({ docs, reload: "next message", ...more });
/** Facts of a key that takes effect at the next start. */
export const later = (docs: string, more: Partial<KeyFacts> = {}): KeyFacts => ({ docs, reload: "start", ...more });
