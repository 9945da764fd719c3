import type { StoreReader } from "../../store/store.ts";
import type { Heard } from "../../vocabulary/inbound.ts";
import type { MessageFate } from "./room-report.ts";
import type { ScriptStep } from "./room-script.ts";
import type { SimulatedPlatform } from "./simulated-platform.ts";
import type { ModelCall } from "./simulated-model.ts";
import { platformNamed } from "./simulated-platform.ts";

type Outcome = Pick<MessageFate, "fate" | "reason" | "turn"> & { readonly costMicros: number };
type Told = NonNullable<ReturnType<StoreReader["explain"]>>;

/** Tells what became of messages, by the runtime's store and the platforms' ledgers. */
export class Fates {
  readonly #read: StoreReader;
  readonly #platforms: readonly SimulatedPlatform[];
  readonly #startMs: number;
  readonly #firstPart = new Map<string, number>();
  readonly #asked = new Map<string, ModelCall>();
  readonly #counted = new Set<string>();
  /** What the turns of the messages told so far cost, in millionths; each turn once. */
  spendMicros = 0;

  constructor(needs: { read: StoreReader; platforms: readonly SimulatedPlatform[]; calls: readonly ModelCall[]; startMs: number }) {
    this.#read = needs.read;
    this.#platforms = needs.platforms;
    this.#startMs = needs.startMs;
    for (const call of needs.calls) for (const delivery of deliveriesIn(call.heard)) this.#asked.set(delivery, call);
    for (const { turn, atMs } of needs.platforms.flatMap(({ ledger }) => ledger)) {
      if (!this.#firstPart.has(turn)) this.#firstPart.set(turn, atMs);
    }
  }

  /** What became of a message of the script. */
  of(step: ScriptStep): MessageFate {
    const { platform, group, line, atMs } = step;
    const { fate, reason, turn, costMicros } = this.#outcomeOf(step);
    if (turn !== null && !this.#counted.has(turn)) {
      this.#counted.add(turn);
      this.spendMicros += costMicros;
    }
    const answeredAtMs = turn === null || fate !== "answered" ? undefined : this.#firstPart.get(turn);
    return {
      delivery: line.delivery,
      platform,
      person: line.from,
      group,
      direct: line.direct !== undefined,
      saidAtMs: atMs,
      fate,
      reason,
      turn,
      answeredAfterMs: answeredAtMs === undefined ? null : answeredAtMs - this.#startMs - atMs,
      remembered: this.#remembered(line),
    };
  }

  #remembered({ delivery, from }: ScriptStep["line"]): number | null {
    const call = this.#asked.get(delivery);
    if (call === undefined) return null;
    return call.talk.flatMap(({ said }) => deliveriesIn(said)).filter((one) => one.startsWith(`${from}-`)).length;
  }

  #outcomeOf({ platform, line }: ScriptStep): Outcome {
    const on = platformNamed(this.#platforms, platform);
    const heard = on.acknowledged.get(line.delivery) ?? null;
    const id = heard?.id ?? this.#read.delivered(on.name, line.delivery);
    const told = id === null ? null : this.#read.explain(id);
    return told === null ? untold(heard) : toldOutcome(told, heard);
  }
}

/** Deliveries whose words stand in a text: each line of a script ends with its own. */
function deliveriesIn(text: string): readonly string[] {
  return [...text.matchAll(/\(([a-z0-9_-]+-\d+\.\d+)\)/g)].map((match) => match[1] ?? "");
}

/** Suppressed messages beyond ten a minute share a row, so the acknowledgement is all there is. */
function untold(heard: Heard | null): Outcome {
  return heard?.kind === "suppressed"
    ? { fate: "suppressed", reason: heard.reason, turn: null, costMicros: 0 }
    : { fate: "lost", reason: "", turn: null, costMicros: 0 };
}

function toldOutcome({ turn: run, end, endReason, decision, inboxState }: Told, heard: Heard | null): Outcome {
  const turn = run?.id ?? null;
  const costMicros = run?.record?.usage.costMicros ?? 0;
  if (end !== null) return { fate: end, reason: endReason ?? "", turn, costMicros };
  if (heard?.kind === "suppressed") return { fate: "suppressed", reason: heard.reason, turn: null, costMicros: 0 };
  return decision.reason === null
    ? { fate: "open", reason: inboxState ?? "", turn, costMicros }
    : { fate: "suppressed", reason: decision.reason, turn: null, costMicros: 0 };
}
