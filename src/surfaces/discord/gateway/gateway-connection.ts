import type { FetchingStrategyOptions } from "@discordjs/ws";
import { Encoding } from "@discordjs/ws";
import { z } from "zod";
import type { Clock } from "../../../foundation/clock.ts";
import type { Secret } from "../../../foundation/secret.ts";
import type { BlockedReason } from "./close-codes.ts";
import type { DispatchedEvent } from "./contained-shard.ts";
import { CLOSE_TO_RESUME, ContainedShard } from "./contained-shard.ts";
import type { IdentifyBudget } from "./identify-budget.ts";
import type { SessionLedger } from "./session-ledger.ts";

/** How a connection ended. */
export interface ConnectionEnd {
  /** Whether it ever stood. */
  readonly stood: boolean;
  /** What it was closed with; null when there was none or we gave it up. */
  readonly code: number | null;
  readonly reason: string;
  /** Not again before so long. */
  readonly afterMs?: number;
  readonly blocked?: BlockedReason;
}

/** What one connection stands on. */
export interface ConnectionNeeds {
  readonly clock: Clock;
  readonly ledger: SessionLedger;
  readonly identifies: IdentifyBudget;
  readonly account: { readonly token: Secret; readonly url: string; readonly intents: number };
  readonly connectMs: number;
  readonly listener: {
    /** It stands: with the beginning of a new session, or null where one was taken up again. */
    stands(data: unknown): void;
    event(event: DispatchedEvent): void;
    /** The address that a session names for taking it up again, if the token may go there. */
    sessionUrl(text: unknown): string | null;
  };
}

const HANDSHAKE_MS = 10_000;
const HELLO_MS = 20_000;
const READY_MS = 30_000;
/** Heartbeats come every forty seconds or so; without an answer for so long the other end is gone, whatever the library thinks. */
const DEAF_MS = 150_000;
const CLOSE_GRACE_MS = 1_000;

const beginning = z.object({ session_id: z.string().min(1).max(200), resume_gateway_url: z.string().max(300).optional() });

/** One connection to the gateway, from its beginning to its end; used once. */
export class GatewayConnection {
  readonly #needs: ConnectionNeeds;
  readonly #shard: ContainedShard;
  #finish: (end: ConnectionEnd) => void = () => {};
  #timer: Disposable | null = null;
  #stood = false;
  #identified = false;

  constructor(needs: ConnectionNeeds) {
    this.#needs = needs;
    this.#shard = new ContainedShard(optionsOf(needs), {
      session: () => needs.ledger.info,
      mayIdentify: (signal) => this.#mayIdentify(signal),
      resumed: () => this.#stands(null),
      dispatch: (event) => this.#hear(event),
      acknowledged: () => this.#watch(),
      closed: (code) => this.#finish({ stood: this.#stood, code, reason: `closed_${code}` }),
      broke: () => this.#finish({ stood: this.#stood, code: null, reason: "broke" }),
    });
  }

  /** Connect and stay; resolves when it is over. */
  async run(signal: AbortSignal): Promise<ConnectionEnd> {
    const { clock, connectMs } = this.#needs;
    const over = new Promise<ConnectionEnd>((resolve) => {
      this.#finish = resolve;
      signal.addEventListener("abort", () => resolve({ stood: this.#stood, code: null, reason: "stopped" }), { once: true });
    });
    this.#timer = clock.after(connectMs, () => this.#finish({ stood: false, code: null, reason: "connect_deadline" }));
    if (signal.aborted) return { stood: false, code: null, reason: "stopped" };
    this.#shard.connect();
    const end = await over;
    this.#timer?.[Symbol.dispose]();
    // Closed so that what is left can be taken up again, by this process or the next.
    this.#shard.end(CLOSE_TO_RESUME, (ms, then) => clock.after(ms, then), CLOSE_GRACE_MS);
    return end;
  }

  async #mayIdentify(signal: AbortSignal): Promise<void> {
    const { identifies, clock } = this.#needs;
    await clock.sleep(identifies.waitMs, signal);
    identifies.begin();
    this.#identified = true;
  }

  #hear(event: DispatchedEvent): void {
    if (event.t === "READY") {
      const parsed = beginning.safeParse(event.d);
      if (!parsed.success) return this.#finish({ stood: false, code: null, reason: "malformed" });
      if (this.#identified) this.#needs.identifies.succeeded();
      const { session_id: id, resume_gateway_url: url } = parsed.data;
      // A session whose address the token may not go to is taken up again where it was begun.
      this.#needs.ledger.begin(id, this.#needs.listener.sessionUrl(url) ?? this.#needs.account.url, event.s);
      this.#stands(event.d);
    }
    this.#needs.listener.event(event);
  }

  #stands(data: unknown): void {
    this.#stood = true;
    this.#watch();
    this.#needs.listener.stands(data);
  }

  #watch(): void {
    if (!this.#stood) return;
    this.#timer?.[Symbol.dispose]();
    this.#timer = this.#needs.clock.after(DEAF_MS, () => this.#finish({ stood: true, code: null, reason: "deaf" }));
  }
}

function optionsOf({ account }: ConnectionNeeds): FetchingStrategyOptions {
  const name = "Troupe";
  return {
    compression: null,
    encoding: Encoding.JSON,
    handshakeTimeout: HANDSHAKE_MS,
    helloTimeout: HELLO_MS,
    readyTimeout: READY_MS,
    identifyProperties: { os: process.platform, browser: name, device: name },
    initialPresence: null,
    intents: account.intents,
    largeThreshold: null,
    token: account.token.reveal(),
    useIdentifyCompression: false,
    version: "10",
    gatewayInformation: {
      url: account.url,
      shards: 1,
      session_start_limit: { total: 1, remaining: 1, reset_after: 0, max_concurrency: 1 },
    },
    shardCount: 1,
  };
}
