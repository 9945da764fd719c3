import type { z } from "zod";
import { childrenOf, kindsOf } from "./schema/key.ts";
import type { ConfigPath } from "./problem.ts";
import { MAX_LISTED_PROBLEMS, didYouMean } from "./problem.ts";
import { configKeys, configSchema } from "./schema/registry.ts";
import { suggest } from "./rules/suggest.ts";

/** A broken rule of the schema, with the path it is about and whether the key or its value is wrong. */
export interface SchemaIssue {
  readonly path: ConfigPath;
  readonly what: "key" | "value";
  readonly rule: string;
}

/** Put the schema's findings into our words, which name rules and known keys and never quote a value. */
export function schemaIssues(error: z.core.$ZodError, data: unknown): SchemaIssue[] {
  return error.issues.flatMap((issue) => translate(issue, [], data));
}

function translate(issue: z.core.$ZodIssue, prefix: ConfigPath, data: unknown): SchemaIssue[] {
  const path = [...prefix, ...issue.path.map((part) => (typeof part === "symbol" ? String(part) : part))];
  if (issue.code === "unrecognized_keys") {
    // No more are listed than these, so no more are worth the search.
    return issue.keys.map((name, index) => ({
      path: [...path, name],
      what: "key",
      rule: `unknown key${index < MAX_LISTED_PROBLEMS ? hint(path, name) : ""}`,
    }));
  }
  if (issue.code === "invalid_key") return issue.issues.map((inner) => ({ path, what: "key", rule: `the name ${inner.message}` }));
  if (issue.code === "invalid_union" && path.at(-1) === "kind") {
    const kinds = sectionsAt(path.slice(0, -1)).flatMap((section) => kindsOf(section).map(([kind]) => kind));
    return [{ path, what: "value", rule: enumRule(valueAt(data, path), kinds) }];
  }
  if (issue.code === "invalid_union") {
    const branch = issue.errors.find((errors) => !errors.some((inner) => inner.code === "invalid_type" && inner.path.length === 0));
    if (branch !== undefined) return branch.flatMap((inner) => translate(inner, path, data));
    return [{ path, what: "value", rule: "must be a list of names or a map from name to what is known" }];
  }
  const hard = path[0] === "limits" || path[0] === "budgets" ? ", the hard ceiling" : "";
  return [{ path, what: "value", rule: `${valueRule(issue, valueAt(data, path))}${issue.code === "too_big" ? hard : ""}` }];
}

function valueRule(issue: z.core.$ZodIssue, value: unknown): string {
  switch (issue.code) {
    case "invalid_type":
      return typeRule(issue.expected, value);
    case "invalid_value":
      return enumRule(value, issue.values);
    case "too_big":
      return `must be at most ${issue.maximum}${unit(issue.origin)}`;
    case "too_small":
      return `must be at least ${issue.minimum}${unit(issue.origin)}`;
    case "invalid_format":
    case "custom":
      return issue.message;
    case "not_multiple_of":
    case "unrecognized_keys":
    case "invalid_union":
    case "invalid_key":
    case "invalid_element":
      return "is not allowed here";
  }
}

function typeRule(expected: string, value: unknown): string {
  if (value === undefined) return `is required, and must be ${TYPE_WORDS[expected] ?? expected}`;
  if (expected === "boolean" && typeof value === "string" && /^(?:yes|no|on|off|y|n)$/i.test(value))
    return "must be true or false; in YAML 1.2 that word is text";
  const found =
    value === null
      ? "nothing"
      : Array.isArray(value)
        ? "a list"
        : typeof value === "object"
          ? "a map"
          : (FOUND_WORDS[typeof value] ?? "something else");
  return `must be ${TYPE_WORDS[expected] ?? expected}, but is ${found}`;
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "a map of keys",
  record: "a map of names",
};
const FOUND_WORDS: Readonly<Record<string, string>> = { string: "text", number: "a number", bigint: "a number", boolean: "true or false" };

function unit(origin: string): string {
  if (origin === "string") return " characters";
  return origin === "array" ? " entries" : "";
}

function list(values: readonly unknown[]): string {
  return values.length === 1 ? String(values[0]) : `one of ${values.map(String).join(", ")}`;
}

function enumRule(value: unknown, values: readonly unknown[]): string {
  if (value === undefined) return `is required: ${list(values)}`;
  return `must be ${list(values)}${typeof value === "string" ? didYouMean(suggest(value, values.map(String))) : ""}`;
}

/** What the author probably meant: a key of the same section, else the section where a key of this name lives. */
function hint(path: ConfigPath, name: string): string {
  const near = suggest(name, knownKeys(path));
  if (near !== null) return didYouMean(near);
  const rows = configKeys().map((row) => row.path.split("."));
  const meant = suggest(name, new Set(rows.map((row) => row.at(-1) ?? "")));
  const home = rows
    .find((row) => row.at(-1) === meant)
    ?.slice(0, -1)
    .join(".")
    .replaceAll("*", "<name>");
  return meant === null || home === undefined || home === "" ? "" : `; ${meant} belongs to ${home}`;
}

/** The keys a section knows. */
function knownKeys(path: ConfigPath): string[] {
  return sectionsAt(path)
    .flatMap((section) => childrenOf(section).map(([name]) => name))
    .filter((name) => name !== "*");
}

/** What may stand at a path. */
function sectionsAt(path: ConfigPath): readonly z.ZodType[] {
  let sections: z.ZodType[] = [configSchema];
  for (const part of path)
    sections = sections.flatMap((section) =>
      childrenOf(section).flatMap(([name, child]) => (name === part || name === "*" ? [child] : [])),
    );
  return sections;
}

/** The value at a path of plain data, or undefined. */
export function valueAt(data: unknown, path: ConfigPath): unknown {
  let value: unknown = data;
  for (const part of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return undefined;
    value = Object.entries(value).find(([name]) => name === String(part))?.[1];
  }
  return value;
}
