import { resolve } from "node:path";
import { isRuntimeError } from "../../foundation/errors.ts";
import { MAX_SECRET_BYTES, Secret } from "../../foundation/secret.ts";
import { readBounded } from "./bounded-file.ts";

/** Variables by name, as `process.env` has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A key, or the rule that its source breaks. Neither holds a byte of it in the open. */
export type KeyReading = { readonly kind: "key"; readonly key: Secret } | { readonly kind: "refused"; readonly rule: string };

/** Read a key from an environment variable. */
export function keyFromEnvironment(name: string, environment: Environment): KeyReading {
  const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
  if (value === undefined || value === "") return { kind: "refused", rule: `the environment variable ${name} is not set` };
  return wrap(value, name);
}

/** Read a key from a file that only its owner may read: regular, no symbolic link, at most 16 KiB (MC-088). */
export function keyFromFile(file: string, directory: string): KeyReading {
  const read = readBounded(resolve(directory, file), MAX_SECRET_BYTES);
  switch (read.kind) {
    case "missing":
      return { kind: "refused", rule: "the key file does not exist" };
    case "refused":
      return { kind: "refused", rule: `the key file cannot be used: ${read.why}` };
    case "too_large":
      return { kind: "refused", rule: `the key file is over ${MAX_SECRET_BYTES} bytes` };
    case "read":
      if (process.platform !== "win32" && (read.mode & 0o077) !== 0)
        return { kind: "refused", rule: "the key file is open to others; run chmod 600 on it" };
      return wrap(Buffer.from(read.bytes).toString("utf8"), "the key file");
  }
}

function wrap(text: string, origin: string): KeyReading {
  try {
    return { kind: "key", key: Secret.parse(text, origin) };
  } catch (error) {
    if (!isRuntimeError(error, "secret_invalid")) throw error;
    // The message names the origin and the rule, never the value.
    return { kind: "refused", rule: error.message.replace(/^Cannot use the secret from /, "") };
  }
}
