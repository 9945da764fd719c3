import type { Clock } from "../../../foundation/clock.ts";
import type { Log } from "../../../foundation/log.ts";
import { printable } from "../../../foundation/printable.ts";
import type { Secret } from "../../../foundation/secret.ts";
import type { Lifecycle, LifecycleState } from "../../../vocabulary/lifecycle.ts";
import { Backoff } from "./backoff.ts";
import type { BlockedReason } from "./close-codes.ts";
import { closeMeaning } from "./close-codes.ts";
import type { DispatchedEvent } from "./contained-shard.ts";
import { GatewayConnection } from "./gateway-connection.ts";
import type { ConnectionEnd } from "./gateway-connection.ts";
import type { AddressRule } from "./gateway-address.ts";
import { gatewayAddress } from "./gateway-address.ts";
import { gatewayInfo } from "./gateway-info.ts";
import { IdentifyBudget } from "./identify-budget.ts";
import type { DiscordRest } from "../rest/rest.ts";
import type { SessionLedger } from "./session-ledger.ts";

/** A connection that does not stand by then is given up. */
const CONNECT_MS = 45_000;
/** Waits for the next session up to this are part of connecting. */
const SHORT_WAIT_MS = 6_000;
/** Tries to take a session up again that may fail before it is given up. */
const MAX_RESUME_TRIES = 5;
/** A connection that stood so long was a good one: the next try is soon. */
const GOOD_AFTER_MS = 60_000;

/** Who hears of the gateway. */
export interface GatewayListener {
  /** What to ask for; looked at before each new session. */
  intents(): number;
  /** A new session stands. What happened since the one before it, if there was one, is told by nobody. */
  began(data: unknown): void;
  event(event: DispatchedEvent): void;
  /** Connecting again is of no use until a person has done something. */
  blocked(reason: BlockedReason): void;
}

/** What the gateway stands on. */
export interface GatewayNeeds {
  readonly clock: Clock;
  readonly log: Log;
  readonly rest: DiscordRest;
  readonly ledger: SessionLedger;
  readonly account: { readonly token: Secret; readonly address: AddressRule };
  readonly listener: GatewayListener;
}

/** Keeps one connection to the gateway, for as long as it is let: takes sessions up again, begins new ones within their budget, and stops where that is of no use. */
export class Gateway {
  readonly #needs: GatewayNeeds;
  readonly #backoff = new Backoff();
  readonly #identifies: IdentifyBudget;
  #lifecycle: Lifecycle;
  #failedResumes = 0;

  constructor(needs: GatewayNeeds) {
    this.#needs = needs;
    this.#identifies = new IdentifyBudget(needs.clock);
    this.#lifecycle = { state: "stopped", sinceMs: needs.clock.nowMs(), reason: "", retryAtMs: null, generation: 0 };
  }

  get lifecycle(): Lifecycle {
    return this.#lifecycle;
  }

  /** Stop for a reason that is not the gateway's own. */
  block(reason: BlockedReason): void {
    if (this.#lifecycle.state === "authentication-blocked") return;
    this.#set("authentication-blocked", reason);
    this.#needs.listener.blocked(reason);
  }

  /** Connect, again and again, until the signal aborts or a person has to do something. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && this.#lifecycle.state !== "authentication-blocked") {
      this.#set("connecting", "");
      const startedMs = this.#needs.clock.monotonicMs();
      const end = await this.#connect(signal);
      if (signal.aborted) return;
      const blocked = this.#judge(end);
      if (blocked !== null) {
        this.block(blocked);
        return;
      }
      if (end.stood && this.#needs.clock.monotonicMs() - startedMs >= GOOD_AFTER_MS) this.#backoff.reset();
      await this.#rest(Math.max(this.#backoff.next(), end.afterMs ?? 0), end.reason, signal);
    }
  }

  /** What an ended connection leaves: a session or none, or a reason to stop. */
  #judge(end: ConnectionEnd): BlockedReason | null {
    if (end.blocked !== undefined) return end.blocked;
    const { ledger, log } = this.#needs;
    const meaning = end.code === null ? ({ kind: "resume" } as const) : closeMeaning(end.code);
    log.write("info", "discord_disconnected", { reason: printable(end.reason), stood: end.stood });
    if (meaning.kind === "blocked") return meaning.reason;
    this.#failedResumes = end.stood || ledger.session === null ? 0 : this.#failedResumes + 1;
    if (meaning.kind === "begin" || this.#failedResumes >= MAX_RESUME_TRIES) {
      ledger.lose();
      this.#failedResumes = 0;
    }
    return null;
  }

  async #rest(forMs: number, reason: string, signal: AbortSignal): Promise<void> {
    const { clock } = this.#needs;
    this.#set("backoff", reason, clock.nowMs() + forMs);
    await clock.sleep(forMs, signal);
  }

  async #connect(signal: AbortSignal): Promise<ConnectionEnd> {
    const { ledger, account, rest } = this.#needs;
    const kept = ledger.session;
    const url = kept === null ? null : gatewayAddress(kept.url, account.address);
    if (kept !== null && url === null) ledger.lose();
    if (url !== null) return this.#stand(url, signal);
    // A new session: where to, and whether there is one left today.
    const info = await gatewayInfo(rest, account.address, signal);
    if (info.kind !== "info") return { stood: false, code: null, ...info.end };
    const waitMs = Math.max(this.#identifies.waitMs, info.waitMs);
    if (waitMs > SHORT_WAIT_MS) return { stood: false, code: null, reason: "sessions_spent", afterMs: waitMs };
    return this.#stand(info.url, signal);
  }

  /** One connection from its beginning to its end. */
  #stand(url: string, signal: AbortSignal): Promise<ConnectionEnd> {
    const { clock, ledger, account, listener } = this.#needs;
    const connection = new GatewayConnection({
      clock,
      ledger,
      identifies: this.#identifies,
      account: { token: account.token, url, intents: listener.intents() },
      connectMs: CONNECT_MS,
      listener: {
        stands: (data) => this.#stands(data),
        event: (event) => listener.event(event),
        sessionUrl: (text) => gatewayAddress(text, account.address),
      },
    });
    return connection.run(signal);
  }

  #stands(data: unknown): void {
    this.#failedResumes = 0;
    this.#set("online", "");
    if (data !== null) this.#needs.listener.began(data);
  }

  #set(state: LifecycleState, reason: string, retryAtMs: number | null = null): void {
    const generation = this.#lifecycle.generation + (state === "online" ? 1 : 0);
    this.#lifecycle = { state, reason, retryAtMs, sinceMs: this.#needs.clock.nowMs(), generation };
  }
}
