import { z } from "zod";
import type { Clock } from "../foundation/clock.ts";
import type { Declared, Operation } from "../operations/operation.ts";
import { OWNER_ONLY, declare } from "../operations/operation.ts";
import type { PauseView } from "../operations/pause.ts";
import { pauseView } from "../operations/pause.ts";
import type { Store } from "../store/store.ts";
import type { Lifecycle } from "../vocabulary/lifecycle.ts";
import { LIFECYCLE_STATES } from "../vocabulary/lifecycle.ts";
import { LOCAL_OWNER } from "../vocabulary/principal.ts";
import { renderStatus } from "./status-lines.ts";

/** What a running process says of itself. */
export interface ProcessFacts {
  readonly version: string;
  readonly pid: number;
  readonly startedAtMs: number;
  /** `host/model`; null when the understudy stands in. */
  readonly model: string | null;
  /** Each with where guests come in, and the port it holds. */
  readonly rooms: readonly { readonly name: string; readonly url: string; readonly port: number }[];
  readonly console: string;
  readonly stateDirectory: string;
}

/** One surface and how its connection stands. */
export interface SurfaceStatus extends Lifecycle {
  readonly name: string;
  readonly kind: string;
  /** Its name for people. */
  readonly title: string;
  /** Where guests come in; null where there is no address. */
  readonly url: string | null;
  /** People there now, as far as the platform tells. */
  readonly people: number;
  /** Messages it brought today that were let in. */
  readonly admittedToday: number;
}

/** One model of a host, and whether it answers. */
export interface HostStatus {
  /** `host/model`, or `understudy`. */
  readonly by: string;
  readonly state: "up" | "down" | "standing_in";
  /** Why it is down, as a code of ours; "" otherwise. */
  readonly reason: string;
  /** Since when it is down; null otherwise. */
  readonly sinceMs: number | null;
  /** Milliseconds to the first word of its last answer; null before the first. */
  readonly firstTokenMs: number | null;
}

/** What waits and runs now, each beside its ceiling. */
export interface QueueStatus {
  readonly waiting: number;
  readonly maxWaiting: number;
  readonly lanes: number;
  readonly maxLanes: number;
  readonly thinking: number;
  readonly maxThinking: number;
}

/** Result of `status`. */
export interface StatusAnswer extends ProcessFacts {
  readonly upMs: number;
  readonly nowMs: number;
  /** Bytes of memory the process holds. */
  readonly memoryBytes: number;
  /** Messages by the state of their inbox row, and parts by theirs: what is open now. */
  readonly messages: Readonly<Record<string, number>>;
  readonly parts: Readonly<Record<string, number>>;
  readonly queues: QueueStatus;
  readonly surfaces: readonly SurfaceStatus[];
  readonly hosts: readonly HostStatus[];
  /** Where everything is halted, that stands first. */
  readonly paused: readonly PauseView[];
  /** Whether everything stands until the owner says `troupe rearm` at the terminal (TR-073). */
  readonly halted?: boolean | undefined;
  /** Imports whose words count as the operator's own (SE-080). */
  readonly endorsed?: number | undefined;
  readonly characters: readonly { readonly id: string; readonly name: string }[];
  /** What became of messages and parts since the day began, in UTC. */
  readonly today: {
    readonly sinceMs: number;
    readonly admitted: number;
    readonly suppressed: number;
    readonly ends: Readonly<Record<string, number>>;
    readonly parts: Readonly<Record<string, number>>;
  };
  readonly store: {
    readonly databaseBytes: number;
    readonly walBytes: number;
    readonly commits: number;
    readonly commitP50Ms: number | null;
    readonly commitP99Ms: number | null;
  };
  readonly notices: { readonly kept: number; readonly dropped: number };
  /** Lines that the log's file did not take, and how often it was full; null where lines go to standard error. */
  readonly log: { readonly dropped: number; readonly rotations: number } | null;
  /** Spans that the collector took, and that it did not; null where there is none. */
  readonly traces: { readonly sent: number; readonly dropped: number } | null;
}

const counts = z.record(z.string(), z.number());

