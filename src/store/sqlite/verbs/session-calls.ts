import type { ScheduleVerbs } from "../../schedule-store.ts";
import type { SessionVerbs } from "../../session-store.ts";
import type { Batcher } from "../batcher.ts";
import { createScheduleVerbs } from "./schedule-verbs.ts";

/** What agents keep: their sessions' verbs and their schedules' as calls of the writer. */
export function createAgentVerbs(batcher: Pick<Batcher, "call">): { readonly sessions: SessionVerbs; readonly schedules: ScheduleVerbs } {
  const sessions: SessionVerbs = {
    open: (row) => batcher.call({ verb: "openSession", row }),
    append: (row) => batcher.call({ verb: "appendEntries", row }),
    fork: (row) => batcher.call({ verb: "forkSession", row }),
    keepNote: (row) => batcher.call({ verb: "keepNote", row }),
  };
  return { sessions, schedules: createScheduleVerbs(batcher) };
}
