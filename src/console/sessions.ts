import { randomBytes, timingSafeEqual } from "node:crypto";
import type { Clock } from "../foundation/clock.ts";
import { sha256Hex } from "../foundation/ids.ts";

/** A code that was asked for is good for this long (SE-086). */
export const CODE_LIFETIME_MS: number = 60_000;
/** Wrong codes that close the exchange, and for how long. */
export const WRONG_CODES: { readonly most: number; readonly closedMs: number } = { most: 5, closedMs: 60_000 };
const MAX_CODES = 8;
const MAX_SESSIONS = 16;
const SECRET_BYTES = 32;

/** What an exchange gives. */
export type Exchanged =
  | { readonly kind: "opened"; readonly token: string }
  | { readonly kind: "refused" }
  | { readonly kind: "closed"; readonly retryAfterMs: number };

/**
 * One-time codes and the sessions they open, in memory only: both die with the process (SE-086). Codes and tokens are 256
 * random bits, kept as hashes and compared in constant time. At most 8 codes and 16 sessions live; the oldest gives way.
 */
export class Sessions {
  readonly #clock: Clock;
  #codes: readonly { readonly hash: Buffer; readonly untilMs: number }[] = [];
  #tokens: readonly Buffer[] = [];
  #wrong = 0;
  #closedUntilMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Make a code for one exchange within 60 s; `untilUsed`: until it is used, for the link a start prints to its own terminal. */
  issue(options: { readonly untilUsed: boolean }): string {
    const code = fresh();
    const untilMs = options.untilUsed ? Number.POSITIVE_INFINITY : this.#clock.monotonicMs() + CODE_LIFETIME_MS;
    this.#codes = [...this.#codes, { hash: digest(code), untilMs }].slice(-MAX_CODES);
    return code;
  }

  /** Use a code up for a session. Five wrong ones close the exchange to every code for a minute. */
  exchange(code: string): Exchanged {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs < this.#closedUntilMs) return { kind: "closed", retryAfterMs: this.#closedUntilMs - nowMs };
    const given = digest(code);
    // Every code is compared, so that the time taken does not tell which one was near.
    const hits = this.#codes.filter(({ hash }) => timingSafeEqual(hash, given));
    const live = hits.some(({ untilMs }) => nowMs < untilMs);
    this.#codes = this.#codes.filter((known) => !hits.includes(known) && nowMs < known.untilMs);
    if (!live) return this.#refuse(nowMs);
    this.#wrong = 0;
    const token = fresh();
    this.#tokens = [...this.#tokens, digest(token)].slice(-MAX_SESSIONS);
    return { kind: "opened", token };
  }

  /** Whether a token is a session's of this process. */
  knows(token: string): boolean {
    const given = digest(token);
    return this.#tokens.filter((known) => timingSafeEqual(known, given)).length > 0;
  }

  #refuse(nowMs: number): Exchanged {
    this.#wrong += 1;
    if (this.#wrong >= WRONG_CODES.most) {
      this.#wrong = 0;
      this.#closedUntilMs = nowMs + WRONG_CODES.closedMs;
    }
    return { kind: "refused" };
  }
}

function fresh(): string {
  return randomBytes(SECRET_BYTES).toString("base64url");
}

function digest(text: string): Buffer {
  return Buffer.from(sha256Hex(text), "hex");
}
