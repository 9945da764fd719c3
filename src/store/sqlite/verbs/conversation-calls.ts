import type { ConversationReader, ConversationVerbs } from "../../conversation-store.ts";
import type { Batcher } from "../batcher.ts";
import { numberIn } from "../rows/columns.ts";
import { readPutAside } from "../rows/inbox-rows.ts";
import { NUMBER_OF } from "../rows/numbers.ts";
import type { Statements } from "../rows/statements.ts";
import { heardLately } from "../rows/heard-lately.ts";
import { postedAs, takingBack } from "./take-back-verbs.ts";

/** Verbs of conversations as calls of the writer; `erased` is told when lines changed that somebody may hold copies of. */
export function createConversationVerbs(batcher: Pick<Batcher, "call">, erased: () => void): ConversationVerbs {
  return {
    async reset(row) {
      const emptied = await batcher.call({ verb: "reset", row });
      erased();
      return emptied;
    },
    async takeBack(row) {
      const result = await batcher.call({ verb: "takeBack", row });
      if (result.kind === "taken") erased();
      return result;
    },
    async catchUp(place) {
      const missed = await batcher.call({ verb: "catchUp", row: { place } });
      if (missed.length > 0) erased();
      return missed;
    },
    async tookBack(row) {
      await batcher.call({ verb: "tookBack", row });
    },
  };
}

/** Reads of conversations over a connection. */
export function createConversationReader(sql: () => Statements): ConversationReader {
  return {
    posted: (message) => postedAs(sql(), message),
    putAside(id) {
      const row = sql().get(NUMBER_OF, { id });
      return row === null ? [] : readPutAside(sql(), numberIn(row, "n"));
    },
    takingBack: () => takingBack(sql()),
    heardLately: (character, limit, place) => heardLately(sql(), { character, limit, place: place ?? null }),
  };
}