/** `troupe status`. */
export const status: Declared<Record<string, never>, StatusAnswer> = declare<Record<string, never>, StatusAnswer>({
  name: "status",
  summary: "tell what runs here, how it is, and what it is doing",
  arguments: z.strictObject({}),
  positional: [],
  who: OWNER_ONLY,
  result: z.object({
    version: z.string(),
    pid: z.int(),
    startedAtMs: z.number(),
    upMs: z.number(),
    nowMs: z.number(),
    memoryBytes: z.number(),
    model: z.string().nullable(),
    rooms: z.array(z.object({ name: z.string(), url: z.string(), port: z.int() })),
    console: z.string(),
    stateDirectory: z.string(),
    messages: counts,
    parts: counts,
    queues: z.object({
      waiting: z.int(),
      maxWaiting: z.int(),
      lanes: z.int(),
      maxLanes: z.int(),
      thinking: z.int(),
      maxThinking: z.int(),
    }),
    surfaces: z.array(
      z.object({
        name: z.string(),
        kind: z.string(),
        title: z.string(),
        url: z.string().nullable(),
        people: z.int(),
        admittedToday: z.int(),
        state: z.enum(LIFECYCLE_STATES),
        sinceMs: z.number(),
        reason: z.string(),
        retryAtMs: z.number().nullable(),
        generation: z.int(),
      }),
    ),
    hosts: z.array(
      z.object({
        by: z.string(),
        state: z.enum(["up", "down", "standing_in"]),
        reason: z.string(),
        sinceMs: z.number().nullable(),
        firstTokenMs: z.number().nullable(),
      }),
    ),
    paused: z.array(pauseView),
    halted: z.boolean().optional(),
    endorsed: z.int().optional(),
    characters: z.array(z.object({ id: z.string(), name: z.string() })),
    today: z.object({ sinceMs: z.number(), admitted: z.int(), suppressed: z.int(), ends: counts, parts: counts }),
    store: z.object({
      databaseBytes: z.number(),
      walBytes: z.number(),
      commits: z.int(),
      commitP50Ms: z.number().nullable(),
      commitP99Ms: z.number().nullable(),
    }),
    notices: z.object({ kept: z.int(), dropped: z.int() }),
    log: z.object({ dropped: z.int(), rotations: z.int() }).nullable(),
    traces: z.object({ sent: z.int(), dropped: z.int() }).nullable(),
  }),
  render: renderStatus,
});

/** What `status` looks at. */
export interface StatusNeeds {
  readonly clock: Clock;
  readonly store: Pick<Store, "health"> & { readonly read: Pick<Store["read"], "counts" | "halted" | "tally" | "pauses"> };
  readonly facts: () => ProcessFacts;
  readonly memoryBytes: () => number;
  readonly queues: () => QueueStatus;
  readonly surfaces: () => readonly Omit<SurfaceStatus, "admittedToday">[];
  readonly hosts: () => readonly HostStatus[];
  readonly characters: () => StatusAnswer["characters"];
  readonly notices: () => StatusAnswer["notices"];
  readonly endorsed: () => number;
  readonly log: () => StatusAnswer["log"];
  readonly traces: () => StatusAnswer["traces"];
}

const DAY_MS = 86_400_000;

/** Bind `status` to what runs. */
export function bindStatus(needs: StatusNeeds): Operation {
  const { clock, store } = needs;
  return status.bind((): Promise<StatusAnswer> => {
    const facts = needs.facts();
    const nowMs = clock.nowMs();
    const sinceMs = Math.floor(nowMs / DAY_MS) * DAY_MS;
    const { inbox, parts } = store.read.counts();
    const { bySurface, ...today } = store.read.tally(sinceMs);
    return Promise.resolve({
      ...facts,
      nowMs,
      upMs: Math.max(0, nowMs - facts.startedAtMs),
      memoryBytes: needs.memoryBytes(),
      messages: inbox,
      parts,
      queues: needs.queues(),
      surfaces: needs.surfaces().map((one) => ({ ...one, admittedToday: bySurface[one.name] ?? 0 })),
      hosts: [...needs.hosts()],
      paused: [...haltedView(store.read.halted()), ...store.read.pauses().map((one) => ({ ...one }))],
      halted: store.read.halted() !== null,
      endorsed: needs.endorsed(),
      characters: [...needs.characters()],
      today: { sinceMs, ...today },
      store: store.health(),
      notices: needs.notices(),
      log: needs.log(),
      traces: needs.traces(),
    });
  });
}

/** A halt as pages show it: nobody is answered anywhere, and no page ends it. */
function haltedView(halted: ReturnType<Store["read"]["halted"]>): readonly PauseView[] {
  return halted === null ? [] : [{ character: null, place: null, by: LOCAL_OWNER, atMs: halted.atMs, untilMs: null }];
}
