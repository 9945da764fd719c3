import { STOP_ANSWER } from "../../agents/agent-voice.ts";
import type { LiveTurns } from "../../agents/live-turns.ts";
import type { Clock } from "../../foundation/clock.ts";
import { sessionOf } from "../../operations/card-view.ts";
import type { TurnView, TurnsLedger } from "../../operations/turns.ts";
import type { Road } from "../../road/road.ts";
import type { AskRecord } from "../../store/call-store.ts";
import type { Store } from "../../store/store.ts";
import { parseAsk } from "../../vocabulary/calls/ask.ts";
import type { SessionId } from "../../vocabulary/ids.ts";
import { parseSessionId } from "../../vocabulary/ids.ts";
import type { PrincipalId } from "../../vocabulary/principal.ts";

/** What turns of agents stand on. */
export interface TurnsFloors {
  readonly clock: Pick<Clock, "nowMs">;
  readonly store: Pick<Store, "read">;
  readonly live: Pick<LiveTurns, "now" | "stop">;
  readonly resume: Road["resume"];
}

/** What runs and what waits, session by session. */
export function turnsLedger({ clock, store, live, resume }: TurnsFloors): TurnsLedger {
  const waiting = (): readonly AskRecord[] => store.read.calls.pending(clock.nowMs());
  // What a program proposes waits in no agent's session.
  const isOf = (session: string, whose: PrincipalId | null): boolean => {
    const id = sessionIdOf(session);
    const facts = id === null ? null : store.read.sessions.facts(id);
    return facts !== null && (whose === null || facts.person === whose);
  };
  return {
    list: (whose) =>
      [
        ...live.now().map(({ session, doing, sinceMs, starter, startedAtMs, requests }): TurnView => ({
          session,
          doing: doing.kind,
          tool: doing.kind === "calling" ? doing.tool : null,
          sinceMs,
          question: null,
          starter,
          startedAtMs,
          requests,
        })),
        ...waiting().flatMap((one) => waitingView(one)),
      ].filter(({ session }) => isOf(session, whose)),
    async stop(session, by, whose) {
      const id = sessionIdOf(session);
      const known = id === null ? null : store.read.sessions.facts(id);
      if (known === null || (whose !== null && known.person !== whose)) return false;
      const ran = live.stop(known.id);
      let ended = 0;
      for (const { approval, digest, person, call } of waiting())
        if (person === by && sessionOf(call) === known.id && (await resume({ approval, digest, person, answer: STOP_ANSWER }))) ended += 1;
      return ran || ended > 0;
    },
  };
}

function waitingView({ call, number, askedAtMs }: AskRecord): readonly TurnView[] {
  const session = sessionOf(call);
  if (session === null) return [];
  const tool = parseAsk(call)?.tool ?? null;
  return [{ session, doing: "waiting", tool, sinceMs: askedAtMs, question: number, starter: null, startedAtMs: null, requests: null }];
}

/** Whether a text is the id of a kept session. */
export function isKeptSession({ read }: Pick<Store, "read">, text: string): boolean {
  const id = sessionIdOf(text);
  return id !== null && read.sessions.facts(id) !== null;
}

function sessionIdOf(text: string): SessionId | null {
  return /^s-[0-9a-z]{4,32}$/.test(text) ? parseSessionId(text) : null;
}
