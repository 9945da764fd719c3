import type { z } from "zod";
import { schemaIssues } from "../issue.ts";
import { line, modelName, prose } from "../schema/schema-parts.ts";

/** The rule that a name or title breaks, or null: what the file would be told of it. */
export function lineRule(text: string, max: number): string | null {
  return ruleOf(line(max), text);
}

/** The rule that a longer text breaks, or null. */
export function proseRule(text: string, max: number): string | null {
  return ruleOf(prose(max), text);
}

/** The rule that a model's name breaks, or null. */
export function modelNameRule(text: string): string | null {
  return ruleOf(modelName(), text);
}

function ruleOf(schema: z.ZodType, text: string): string | null {
  const parsed = schema.safeParse(text);
  return parsed.success ? null : (schemaIssues(parsed.error, text)[0]?.rule ?? "cannot be taken");
}
