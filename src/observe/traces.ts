import { linkSignals, withDeadline } from "../foundation/cancellation.ts";
import type { Clock } from "../foundation/clock.ts";
import { codeOf } from "../foundation/errors.ts";
import { sha256Hex } from "../foundation/ids.ts";
import type { Log } from "../foundation/log.ts";
import { TaskGroup } from "../foundation/task-group.ts";

/** Spans that wait to be sent; the oldest goes first, and is counted. */
export const MAX_WAITING_SPANS = 2_048;
/** Spans of one request. */
export const MAX_BATCH = 256;
/** Milliseconds between two requests while all is well, and at most while it is not. */
const EVERY_MS = 5_000;
const LONGEST_WAIT_MS = 120_000;
/** Milliseconds that the last request may take at the end. */
const FAREWELL_MS = 1_500;
const JOIN_MS = 3_000;

/** What a span may say: ids of ours, words of the code, numbers. Nothing of anybody's words has this type's names. */
export type SpanFacts = Readonly<Record<SpanFact, string | number | undefined>>;

/** The attributes there are: the names of the GenAI conventions where they have one, else ours. */
type SpanFact =
  | "gen_ai.operation.name"
  | "gen_ai.provider.name"
  | "gen_ai.agent.id"
  | "gen_ai.conversation.id"
  | "gen_ai.request.model"
  | "gen_ai.request.max_tokens"
  | "gen_ai.usage.input_tokens"
  | "gen_ai.usage.output_tokens"
  | "error.type"
  | "troupe.turn.id"
  | "troupe.turn.attempt"
  | "troupe.outcome"
  | "troupe.packet.bytes"
  | "troupe.first_token_ms";

/** A span while it lasts. */
export interface Span {
  /** Say more of it. */
  set(facts: Partial<SpanFacts>): void;
  /** A span within it. */
  child<Value>(name: string, kind: SpanKind, facts: Partial<SpanFacts>, work: (span: Span) => Promise<Value>): Promise<Value>;
}

/** `internal`: our own work. `client`: a call to somebody else's server. */
export type SpanKind = "internal" | "client";

/** Where spans go. Disposing it sends what waits, within its time, and nothing after that. */
export interface Traces extends AsyncDisposable {
  /** Run `work` within a span whose trace is named by `id`: the same id gives the same trace. A failure is noted by its code, and thrown on. */
  run<Value>(id: string, name: string, facts: Partial<SpanFacts>, work: (span: Span) => Promise<Value>): Promise<Value>;
  /** Spans that were taken by the collector, and that were not and never will be. */
  readonly counts: { readonly sent: number; readonly dropped: number };
}

/** Hands one request body to the collector. `refused` can't be helped by sending it again. Never throws but on abort. */
export type SendSpans = (body: string, signal: AbortSignal) => Promise<"taken" | "refused" | "later">;

/** Traces that go nowhere: what runs when no collector is configured. */
export const NO_TRACES: Traces = {
  run: (_id, _name, _facts, work) => work(NO_SPAN),
  counts: { sent: 0, dropped: 0 },
  [Symbol.asyncDispose]: () => Promise.resolve(),
};

const NO_SPAN: Span = { set: () => {}, child: (_name, _kind, _facts, work) => work(NO_SPAN) };

/** What traces stand on. */
export interface TracesNeeds {
  readonly clock: Clock;
  readonly log: Log;
  readonly send: SendSpans;
  /** What every request says of this process. */
  readonly about: { readonly version: string; readonly instance: string };
}

/**
 * Make traces that are gathered and sent as OTLP JSON, a batch at a time. Nothing waits for them: a collector that is down costs
 * spans, which are counted, and nothing else.
 */
export function createTraces(needs: TracesNeeds): Traces {
  return new GatheredTraces(needs);
}

interface Ended {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | null;
  readonly name: string;
  readonly kind: SpanKind;
  readonly startMs: number;
  readonly endMs: number;
  readonly facts: Partial<SpanFacts>;
  readonly failed: boolean;
}

class GatheredTraces implements Traces {
  readonly #needs: TracesNeeds;
  readonly #tasks: TaskGroup;
  readonly #waiting: Ended[] = [];
  readonly #counts = { sent: 0, dropped: 0 };
  #spans = 0;

  constructor(needs: TracesNeeds) {
    this.#needs = needs;
    this.#tasks = new TaskGroup({ clock: needs.clock, joinMs: JOIN_MS, onFailure: (error) => needs.log.failure("traces_failed", error) });
    this.#tasks.start((signal) => this.#sendOn(signal));
  }

