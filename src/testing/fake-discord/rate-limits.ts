import type { Clock } from "../../foundation/clock.ts";

/** How many requests of one bucket are taken in which time. */
export interface BucketRule {
  readonly limit: number;
  readonly perMs: number;
}

/** What a request's bucket says: headers for the answer, and when to come back if it is refused. */
export interface BucketVerdict {
  readonly headers: Readonly<Record<string, string>>;
  /** Seconds to wait; null when the request may go on. */
  readonly retryAfterS: number | null;
  readonly global: boolean;
}

interface Window {
  startMs: number;
  used: number;
}

const GENEROUS: BucketRule = { limit: 1_000, perMs: 1_000 };

/** Buckets by route and channel, and one for everything (Discord: 50 a second; interactions are not counted). */
export class RateLimits {
  readonly #clock: Clock;
  readonly #rules: Readonly<Record<string, BucketRule>>;
  readonly #windows = new Map<string, Window>();
  readonly #global: BucketRule;

  constructor(clock: Clock, rules: Readonly<Record<string, BucketRule>>, global: BucketRule = { limit: 50, perMs: 1_000 }) {
    this.#clock = clock;
    this.#rules = rules;
    this.#global = global;
  }

  /** Count one request of a route about a channel, server or webhook ("" for none). */
  judge(route: string, major: string): BucketVerdict {
    if (!route.includes("/interactions/") && !this.#take("*", this.#global).taken) {
      const retryAfterS = this.#resetInMs("*", this.#global) / 1_000;
      return { headers: { "x-ratelimit-global": "true", "x-ratelimit-scope": "global" }, retryAfterS, global: true };
    }
    const rule = this.#rules[route] ?? GENEROUS;
    const key = `${route} ${major}`;
    const { taken, left } = this.#take(key, rule);
    const resetInS = this.#resetInMs(key, rule) / 1_000;
    const headers = {
      "x-ratelimit-limit": String(rule.limit),
      "x-ratelimit-remaining": String(left),
      "x-ratelimit-reset": String(this.#clock.nowMs() / 1_000 + resetInS),
      "x-ratelimit-reset-after": resetInS.toFixed(3),
      "x-ratelimit-bucket": bucketName(route),
      ...(taken ? {} : { "x-ratelimit-scope": "user" }),
    };
    return { headers, retryAfterS: taken ? null : resetInS, global: false };
  }

  #take(key: string, rule: BucketRule): { readonly taken: boolean; readonly left: number } {
    const nowMs = this.#clock.monotonicMs();
    let window = this.#windows.get(key);
    if (window === undefined || nowMs - window.startMs >= rule.perMs) {
      window = { startMs: nowMs, used: 0 };
      this.#windows.set(key, window);
    }
    if (window.used >= rule.limit) return { taken: false, left: 0 };
    window.used += 1;
    return { taken: true, left: rule.limit - window.used };
  }

  #resetInMs(key: string, rule: BucketRule): number {
    const window = this.#windows.get(key);
    return window === undefined ? 0 : Math.max(1, window.startMs + rule.perMs - this.#clock.monotonicMs());
  }
}

/** A name that tells nothing, as Discord's do. */
function bucketName(route: string): string {
  let sum = 7;
  for (const character of route) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 0xffff_ffff;
  return sum.toString(16).padStart(16, "0");
}
