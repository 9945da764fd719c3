import { z } from "zod";
import type { Environment } from "./host-key.ts";
import { configKeys } from "../schema/registry.ts";

/** Data with the environment's values in it, and which variable set which path (as JSON). */
export interface Overridden {
  readonly data: unknown;
  readonly overridden: ReadonlyMap<string, string>;
}

/** Lay the variables of the registry over the file's data, which stays as it is. An empty variable says nothing. */
export function applyEnvironment(data: unknown, environment: Environment): Overridden {
  const overridden = new Map<string, string>();
  let result = data;
  for (const row of configKeys()) {
    if (row.environment === undefined || !Object.hasOwn(environment, row.environment)) continue;
    const text = environment[row.environment];
    if (text === undefined || text === "") continue;
    const path = row.path.split(".");
    result = withValue(result, path, row.schema instanceof z.ZodNumber && /^\d{1,15}$/.test(text) ? Number(text) : text);
    overridden.set(JSON.stringify(path), row.environment);
  }
  return { data: result, overridden };
}

function withValue(data: unknown, path: readonly string[], value: unknown): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  // What is no map is left for the schema to refuse, except nothing at all.
  if (data !== undefined && (typeof data !== "object" || data === null || Array.isArray(data))) return data;
  const section: Record<string, unknown> = { ...data };
  section[name] = withValue(section[name], rest, value);
  return section;
}