  get counts(): Traces["counts"] {
    return { ...this.#counts };
  }

  run<Value>(id: string, name: string, facts: Partial<SpanFacts>, work: (span: Span) => Promise<Value>): Promise<Value> {
    const traceId = sha256Hex(`trace ${id}`).slice(0, 32);
    return this.#span({ traceId, parent: null, name, kind: "internal", facts }, work);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#tasks.close();
    // The batch that was under way when the tasks ended is still waiting: it counts as sent only once it was taken.
    using farewell = withDeadline(this.#needs.clock, FAREWELL_MS, linkSignals().signal);
    while (this.#waiting.length > 0 && (await this.#sendBatch(farewell.signal).catch(() => "later")) === "taken");
    this.#counts.dropped += this.#waiting.length;
    this.#waiting.length = 0;
  }

  async #span<Value>(
    about: { traceId: string; parent: string | null; name: string; kind: SpanKind; facts: Partial<SpanFacts> },
    work: (span: Span) => Promise<Value>,
  ): Promise<Value> {
    const { traceId, parent, name, kind } = about;
    const { clock } = this.#needs;
    this.#spans += 1;
    const spanId = sha256Hex(`span ${traceId} ${this.#needs.about.instance} ${this.#spans}`).slice(0, 16);
    let facts = about.facts;
    const startMs = clock.nowMs();
    const end = (failed: boolean): void =>
      this.#keep({ traceId, spanId, parentSpanId: parent, name, kind, startMs, endMs: Math.max(startMs, clock.nowMs()), facts, failed });
    const span: Span = {
      set: (more) => void (facts = { ...facts, ...more }),
      child: (of, as, said, inner) => this.#span({ traceId, parent: spanId, name: of, kind: as, facts: said }, inner),
    };
    try {
      const value = await work(span);
      end(false);
      return value;
    } catch (error) {
      facts = { ...facts, "error.type": codeOf(error) };
      end(true);
      throw error;
    }
  }

  #keep(span: Ended): void {
    this.#waiting.push(span);
    if (this.#waiting.length <= MAX_WAITING_SPANS) return;
    this.#waiting.shift();
    this.#counts.dropped += 1;
  }

  async #sendOn(signal: AbortSignal): Promise<void> {
    let waitMs = EVERY_MS;
    while (!signal.aborted) {
      await this.#needs.clock.sleep(waitMs, signal);
      let outcome: "taken" | "refused" | "later" = "taken";
      while (this.#waiting.length > 0 && outcome !== "later") outcome = await this.#sendBatch(signal);
      waitMs = outcome === "later" ? Math.min(waitMs * 2, LONGEST_WAIT_MS) : EVERY_MS;
    }
  }

  async #sendBatch(signal: AbortSignal): Promise<"taken" | "refused" | "later"> {
    const batch = this.#waiting.slice(0, MAX_BATCH);
    const outcome = await this.#needs.send(otlpJson(batch, this.#needs.about), signal);
    if (outcome === "later") return outcome;
    // Whatever came meanwhile stands behind these; only as many as are still there may go.
    const gone = new Set(batch);
    const left = this.#waiting.filter((span) => !gone.has(span));
    this.#counts[outcome === "taken" ? "sent" : "dropped"] += this.#waiting.length - left.length;
    this.#waiting.splice(0, this.#waiting.length, ...left);
    return outcome;
  }
}

/** One request body in the JSON encoding of OTLP: ids in hex, 64-bit numbers as text. */
function otlpJson(spans: readonly Ended[], about: TracesNeeds["about"]): string {
  const resource = {
    "service.name": "troupe",
    "service.version": about.version,
    "service.instance.id": about.instance,
  };
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeSpans: [{ scope: { name: "troupe", version: about.version }, spans: spans.map(otlpSpan) }],
      },
    ],
  });
}

const KINDS: Readonly<Record<SpanKind, number>> = { internal: 1, client: 3 };

function otlpSpan({ traceId, spanId, parentSpanId, name, kind, startMs, endMs, facts, failed }: Ended): object {
  return {
    traceId,
    spanId,
    ...(parentSpanId === null ? {} : { parentSpanId }),
    name,
    kind: KINDS[kind],
    startTimeUnixNano: nanosOf(startMs),
    endTimeUnixNano: nanosOf(endMs),
    attributes: attributesOf(facts),
    status: failed ? { code: 2 } : {},
  };
}

function nanosOf(ms: number): string {
  return (BigInt(Math.round(ms * 1_000)) * 1_000n).toString();
}

function attributesOf(facts: Readonly<Record<string, string | number | undefined>>): readonly object[] {
  return Object.entries(facts).flatMap(([key, value]): readonly object[] => {
    if (value === undefined) return [];
    if (typeof value === "string") return [{ key, value: { stringValue: value } }];
    return [{ key, value: Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value } }];
  });
}
