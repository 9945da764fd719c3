import type { OwnSchedule, OwnSchedules } from "../../agents/tools/schedules.ts";
import { MAX_OWN_SCHEDULES } from "../../agents/tools/schedules.ts";
import { isRuntimeError } from "../../foundation/errors.ts";
import type { ScheduleView, SchedulesLedger } from "../../operations/schedule.ts";
import type { Store } from "../../store/store.ts";
import type { SessionId } from "../../vocabulary/ids.ts";
import { LOCAL_OWNER } from "../../vocabulary/principal.ts";
import type { SessionFacts } from "../../vocabulary/calls/session.ts";

/** What schedules of an agent's making stand on. */
export interface OwnSchedulesFloors {
  readonly store: Pick<Store, "read">;
  readonly ledger: () => SchedulesLedger;
  /** Whether somebody else's words are in a session. */
  readonly carriesOthers: (session: SessionFacts) => boolean;
}

/**
 * The schedules of a session's line, made and ended by its agent. A schedule runs with the authority of the own machine, so only the
 * owner's line has any (TR-015). Words that are said later were approved on a card that named whoever shaped them, which is their release;
 * words that the agent would be given back as its person's are taken only where nobody else's are in the session.
 */
export function ownSchedules({ store, ledger, carriesOthers }: OwnSchedulesFloors): OwnSchedules {
  const lineOf = (session: SessionId): SessionFacts | null => {
    const facts = store.read.sessions.facts(session);
    return facts?.person === LOCAL_OWNER ? facts : null;
  };
  const of = (line: SessionFacts): readonly ScheduleView[] =>
    ledger()
      .list()
      .filter(({ character }) => character === line.character);
  return {
    list(session) {
      const line = lineOf(session);
      return line === null ? [] : of(line).map(toldOf);
    },
    async add(session, wish) {
      const line = lineOf(session);
      if (line === null) return "gone";
      if (wish.does === "session" && carriesOthers(line)) return "others";
      if (of(line).length >= MAX_OWN_SCHEDULES) return "full";
      try {
        const kept = await ledger().add({ ...wish, may: null, character: line.character, by: line.person });
        return kept === null ? "full" : toldOf(kept);
      } catch (error) {
        // Between the question and its answer the last such time may have passed.
        if (isRuntimeError(error, "usage")) return "gone";
        throw error;
      }
    },
    async remove(session, id, by) {
      const line = lineOf(session);
      return line !== null && of(line).some((one) => one.id === id) && (await ledger().remove(id, by));
    },
  };
}

function toldOf({ id, rule, zone, does, words, next }: ScheduleView): OwnSchedule {
  return { id, rule, zone, does, words, next };
}
