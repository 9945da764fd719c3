import { API } from "@discordjs/core";
import { DiscordAPIError, HTTPError, REST, RateLimitError } from "@discordjs/rest";
import type { Clock } from "../../../foundation/clock.ts";
import { abortReason } from "../../../foundation/clock.ts";
import { withDeadline } from "../../../foundation/cancellation.ts";
import type { Secret } from "../../../foundation/secret.ts";
import { boundedFetch } from "./bounded-fetch.ts";
import { InvalidRequests } from "./invalid-requests.ts";
import { EVERYTHING, NotBefore } from "./not-before.ts";

/** Milliseconds one request may take, answer and all. */
const REQUEST_MS = 15_000;
/** After so long the library itself gives a request up: never, as long as our own clock runs. */
const LIBRARY_MS = 60_000;
/** How long to wait where the server says to wait and not for how long. */
const UNTOLD_WAIT_MS = 1_000;

/** What came of one request. Nothing of a server's text is in it, only its numbers. */
export type RestResult =
  | { readonly kind: "done"; readonly value: unknown }
  /** Not done: the server wants it later. */
  | { readonly kind: "limited"; readonly afterMs: number }
  /** Not done: the server said no, with its status and its own code (0 where it gave none). */
  | { readonly kind: "refused"; readonly status: number; readonly code: number }
  /** No answer, or none that tells: it may have been done. */
  | { readonly kind: "lost"; readonly status: number }
  /** Not tried: the token was rejected, or too many requests were refused. */
  | { readonly kind: "blocked"; readonly reason: "token_rejected" | "too_many_refused"; readonly afterMs: number | null };

/** What a call does with the library's typed interface. */
export type RestWork = (api: API, signal: AbortSignal) => Promise<unknown>;

/** What the REST side stands on. */
export interface DiscordRestNeeds {
  readonly clock: Clock;
  readonly token: Secret;
  readonly base: string;
  readonly version: string;
  /** Told once, when the token is rejected. */
  readonly onRejected: () => void;
  readonly maxInvalid?: number;
}

/**
 * Discord's REST interface, one request at a time as it is asked: it never repeats one by itself, and waits only where its caller can
 * cancel it.
 */
export class DiscordRest implements Disposable {
  readonly #needs: DiscordRestNeeds;
  readonly #rest: REST;
  readonly #api: API;
  readonly #notBefore: NotBefore;
  readonly #invalid: InvalidRequests;
  #rejected = false;

  constructor(needs: DiscordRestNeeds) {
    this.#needs = needs;
    this.#notBefore = new NotBefore(needs.clock);
    this.#invalid = new InvalidRequests(needs.clock, needs.maxInvalid);
    this.#rest = new REST({
      api: needs.base,
      version: "10",
      retries: 0,
      timeout: LIBRARY_MS,
      // Waiting is our own: the library's cannot be cancelled, and leaves timers that keep a process alive.
      rejectOnRateLimit: () => true,
      makeRequest: boundedFetch,
      userAgentAppendix: `Troupe/${needs.version}`,
    }).setToken(needs.token.reveal());
    this.#rest.on("response", (request, response) => this.#note(request, response));
    this.#api = new API(this.#rest);
  }

  /** Whether the token was rejected: nothing is asked any more. */
  get rejected(): boolean {
    return this.#rejected;
  }

  /** Milliseconds until so many refused requests are forgotten that anything is asked again; 0 while it is. */
  get restingMs(): number {
    return this.#invalid.waitMs;
  }

  /** Milliseconds until a bucket may be asked (`POST /channels/1/messages`). */
  waitMs(bucket: string): number {
    return this.#notBefore.waitMs(bucket);
  }

  /**
   * Make one request now, or wait for its bucket first, at most `maxWaitMs`. Throws only the signal's reason.
   */
  async call(bucket: string, work: RestWork, options: { readonly signal: AbortSignal; readonly maxWaitMs?: number }): Promise<RestResult> {
    const { signal, maxWaitMs = 0 } = options;
    const waitMs = this.#notBefore.waitMs(bucket);
    if (waitMs > maxWaitMs) return { kind: "limited", afterMs: waitMs };
    if (waitMs > 0) await this.#needs.clock.sleep(waitMs, signal);
    if (this.#rejected) return { kind: "blocked", reason: "token_rejected", afterMs: null };
    if (this.#invalid.waitMs > 0) return { kind: "blocked", reason: "too_many_refused", afterMs: this.#invalid.waitMs };
    if (signal.aborted) throw abortReason(signal);
    using deadline = withDeadline(this.#needs.clock, REQUEST_MS, signal);
    try {
      return { kind: "done", value: await work(this.#api, deadline.signal) };
    } catch (error) {
      if (signal.aborted) throw abortReason(signal);
      return this.#resultOf(error, bucket);
    }
  }

  [Symbol.dispose](): void {
    this.#rest.clearHashSweeper();
    this.#rest.clearHandlerSweeper();
    this.#rest.removeAllListeners();
  }

  #resultOf(error: unknown, bucket: string): RestResult {
    if (error instanceof RateLimitError) {
      const afterMs = error.retryAfter > 0 ? error.retryAfter : UNTOLD_WAIT_MS;
      this.#notBefore.hold(error.global || error.scope === "global" ? EVERYTHING : bucket, afterMs);
      return { kind: "limited", afterMs };
    }
    if (error instanceof DiscordAPIError) {
      if (error.status === 401) this.#reject();
      const { code, status } = error;
      return { kind: "refused", status, code: typeof code === "number" ? code : 0 };
    }
    return { kind: "lost", status: error instanceof HTTPError ? error.status : 0 };
  }

  #reject(): void {
    if (this.#rejected) return;
    this.#rejected = true;
    this.#needs.onRejected();
  }

  /** What every answer tells of its bucket, and of how often we were refused. */
  #note(
    request: { readonly method: string; readonly path: string },
    response: { readonly status: number; readonly headers: Headers },
  ): void {
    const { status, headers } = response;
    const shared = headers.get("x-ratelimit-scope") === "shared";
    if (status === 401 || status === 403 || (status === 429 && !shared)) this.#invalid.note();
    const resetS = Number(headers.get("x-ratelimit-reset-after") ?? Number.NaN);
    if (headers.get("x-ratelimit-remaining") === "0" && resetS > 0)
      this.#notBefore.hold(bucketOf(request.method, request.path), resetS * 1_000);
  }
}

/** The bucket of a request, as callers name it: method and what it is about, without the ids of single messages. */
export function bucketOf(method: string, path: string): string {
  // What an interaction is answered by has its token in the path: that is kept nowhere.
  const depth = /^\/(?:interactions|webhooks)\//.test(path) ? 2 : 4;
  return `${method.toUpperCase()} ${path.split("/").slice(0, depth).join("/")}`;
}
