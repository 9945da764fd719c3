import type { Clock } from "../foundation/clock.ts";
import type { Log } from "../foundation/log.ts";
import { printable } from "../foundation/printable.ts";
import { TaskGroup } from "../foundation/task-group.ts";

/** What an operator is told of without asking (TR-093). A closed list. */
export const NOTICE_KINDS = [
  "approval",
  "asks_spent",
  "loop",
  "budget",
  "surface_blocked",
  "context_off",
  "direct_failed",
  "policy_unreadable",
  "host_down",
  "host_up",
  "truncated_window",
  "restart_summary",
  "somebody_tried",
  "voice_stopped",
  "hook",
] as const;
/** One of {@link NOTICE_KINDS}. */
export type NoticeKind = (typeof NOTICE_KINDS)[number];

/** Notices of one kind within this time are one. */
export const MERGE_MS: number = 60_000;
/** Notices that are kept for the console. */
export const MAX_KEPT = 200;
const MAX_IDS = 8;
const MAX_COUNTS = 8;
/** Notices that wait to be sent on; the oldest goes first, and is counted. */
const MAX_WAITING = 64;
const MAX_TRIES = 3;
const FIRST_BACKOFF_MS = 2_000;
const JOIN_MS = 5_000;
const ID = /^[A-Za-z0-9_.:-]{1,80}$/;

/** What happened, without a word of anybody: ids of ours and numbers. */
export interface About {
  readonly ids?: readonly string[];
  readonly counts?: Readonly<Record<string, number>>;
}

/** One notice: everything of its kind within a minute. */
export interface Notice {
  readonly kind: NoticeKind;
  /** How often it happened. */
  readonly count: number;
  readonly firstAtMs: number;
  readonly lastAtMs: number;
  /** The newest ids it concerns, at most 8. */
  readonly ids: readonly string[];
  /** Numbers that belong to it, summed. */
  readonly counts: Readonly<Record<string, number>>;
}

/** Hands one notice to somewhere else. Resolves false when it surely was not taken; never throws but on abort. */
export type SendNotice = (notice: Notice, signal: AbortSignal) => Promise<boolean>;

/** Where anything in the runtime says what an operator should hear. Disposing it sends nothing more. */
export interface Notices extends AsyncDisposable {
  /** Note that something happened. Returns at once and never fails: nothing waits for a notice. */
  note(kind: NoticeKind, about?: About): void;
  /** The newest, newest first, at most {@link MAX_KEPT}. What is still being gathered is in it. */
  recent(): readonly Notice[];
  /** Notices that could not be sent on since the start. */
  readonly dropped: number;
}

interface Gathering {
  notice: Notice;
  /** Whether anything came since it was last sent on. */
  changed: boolean;
}

/**
 * Make the notices (TR-093).
 *
 * N1  The first of a kind goes out at once; what follows within a minute is gathered, and goes out as one when the minute ends.
 * N2  Each is tried three times, one after another; then it is dropped and counted. Nothing waits for that.
 */
export function createNotices(needs: { readonly clock: Clock; readonly log: Log; readonly send: SendNotice | null }): Notices {
  return new MergedNotices(needs);
}

class MergedNotices implements Notices {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #send: SendNotice | null;
  readonly #tasks: TaskGroup;
  readonly #gathering = new Map<NoticeKind, Gathering>();
  readonly #timers = new Set<Disposable>();
  readonly #kept: Notice[] = [];
  readonly #waiting: Notice[] = [];
  #sending = false;
  #dropped = 0;

  constructor({ clock, log, send }: { readonly clock: Clock; readonly log: Log; readonly send: SendNotice | null }) {
    this.#clock = clock;
    this.#log = log;
    this.#send = send;
    this.#tasks = new TaskGroup({ clock, joinMs: JOIN_MS, onFailure: (error) => log.failure("notice_failed", error) });
  }

  get dropped(): number {
    return this.#dropped;
  }

  note(kind: NoticeKind, about: About = {}): void {
    if (this.#tasks.signal.aborted) return;
    const atMs = this.#clock.nowMs();
    const gathering = this.#gathering.get(kind);
    if (gathering !== undefined) {
      gathering.notice = merged(gathering.notice, about, atMs);
      gathering.changed = true;
      return;
    }
    this.#emit(merged({ kind, count: 0, firstAtMs: atMs, lastAtMs: atMs, ids: [], counts: {} }, about, atMs));
    this.#gather(kind);
  }

  recent(): readonly Notice[] {
    const open = [...this.#gathering.values()].flatMap(({ notice, changed }) => (changed ? [notice] : []));
    return [...this.#kept, ...open].toSorted((a, b) => b.lastAtMs - a.lastAtMs).slice(0, MAX_KEPT);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const timer of this.#timers) timer[Symbol.dispose]();
    this.#timers.clear();
    this.#dropped += this.#waiting.length;
    await this.#tasks.close();
  }

  /** Gather what comes of a kind until its minute is over. */
  #gather(kind: NoticeKind): void {
    const atMs = this.#clock.nowMs();
    const gathering = { notice: { kind, count: 0, firstAtMs: atMs, lastAtMs: atMs, ids: [], counts: {} }, changed: false };
    this.#gathering.set(kind, gathering);
    const timer = this.#clock.after(MERGE_MS, () => {
      this.#timers.delete(timer);
      const ended = this.#gathering.get(kind);
      this.#gathering.delete(kind);
      if (ended === undefined || !ended.changed) return;
      this.#emit(ended.notice);
      this.#gather(kind);
    });
    this.#timers.add(timer);
  }

  #emit(notice: Notice): void {
    this.#kept.push(notice);
    if (this.#kept.length > MAX_KEPT) this.#kept.shift();
    this.#log.write("info", "notice", { kind: printable(notice.kind), count: notice.count });
    if (this.#send === null) return;
    this.#waiting.push(notice);
    if (this.#waiting.length > MAX_WAITING) {
      this.#waiting.shift();
      this.#dropped += 1;
    }
    if (!this.#sending) this.#sendWaiting(this.#send);
  }

  #sendWaiting(send: SendNotice): void {
    this.#sending = true;
    this.#tasks.start(async (signal) => {
      try {
        for (let notice = this.#waiting.shift(); notice !== undefined; notice = this.#waiting.shift()) {
          if (!(await this.#try(send, notice, signal))) this.#dropped += 1;
        }
      } finally {
        this.#sending = false;
      }
    });
  }

  async #try(send: SendNotice, notice: Notice, signal: AbortSignal): Promise<boolean> {
    for (let tries = 1; ; tries += 1) {
      if (await send(notice, signal)) return true;
      if (tries >= MAX_TRIES) return false;
      await this.#clock.sleep(FIRST_BACKOFF_MS * 4 ** (tries - 1), signal);
    }
  }
}

function merged(notice: Notice, about: About, atMs: number): Notice {
  // Only what looks like an id of ours: a name or a text never gets in by mistake.
  const ids = [...notice.ids, ...(about.ids ?? []).filter((id) => ID.test(id))];
  const counts = new Map(Object.entries(notice.counts));
  for (const [name, count] of Object.entries(about.counts ?? {})) {
    if (ID.test(name) && (counts.has(name) || counts.size < MAX_COUNTS)) counts.set(name, (counts.get(name) ?? 0) + count);
  }
  const firstAtMs = notice.count === 0 ? atMs : notice.firstAtMs;
  return {
    ...notice,
    count: notice.count + 1,
    firstAtMs,
    lastAtMs: atMs,
    ids: [...new Set(ids)].slice(-MAX_IDS),
    counts: Object.fromEntries(counts),
  };
}
