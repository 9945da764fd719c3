import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Authority } from "../../src/authority/authority.ts";
import { openAuthority } from "../../src/authority/authority.ts";
import type { BudgetLimits } from "../../src/authority/budgets.ts";
import { openChronicle } from "../../src/chronicle/chronicle.ts";
import { createLedger } from "../../src/chronicle/ledger.ts";
import { RuntimeError } from "../../src/foundation/errors.ts";
import type { IdSource } from "../../src/foundation/ids.ts";
import { randomIds } from "../../src/foundation/ids.ts";
import { silentLog } from "../../src/foundation/log.ts";
import { createRedactor } from "../../src/foundation/redact.ts";
import type { Secret } from "../../src/foundation/secret.ts";
import { createGate } from "../../src/road/4-delivery/gate.ts";
import type { Ended } from "../../src/road/3-turns/turns.ts";
import type { RoadNotice } from "../../src/road/1-admission/admission.ts";
import type { AdmissionSpace } from "../../src/road/1-admission/admission-space.ts";
import type { Ledger, Recovered, Road, RoadPolicy } from "../../src/road/road.ts";
import { openRoad } from "../../src/road/road.ts";
import { openStore } from "../../src/store/sqlite/sqlite.ts";
import type { Store } from "../../src/store/store.ts";
import type { Inbox, Surface, SurfaceProfile } from "../../src/surfaces/surface.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { MIRELLE, PARLOUR, TOBIAS, inboundLine } from "../../src/testing/road-fixtures.ts";
import type { AttentionRequest, DeliveryObservation } from "../../src/vocabulary/delivery-observation.ts";
import type { Heard, InboundEvent } from "../../src/vocabulary/inbound.ts";
import type { Limits } from "../../src/vocabulary/limits.ts";
import { CEILINGS } from "../../src/vocabulary/limits.ts";
import type { Part, ReadBack, SendOutcome } from "../../src/vocabulary/part.ts";
import type { PrincipalId } from "../../src/vocabulary/principal.ts";
import type { Reply, VoiceOutcome, VoiceRecord } from "../../src/vocabulary/reply.ts";
import type { Turn } from "../../src/vocabulary/turn.ts";
import { Visible } from "../../src/vocabulary/visible.ts";

/** A surface in memory: what was sent, in order, and what the platform says of it. */
export class MemorySurface implements Surface {
  readonly name: typeof PARLOUR = PARLOUR;
  readonly kind = "memory";
  readonly sent: Part[] = [];
  readonly typed: boolean[] = [];
  profile: SurfaceProfile = {
    limits: { maxBytes: 1_000 },
    readsBack: true,
    pacing: { public: { burst: 3, everyMs: 1_500 }, direct: { burst: 5, everyMs: 1_000 } },
    timing: { quietMs: 0, holdMs: 0, fragments: 1 },
    keepsAmbient: true,
  };
  outcome: (part: Part, signal: AbortSignal) => Promise<SendOutcome> = (part) =>
    Promise.resolve({ kind: "delivered", platformId: part.id });
  found: (part: Part) => ReadBack = () => ({ kind: "absent" });
  inbox: Inbox | null = null;

  open(inbox: Inbox): Promise<void> {
    this.inbox = inbox;
    return Promise.resolve();
  }

  send(part: Part, signal: AbortSignal): Promise<SendOutcome> {
    this.sent.push(part);
    return this.outcome(part, signal);
  }

  readBack(part: Part): Promise<ReadBack> {
    return Promise.resolve(this.found(part));
  }

  typing(_character: unknown, _place: unknown, on: boolean): void {
    this.typed.push(on);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }
}

export const RECORD: VoiceRecord = {
  voice: "responder",
  by: "scripted",
  packet: null,
  usage: { promptTokens: 0, completionTokens: 0, costMicros: null },
  firstTokenMs: 1,
  candidates: 0,
};

/** A voice's reply with these words. */
export function says(speech: string, changes: Partial<Reply> = {}): VoiceOutcome {
  return {
    kind: "reply",
    record: RECORD,
    reply: { label: "speak", action: "", speech, influence: [], scaffold: [], canaries: [], visibleText: "", ...changes },
  };
}

export interface HarnessOptions {
  readonly voice: (turn: Turn, signal: AbortSignal, seen: readonly string[]) => Promise<VoiceOutcome>;
  readonly folder: string;
  readonly limits?: Partial<Limits>;
  readonly budgets?: Partial<BudgetLimits>;
  readonly mode?: "addressed" | "trusted" | "silent";
  readonly surface?: MemorySurface;
  readonly operators?: readonly PrincipalId[];
  /** Called once there is an authority, before anything runs. */
  readonly withAuthority?: (authority: Authority) => void;
  /** Values that no text may hold. */
  readonly secrets?: readonly Secret[];
  readonly clock?: ManualClock;
  readonly deadlineMs?: number;
  /** What the space has beside the two characters. */
  readonly space?: Partial<AdmissionSpace>;
  readonly policy?: Partial<Pick<RoadPolicy, "paused" | "optedOut" | "engagement" | "answersBy">>;
  /** The same, from what the store says. */
  readonly policyOfStore?: (store: Store) => Partial<Pick<RoadPolicy, "paused" | "halted">>;
  readonly disclosure?: (turn: Turn) => string | null;
  /** Stands between the road and where it keeps what it does, to let a verb fail or come too late. */
  readonly ledger?: (real: Ledger, store: Store) => Ledger;
}

