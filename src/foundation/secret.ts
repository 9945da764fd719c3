import { inspect } from "node:util";
import { RuntimeError } from "./errors.ts";
import { sha256Hex } from "./ids.ts";

/** A secret file or value may hold at most this many bytes (MC-088). */
export const MAX_SECRET_BYTES: number = 16 * 1024;
/** API tokens shorter than this are refused, so that redaction by value can never be an oracle for short words (SE-093). */
export const MIN_TOKEN_CHARACTERS: number = 20;
const REDACTED = "[secret]";

/**
 * A credential. It prints, serialises and inspects as `[secret]`; only {@link Secret.reveal} gives the value, and only the
 * module that sends it may call that (MC-105).
 */
export class Secret {
  readonly #value: string;
  /** Where it came from, for messages: an environment name or a path, never the value. */
  readonly origin: string;

  private constructor(value: string, origin: string) {
    this.#value = value;
    this.origin = origin;
  }

  /** Check and wrap a token of 20 characters to 16 KiB on one line. @throws RuntimeError `secret_invalid` naming only `origin`. */
  static parse(text: string, origin: string): Secret {
    const value = text.replace(/\r?\n$/, "");
    const refuse = (why: string): never => {
      throw new RuntimeError("secret_invalid", `Cannot use the secret from ${origin}: ${why}`);
    };
    if (Buffer.byteLength(value) > MAX_SECRET_BYTES) refuse(`it is over ${MAX_SECRET_BYTES} bytes`);
    // oxlint-disable-next-line no-control-regex -- control characters are exactly what is looked for
    if (/[\u0000-\u001f\u007f]/.test(value)) refuse("it holds line breaks or control characters");
    if (value.length < MIN_TOKEN_CHARACTERS) refuse(`it is shorter than ${MIN_TOKEN_CHARACTERS} characters`);
    return new Secret(value, origin);
  }

  /** The value itself. */
  reveal(): string {
    return this.#value;
  }

  /** A salted digest: tells whether it is still the same secret, and nothing else of it. */
  digest(salt: string): string {
    return sha256Hex(`${salt} ${this.#value}`);
  }

  toString(): string {
    return REDACTED;
  }

  toJSON(): string {
    return REDACTED;
  }

  static {
    Object.defineProperty(Secret.prototype, inspect.custom, { value: () => REDACTED });
  }
}
