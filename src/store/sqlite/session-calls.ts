import type { SessionVerbs } from "../session-store.ts";
import type { Batcher } from "./batcher.ts";

/** Sessions' verbs as calls of the writer. */
export function createSessionVerbs(batcher: Pick<Batcher, "call">): SessionVerbs {
  return {
    open: (row) => batcher.call({ verb: "openSession", row }),
    append: (row) => batcher.call({ verb: "appendEntries", row }),
    fork: (row) => batcher.call({ verb: "forkSession", row }),
    keepNote: (row) => batcher.call({ verb: "keepNote", row }),
  };
}
