import { z } from "zod";
import { RuntimeError } from "../foundation/errors.ts";
import { columns, line, toned } from "../foundation/line.ts";
import { printable } from "../foundation/printable.ts";
import type { PrincipalId } from "../vocabulary/principal.ts";
import type { Declared, Operation } from "./operation.ts";
import { OPERATORS_LINE, declare } from "./operation.ts";

const ACTS = ["list", "stop"] as const;
const DOINGS = ["begins", "thinking", "judging", "calling", "waiting"] as const;

/** Arguments of `turns`. */
export interface TurnsArguments {
  readonly act?: (typeof ACTS)[number] | undefined;
  readonly session?: string | undefined;
}

/** What an agent is at in one session. */
export interface TurnView {
  readonly session: string;
  /** `waiting` stands for a turn that holds nothing until a question is answered; the others run now. */
  readonly doing: (typeof DOINGS)[number];
  /** The tool whose call runs or is asked about; null for none. */
  readonly tool: string | null;
  /** Since when it is at that. */
  readonly sinceMs: number;
  /** The number of the question that waits; null while it runs. */
  readonly question: number | null;
  /** What made it run; null while it waits. */
  readonly starter: string | null;
  readonly startedAtMs: number | null;
  /** Requests to the model so far; null while it waits. */
  readonly requests: number | null;
}

/** Result of `turns`. */
export interface TurnsAnswer {
  readonly done: (typeof ACTS)[number];
  readonly turns: readonly TurnView[];
  readonly nowMs: number;
}

/** What runs and waits, and who can end it. */
export interface TurnsLedger {
  /** Of one person's sessions, or of all. */
  list(whose: PrincipalId | null): readonly TurnView[];
  /** End what runs in a session, and what waits there for this person; false when nothing does. `whose`: as above. */
  stop(session: string, by: PrincipalId, whose: PrincipalId | null): Promise<boolean>;
}

/** `troupe turns`: what agents are at, and the way to end one (TR-007). */
export const turns: Declared<TurnsArguments, TurnsAnswer> = declare<TurnsArguments, TurnsAnswer>({
  name: "turns",
  summary: "tell what the agents are doing now, or stop one",
  arguments: z.strictObject({
    act: z.enum(ACTS).optional().describe("list or stop; list without it"),
    session: z.string().max(40).optional().describe("with stop: whose turn, by the id of its session"),
  }),
  positional: ["act", "session"],
  who: OPERATORS_LINE,
  result: z.object({
    done: z.enum(ACTS),
    turns: z.array(
      z.object({
        session: z.string(),
        doing: z.enum(DOINGS),
        tool: z.string().nullable(),
        sinceMs: z.number(),
        question: z.int().nullable(),
        starter: z.string().nullable(),
        startedAtMs: z.number().nullable(),
        requests: z.int().nullable(),
      }),
    ),
    nowMs: z.number(),
  }),
  render: ({ done, turns: all, nowMs }) => [
    ...(done === "stop" ? [toned("good", line`Stopped.`)] : []),
    ...(all.length === 0 ? [line`No agent is at work.`] : columns(all.map((one) => rowOf(one, nowMs)))),
  ],
});

const WORDS: Readonly<Record<TurnView["doing"], string>> = {
  begins: "begins",
  thinking: "waits for its model",
  judging: "has calls judged",
  calling: "runs",
  waiting: "waits for your answer",
};

function rowOf({ session, doing, tool, sinceMs, question }: TurnView, nowMs: number): readonly ReturnType<typeof printable>[] {
  const seconds = Math.max(0, Math.round((nowMs - sinceMs) / 1_000));
  return [
    printable(session),
    printable(`${WORDS[doing]}${tool === null ? "" : ` ${tool}`}${question === null ? "" : ` (question ${question})`}`),
    printable(`for ${seconds} s`),
  ];
}

/** Bind it to what runs. Away from the own machine everybody sees and stops what is at work in sessions of their own lines alone. */
export function bindTurns(ledger: TurnsLedger, clock: { nowMs(): number }): Operation {
  return turns.bind(async ({ act = "list", session }, { actor }): Promise<TurnsAnswer> => {
    const whose = actor.assurance === "local" ? null : actor.principal;
    if (act === "stop") {
      if (session === undefined) throw new RuntimeError("usage", "Cannot stop: say whose turn, by the id of its session");
      if (!(await ledger.stop(session.trim(), actor.principal, whose)))
        throw new RuntimeError("not_found", "Cannot stop: nothing runs or waits in that session");
    }
    return { done: act, turns: ledger.list(whose), nowMs: clock.nowMs() };
  });
}
