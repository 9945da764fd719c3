import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { configKeys, configSchema } from "./registry.ts";
import { renderJsonSchema, renderReference } from "./reference.ts";

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");

test("docs/configuration.md is what the registry gives, and has each key once", () => {
  const text = read("docs/configuration.md");
  assert.equal(text, renderReference(), "run node tools/generate-config.ts");
  for (const row of configKeys()) {
    const shown = row.path.replace(".models.*", ".models.<model>").replace(".places.*", ".places.<id>").replaceAll("*", "<name>");
    const kinds = configKeys().filter(({ path }) => path === row.path).length;
    assert.equal(text.split(`| \`${shown}\` |`).length, kinds + 1, row.path);
  }
  assert.match(text, /### kind: discord/);
});

test("troupe.schema.json is what the registry gives: every key, nothing else allowed", () => {
  const schema: unknown = JSON.parse(read("troupe.schema.json"));
  assert.deepEqual(schema, JSON.parse(renderJsonSchema()), "run node tools/generate-config.ts and the formatter");
  const paths = new Set<string>();
  const walk = (node: unknown, path: string): void => {
    if (typeof node !== "object" || node === null) return;
    const { properties, additionalProperties, anyOf, oneOf } = node as {
      properties?: object;
      additionalProperties?: unknown;
      anyOf?: unknown[];
      oneOf?: unknown[];
    };
    if (path !== "") paths.add(path);
    if (properties !== undefined) assert.equal(additionalProperties, false, path);
    for (const [name, inner] of Object.entries(properties ?? {})) walk(inner, path === "" ? name : `${path}.${name}`);
    if (typeof additionalProperties === "object") walk(additionalProperties, `${path}.*`);
    for (const option of [...(anyOf ?? []), ...(oneOf ?? [])]) walk(option, path);
  };
  walk(schema, "");
  for (const row of configKeys()) assert.ok(paths.has(row.path), row.path);
});

test("every key has a moment and one line of words, and every default is a value of its own schema", () => {
  const keys = configKeys();
  assert.ok(keys.length > 40);
  assert.equal(new Set(keys.map((row) => `${row.kind} ${row.path}`)).size, keys.length);
  for (const row of keys) {
    assert.match(row.docs, /^[A-Z][^\n]{8,200}\.$/, row.path);
    if (row.fallback !== undefined) assert.ok(row.schema.safeParse(row.fallback).success, row.path);
    if (row.environment !== undefined) assert.match(row.environment, /^TROUPE_[A-Z_]+$/);
  }
  assert.ok(configSchema.safeParse({ characters: { a: {} } }).success);
});
