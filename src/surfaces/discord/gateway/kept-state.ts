import { z } from "zod";
import type { Clock } from "../../../foundation/clock.ts";
import type { Log } from "../../../foundation/log.ts";
import type { TaskGroup } from "../../../foundation/task-group.ts";
import type { Marks } from "../reading/marks.ts";
import { marksSchema, packMarks, sinceSchema, unpackMarks } from "../reading/marks.ts";
import type { KeptSession } from "./session-ledger.ts";

/** How long changes are gathered before they are written: what is lost with a crash is told again and known by its ids. */
const WRITE_AFTER_MS = 250;

/** Where a surface keeps how far it is. */
export interface StateShelf {
  read(): string | null;
  keep(state: string): Promise<void>;
}

interface Stored {
  version: 1;
  session: { id: string; url: string; seq: number } | null;
  marks: (readonly [string, string, string | null])[];
  since: string | null;
  commands: string | null;
}

const stored: z.ZodType<Stored> = z.object({
  version: z.literal(1),
  session: z.object({ id: z.string().min(1).max(200), url: z.string().max(300), seq: z.int().min(0) }).nullable(),
  marks: marksSchema,
  since: sinceSchema,
  /** Of the commands as they were registered, so that they are not registered at every start. */
  commands: z.string().max(64).nullable(),
});

/** What was kept, or nothing where there is none or it cannot be read: then the bot begins anew and answers nothing that is past. */
export function readState(text: string | null): {
  readonly session: KeptSession | null;
  readonly marks: Marks;
  readonly commands: string | null;
} {
  const parsed = stored.safeParse(jsonOf(text));
  if (!parsed.success) return { session: null, marks: unpackMarks([], null), commands: null };
  const { session, marks, since, commands } = parsed.data;
  return { session, marks: unpackMarks(marks, since), commands };
}

function jsonOf(text: string | null): unknown {
  if (text === null) return null;
  try {
    return JSON.parse(text);
  } catch {
    return null; // Not ours, or damaged: nothing is known then.
  }
}

/** Writes how far a connection is, a moment after it changed, one write at a time; the last state is always written. */
export class StateWriter {
  readonly #needs: { readonly clock: Clock; readonly log: Log; readonly tasks: TaskGroup; readonly shelf: StateShelf };
  readonly #state: () => Omit<Stored, "version" | "marks" | "since"> & { readonly marks: Marks };
  #timer: Disposable | null = null;
  #writing = false;
  #changed = false;

  constructor(
    needs: { readonly clock: Clock; readonly log: Log; readonly tasks: TaskGroup; readonly shelf: StateShelf },
    state: () => Omit<Stored, "version" | "marks" | "since"> & { readonly marks: Marks },
  ) {
    this.#needs = needs;
    this.#state = state;
  }

  /** Something changed. */
  touch(): void {
    this.#changed = true;
    if (this.#timer !== null || this.#writing || this.#needs.tasks.signal.aborted) return;
    this.#timer = this.#needs.clock.after(WRITE_AFTER_MS, () => {
      this.#timer = null;
      if (!this.#needs.tasks.signal.aborted) this.#needs.tasks.start(() => this.#write());
    });
  }

  /** Write what is not written yet, before the store closes. */
  async close(): Promise<void> {
    this.#timer?.[Symbol.dispose]();
    this.#timer = null;
    if (this.#changed) await this.#write();
  }

  async #write(): Promise<void> {
    this.#writing = true;
    this.#changed = false;
    try {
      const { session, marks, commands } = this.#state();
      const state: Stored = {
        version: 1,
        session: session === null ? null : { ...session },
        marks: packMarks(marks),
        since: marks.since,
        commands,
      };
      await this.#needs.shelf.keep(JSON.stringify(state));
    } catch (error) {
      this.#needs.log.failure("discord_state_failed", error);
    } finally {
      this.#writing = false;
    }
    if (this.#changed) this.touch();
  }
}
