import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "../../foundation/clock.ts";
import { DiscordFailure } from "./errors.ts";
import type { RestFault, RestFaults } from "./faults.ts";
import type { FakePlatform, RestAnswer, RestCall } from "./platform.ts";
import { fail } from "./platform.ts";
import type { BucketVerdict, RateLimits } from "./rate-limits.ts";
import type { Route } from "./route-table.ts";
import { routeOf } from "./route-table.ts";

/** One request as it was taken, for tests that count. No header of it is kept. `status` is 0 where no answer went out. */
export interface SeenRequest {
  readonly route: string;
  readonly path: string;
  readonly status: number;
  readonly atMs: number;
}

/** What the REST side stands on. */
export interface RestServerNeeds {
  readonly platform: FakePlatform;
  readonly clock: Clock;
  readonly token: () => string;
  readonly faults: RestFaults;
  readonly limits: RateLimits;
  readonly signal: AbortSignal;
  /** Refused requests after which this address is shut out for a while; never when left out. */
  readonly banAfter: number;
}

type Headers = Readonly<Record<string, string>>;

/** What goes over the wire in the end. */
type Wire =
  | { readonly kind: "json"; readonly status: number; readonly body: unknown; readonly headers: Headers }
  | { readonly kind: "html"; readonly status: number; readonly html: string; readonly headers: Headers }
  | { readonly kind: "nothing" }
  | { readonly kind: "tear" };

const MAX_BODY_BYTES = 1_048_576;
const NO_LIMITS: BucketVerdict = { headers: {}, retryAfterS: null, global: false };

/** The REST door of the fake platform. */
export class RestServer {
  readonly #needs: RestServerNeeds;
  readonly seen: SeenRequest[] = [];
  #invalid = 0;

  constructor(needs: RestServerNeeds) {
    this.#needs = needs;
  }

  /** Refused requests that count towards being shut out. */
  get invalid(): number {
    return this.#invalid;
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://fake.invalid");
    const path = url.pathname.replace(/^\/api\/v\d+/, "").replaceAll("%40", "@");
    const body = await readBody(request);
    const found = routeOf(request.method ?? "GET", path);
    const wire =
      found === null
        ? jsonWire({ status: 404, body: { message: "404: Not Found", code: 0 } })
        : (this.#refusal(request, found.route) ?? (await this.#take(found.route, { params: found.params, query: url.searchParams, body })));
    this.#note({ route: found?.route.name ?? "unknown", path }, wire);
    this.#write(response, wire);
  }

  /** Who may not ask at all. */
  #refusal(request: IncomingMessage, route: Route): Wire | null {
    if (!(request.headers["user-agent"] ?? "").startsWith("DiscordBot (")) return this.#wireOf(fail(40333));
    if (!route.authorized || request.headers.authorization === `Bot ${this.#needs.token()}`) return this.#shutOut();
    return this.#wireOf(fail(0));
  }

  /** Once an address has made too many bad requests, the network in front answers in its place: HTML, not JSON. */
  #shutOut(): Wire | null {
    if (this.#invalid < this.#needs.banAfter) return null;
    return { kind: "html", status: 429, html: "<html><body>error code: 1015</body></html>", headers: { "retry-after": "600" } };
  }

  async #take(route: Route, call: RestCall): Promise<Wire> {
    const fault = this.#needs.faults.take(route.name);
    const instead = fault === null ? null : this.#instead(fault);
    if (instead !== null) return instead;
    const bucket = route.authorized ? this.#needs.limits.judge(route.name, call.params[0] ?? "") : NO_LIMITS;
    if (bucket.retryAfterS !== null) return limited(bucket.retryAfterS, bucket.global, bucket.headers);
    if (fault?.kind === "delay") await this.#needs.clock.sleep(fault.ms, this.#needs.signal);
    const answer = route.handle(this.#needs.platform, call);
    return fault?.kind === "commit_and" ? AFTER[fault.after] : this.#wireOf(answer, bucket.headers);
  }