/** The real road over a real store, with a scripted voice and a surface in memory. Disposing it stops it as a process would. */
export interface Harness extends AsyncDisposable {
  readonly clock: ManualClock;
  readonly surface: MemorySurface;
  readonly store: Store;
  readonly authority: Authority;
  readonly road: Road;
  readonly ended: Ended[];
  /** Delivery observations and attention requests, in order. */
  readonly observed: DeliveryObservation[];
  readonly attended: AttentionRequest[];
  readonly recovered: Recovered;
  /** Every id the road made, in order. */
  readonly issued: string[];
  /** Reasons that were published, in order. */
  readonly suppressed: string[];
  /** What the operator was told, in order. */
  readonly notices: RoadNotice[];
  hear(line?: Parameters<typeof inboundLine>[0]): Promise<Heard>;
  /** Let everything run that can without time passing. */
  settle(): Promise<void>;
  /** Move time on, letting the store's answers in. */
  pass(ms: number): Promise<void>;
}

/** Build and open it on `folder`, which may hold what an earlier one left. */
export async function openHarness(options: HarnessOptions): Promise<Harness> {
  const stop = new AbortController();
  const clock = options.clock ?? new ManualClock();
  const surface = options.surface ?? new MemorySurface();
  const limits: Limits = { ...CEILINGS, ...options.limits };
  const ended: Ended[] = [];
  const observed: DeliveryObservation[] = [];
  const attended: AttentionRequest[] = [];
  const issued: string[] = [];
  const suppressed: string[] = [];
  const notices: RoadNotice[] = [];
  const ids: IdSource = {
    next(prefix) {
      const id = randomIds.next(prefix);
      issued.push(id);
      return id;
    },
  };
  const store = await openStore({ directory: options.folder, clock, log: silentLog }, stop.signal);
  const chronicle = openChronicle({ store, clock, log: silentLog });
  const budgets: BudgetLimits = {
    repliesPerMinutePerRoom: 1e6,
    repliesPerMinutePerPerson: 1e6,
    callsPerDayPerPerson: 1e6,
    callsPerDayPerSpace: 1e6,
    callsPerDayInAll: 1e6,
    ...options.budgets,
  };
  const present = [
    { id: MIRELLE, aliases: ["mirelle"] },
    { id: TOBIAS, aliases: ["tobias"] },
  ];
  const authority = openAuthority({
    store,
    clock,
    accounts: { operators: () => new Set(options.operators) },
    budgets: {
      limits: () => ({
        toolCallsPerDayPerPerson: 500,
        toolCallsPerDayInAll: 2_000,
        ...budgets,
        moneyPerDayInAllMicros: null,
        moneyPerDayPerSpaceMicros: null,
      }),
      notice: () => {},
    },
    log: silentLog,
    hides: () => false,
  });
  options.withAuthority?.(authority);
  const seenBy = (turn: Turn): string[] =>
    Visible.eventsOf(chronicle.visibleFor(turn.character, turn.place, { limit: 50, exclude: turn.trigger.id }).visible).map(
      (event) => event.text,
    );
  const ledger = createLedger({ store, chronicle, present: () => present.map(({ id }) => id) });
  const road = openRoad({
    ledger: options.ledger?.(ledger, store) ?? ledger,
    authority,
    policy: {
      space: () => ({
        mode: options.mode ?? "addressed",
        key: "surfaces.parlour.admission",
        present,
        keepsAmbient: surface.profile.keepsAmbient,
        ...options.space,
      }),
      classOf: (text) => (text.startsWith("/") ? "command" : "talk"),
      voiceOf: () => ({ run: (turn, signal) => options.voice(turn, signal, seenBy(turn)) }),
      deadlineMs: () => options.deadlineMs ?? 45_000,
      noticeText: (_turn, end) => `(notice: ${end})`,
      disclosure: options.disclosure ?? (() => null),
      ...options.policy,
      ...options.policyOfStore?.(store),
    },
    gate: createGate({
      redactor: createRedactor(options.secrets ?? []),
      rules: () => ({ links: [], neverSay: [], commandPrefixes: "/!" }),
      tools: () => [],
    }),
    observer: {
      suppressed: (_id, _event, reason) => suppressed.push(reason),
      notice: (notice) => notices.push(notice),
      waiting: () => {},
      ended: (one) => ended.push(one),
      delivered: (one) => observed.push(one),
      attention: (one) => attended.push(one),
      receipt: () => {},
    },
    environment: { clock, ids, log: silentLog, limits },
  });
  const recovered = await road.open([surface], stop.signal);
  const settle = async (): Promise<void> => {
    // The store answers from another thread: a note at the end of the line tells that all before it is durable.
    for (let round = 0; round < 6; round += 1) {
      await store.setSetting("test", String(round));
      await clock.advance(0);
    }
  };
  return {
    clock,
    surface,
    store,
    authority,
    road,
    ended,
    observed,
    attended,
    issued,
    suppressed,
    notices,
    recovered,
    settle,
    hear: (line) => {
      if (surface.inbox === null) throw new RuntimeError("closed", "Cannot hear: not open");
      const event: InboundEvent = inboundLine({ atMs: clock.nowMs(), ...line });
      return surface.inbox.hear(event, stop.signal);
    },
    async pass(ms) {
      const step = Math.max(1, Math.ceil(ms / 20));
      for (let left = ms; left > 0; left -= step) {
        await clock.advance(Math.min(step, left));
        await settle();
      }
    },
    async [Symbol.asyncDispose]() {
      await road[Symbol.asyncDispose]();
      chronicle[Symbol.dispose]();
      await store[Symbol.asyncDispose]();
      stop.abort();
    },
  };
}

/** Run `work` with a folder of its own. */
export async function inFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), "troupe-road-"));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
