import type { Clock } from "../foundation/clock.ts";
import { RuntimeError } from "../foundation/errors.ts";
import type { ErrorCode } from "../foundation/errors.ts";
import type { AgentAnswer, AgentRequest } from "../vocabulary/calls/agent-model.ts";
import type { CallMeter } from "../vocabulary/call-meter.ts";
import type { SkippedHost, WindowExceeded } from "../vocabulary/model.ts";
import type { HostedModel } from "./hosted-model.ts";

/** What says that a host can't answer now. A refusal, an empty or a useless answer are answers: another host would hide them. */
const DOWN: readonly ErrorCode[] = ["model_unreachable", "model_status", "model_rate_limited", "model_cut", "deadline"];
/** How long a host that was down is passed over while another can answer (TR-055). */
const FIRST_BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 60_000;

/** A host of the list, for whoever watches. */
export interface HostState {
  /** `host/model`. */
  readonly by: string;
  /** Why its last call failed; null while it answers or was not asked. */
  readonly down: ErrorCode | null;
  /** Since when, by the wall clock; null while it is not down. */
  readonly sinceMs: number | null;
}

interface Place {
  readonly model: HostedModel;
  down: { readonly reason: ErrorCode; readonly sinceMs: number; readonly untilMs: number; readonly backoffMs: number } | null;
}

/** The hosts in the order in which they are asked. */
export class HostList {
  readonly #places: readonly [Place, ...Place[]];
  readonly #clock: Clock;
  readonly #changed: (state: HostState) => void;

  /** `changed` is told when a host goes down or is back. */
  constructor(
    models: readonly [HostedModel, ...HostedModel[]],
    needs: { readonly clock: Clock; readonly changed: (state: HostState) => void },
  ) {
    const [first, ...others] = models;
    const place = (model: HostedModel): Place => ({ model, down: null });
    this.#places = [place(first), ...others.map(place)];
    this.#clock = needs.clock;
    this.#changed = needs.changed;
  }

  states(): readonly HostState[] {
    return this.#places.map(stateOf);
  }

  /**
   * Ask the first host; a host that is down is passed over for the next, with its reason. One that was down a moment ago is not
   * even tried while there is another. What the last one throws is thrown.
   * @throws RuntimeError as `HostedModel.ask`.
   */
  async ask(request: AgentRequest, meter: CallMeter, signal: AbortSignal): Promise<AgentAnswer | WindowExceeded> {
    const allRest = this.#places.every((place) => this.#rests(place));
    const skipped: SkippedHost[] = [];
    let last: RuntimeError | null = null;
    for (const place of this.#places) {
      if (!allRest && place.down !== null && this.#rests(place)) {
        skipped.push({ by: place.model.name, reason: place.down.reason });
        continue;
      }
      try {
        const answer = await place.model.ask(request, meter, signal);
        this.#back(place);
        return answer.kind === "window" ? answer : { ...answer, skipped };
      } catch (error) {
        if (signal.aborted || !(error instanceof RuntimeError)) throw error;
        skipped.push({ by: place.model.name, reason: this.#downBy(place, error) });
        last = error;
      }
    }
    throw last ?? new RuntimeError("internal", "Cannot ask the model: the list is empty");
  }

  /** Why a host counts as down after this. @throws the error itself when it says something else. */
  #downBy(place: Place, error: RuntimeError): ErrorCode {
    const reason = DOWN.find((code) => error.code === code);
    if (reason !== undefined) {
      this.#down(place, reason);
      return reason;
    }
    // It answered, if only to refuse; what never reached it says nothing of it.
    if (error.code.startsWith("model_") || error.code === "truncated_by_host") this.#back(place);
    throw error;
  }

  #rests({ down }: Place): boolean {
    return down !== null && this.#clock.monotonicMs() < down.untilMs;
  }

  #down(place: Place, reason: ErrorCode): void {
    const backoffMs = place.down === null ? FIRST_BACKOFF_MS : Math.min(MAX_BACKOFF_MS, 2 * place.down.backoffMs);
    const sinceMs = place.down?.sinceMs ?? this.#clock.nowMs();
    const wasUp = place.down === null;
    place.down = { reason, sinceMs, untilMs: this.#clock.monotonicMs() + backoffMs, backoffMs };
    if (wasUp) this.#changed(stateOf(place));
  }

  #back(place: Place): void {
    if (place.down === null) return;
    place.down = null;
    this.#changed(stateOf(place));
  }
}

function stateOf({ model, down }: Place): HostState {
  return { by: model.name, down: down?.reason ?? null, sinceMs: down?.sinceMs ?? null };
}