  /** What is said in place of doing it; null when it is done. */
  #instead(fault: RestFault): Wire | null {
    switch (fault.kind) {
      case "answer":
        return answered(fault);
      case "error":
        return this.#wireOf(Object.assign(fail(fault.code), { status: fault.status }));
      case "rate_limit":
        return limited(fault.retryAfterS, fault.global ?? false, headersOf(fault));
      case "tear":
        return { kind: "tear" };
      case "hang":
        return { kind: "nothing" };
      case "delay":
      case "commit_and":
        return null;
    }
  }

  #wireOf(answer: RestAnswer, headers: Headers = {}): Wire {
    if (!(answer instanceof DiscordFailure)) return { kind: "json", ...answer, headers };
    const { code, message, errors, retryAfterS } = answer;
    // Other servers say 400 whatever was wrong.
    const status = this.#needs.platform.dialect === "other" && answer.status !== 401 ? 400 : answer.status;
    const wait = retryAfterS === null ? {} : { retry_after: retryAfterS };
    return {
      kind: "json",
      status,
      body: { message, code, ...(errors === undefined ? {} : { errors }), ...wait },
      headers: retryAfterS === null ? headers : { ...headers, "retry-after": String(Math.ceil(retryAfterS)), "x-ratelimit-scope": "user" },
    };
  }

  #note(seen: { readonly route: string; readonly path: string }, wire: Wire): void {
    const status = wire.kind === "json" || wire.kind === "html" ? wire.status : 0;
    const shared = wire.kind === "json" && wire.headers["x-ratelimit-scope"] === "shared";
    if (status === 401 || status === 403 || (status === 429 && !shared)) this.#invalid += 1;
    this.seen.push({ ...seen, status, atMs: this.#needs.clock.monotonicMs() });
  }

  #write(response: ServerResponse, wire: Wire): void {
    switch (wire.kind) {
      case "json":
        // Nothing to say has no type: a client that saw one would try to read it.
        response.writeHead(wire.status, wire.status === 204 ? wire.headers : { "content-type": "application/json", ...wire.headers });
        response.end(wire.status === 204 ? undefined : JSON.stringify(wire.body));
        return;
      case "html":
        response.writeHead(wire.status, { "content-type": "text/html; charset=UTF-8", ...wire.headers });
        response.end(wire.html);
        return;
      case "tear":
        response.destroy();
        return;
      case "nothing":
    }
  }
}

/** What follows on a request that was done. */
const AFTER: Readonly<Record<Extract<RestFault, { kind: "commit_and" }>["after"], Wire>> = {
  hang: { kind: "nothing" },
  tear: { kind: "tear" },
  fail: jsonWire({ status: 502, body: null }),
};

function answered({ status, html, body = {}, headers = {} }: Extract<RestFault, { kind: "answer" }>): Wire {
  return html === undefined ? { kind: "json", status, body, headers } : { kind: "html", status, html, headers };
}

function jsonWire({ status, body }: { readonly status: number; readonly body: unknown }): Wire {
  return { kind: "json", status, body, headers: {} };
}

function limited(retryAfterS: number, global: boolean, headers: Headers): Wire {
  return {
    kind: "json",
    status: 429,
    body: { message: "You are being rate limited.", retry_after: retryAfterS, global },
    // The header is in whole seconds, the body is exact; a client that reads the header alone waits too long, never too short.
    headers: { ...headers, "retry-after": String(Math.ceil(retryAfterS)) },
  };
}

function headersOf({ global = false, scope, bucket, retryAfterS }: Extract<RestFault, { kind: "rate_limit" }>): Headers {
  return {
    "x-ratelimit-scope": scope ?? (global ? "global" : "user"),
    ...(global ? { "x-ratelimit-global": "true" } : {}),
    ...(bucket === undefined
      ? {}
      : {
          "x-ratelimit-bucket": bucket,
          "x-ratelimit-limit": "5",
          "x-ratelimit-remaining": "0",
          "x-ratelimit-reset-after": String(retryAfterS),
        }),
  };
}

async function readBody(request: IncomingMessage): Promise<RestCall["body"]> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    if (!(chunk instanceof Buffer)) continue;
    bytes += chunk.length;
    if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString("utf8");
  const value: unknown = text === "" ? {} : JSON.parse(text);
  if (Array.isArray(value)) return { list: value };
  return typeof value === "object" && value !== null ? { ...value } : {};
}
