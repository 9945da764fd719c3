import { z } from "zod";
import { RuntimeError } from "../foundation/errors.ts";
import type { Line } from "../foundation/line.ts";
import { columns, line, toned } from "../foundation/line.ts";
import { printable } from "../foundation/printable.ts";
import type { PrincipalId } from "../vocabulary/principal.ts";
import type { Missed } from "../vocabulary/calls/schedule.ts";
import { MAX_SCHEDULES, MAX_SCHEDULE_BYTES, MISSED } from "../vocabulary/calls/schedule.ts";
import type { Declared, Operation } from "./operation.ts";
import { OWNER_ONLY, declare } from "./operation.ts";

const ACTS = ["add", "list", "remove"] as const;

/** Arguments of `schedule`. */
export interface ScheduleArguments {
  readonly act?: (typeof ACTS)[number] | undefined;
  readonly what?: string | undefined;
  readonly zone?: string | undefined;
  readonly say?: string | undefined;
  readonly session?: string | undefined;
  readonly may?: string | undefined;
  readonly missed?: Missed | undefined;
  readonly quiet?: string | undefined;
  readonly character?: string | undefined;
}

/** A schedule, as data. */
export interface ScheduleView {
  readonly id: string;
  readonly character: string;
  readonly rule: string;
  readonly zone: string;
  readonly quiet: string | null;
  readonly does: "say" | "session";
  readonly words: string;
  /** The tool that its turns may call without a question; null for none. */
  readonly may: string | null;
  readonly missed: Missed;
  /** The next times, at most three, as that zone's clocks show them. */
  readonly next: readonly string[];
}

/** Result of `schedule`: what was done, and the schedules it was about. */
export interface ScheduleAnswer {
  readonly done: (typeof ACTS)[number];
  readonly schedules: readonly ScheduleView[];
}

/** What is to be added. */
export interface ScheduleWish {
  readonly rule: string;
  readonly zone: string | null;
  readonly quiet: string | null;
  readonly does: "say" | "session";
  readonly words: string;
  readonly may: string | null;
  readonly missed: Missed;
  readonly character: string | null;
  readonly by: PrincipalId;
}

/** Where schedules are kept. @throws RuntimeError `usage` for what is no schedule. */
export interface SchedulesLedger {
  list(): readonly ScheduleView[];
  add(wish: ScheduleWish): Promise<ScheduleView | null>;
  remove(id: string, by: PrincipalId): Promise<boolean>;
}

const words = z.string().min(1).max(MAX_SCHEDULE_BYTES).optional();

/** `troupe schedule`. */
export const schedule: Declared<ScheduleArguments, ScheduleAnswer> = declare<ScheduleArguments, ScheduleAnswer>({
  name: "schedule",
  summary: "let a character say something to you, or work for you, by the clock: add, list, remove",
  arguments: z.strictObject({
    act: z.enum(ACTS).optional().describe("add, list or remove; list without it"),
    what: z.string().max(80).optional().describe('with add when, such as "weekdays 8:00"; with remove the id'),
    zone: z.string().max(64).optional().describe("whose clocks count, such as Europe/Zurich; this computer's without it"),
    say: words.describe("words that are said as they are"),
    session: words.describe("words that the agent is given, as if you had said them"),
    may: z.string().max(40).optional().describe("a tool that such a turn may call without a question"),
    missed: z.enum(MISSED).optional().describe("a time that passed while nothing ran: once, skip or ask; once without it"),
    quiet: z.string().max(20).optional().describe("hours in which nothing happens, such as 22:00-7:00"),
    character: z.string().max(40).optional().describe("the character's id, when there are several"),
  }),
  positional: ["act", "what"],
  who: OWNER_ONLY,
  result: z.object({
    done: z.enum(ACTS),
    schedules: z.array(
      z.object({
        id: z.string(),
        character: z.string(),
        rule: z.string(),
        zone: z.string(),
        quiet: z.string().nullable(),
        does: z.enum(["say", "session"]),
        words: z.string(),
        may: z.string().nullable(),
        missed: z.enum(MISSED),
        next: z.array(z.string()),
      }),
    ),
  }),
  render: ({ done, schedules }) => {
    if (done === "remove") return [toned("good", line`Removed.`)];
    if (schedules.length === 0) return [line`There are no schedules. Make one: troupe schedule add "weekdays 8:00" --say "Good morning."`];
    return done === "add" ? schedules.flatMap(added) : columns(schedules.map(rowOf), 0);
  },
});

function added(view: ScheduleView): readonly Line[] {
  const [first = "never", ...later] = view.next;
  return [
    toned("good", line`${printable(view.id)}: ${printable(view.rule)} by the clocks of ${printable(view.zone)}.`),
    line`Next: ${printable(first)}${printable(later.map((one) => `, then ${one}`).join(""))}.`,
    toned("faint", line`End it: troupe schedule remove ${printable(view.id)}`),
  ];
}

function rowOf({ id, character, rule, zone, does, words: said, next }: ScheduleView): readonly ReturnType<typeof printable>[] {
  return [
    printable(id),
    printable(character),
    printable(`${rule} ${zone}`, 120),
    printable(next[0] ?? "never again"),
    printable(`${does}: ${said}`, 60),
  ];
}

function wishOf(args: ScheduleArguments, rule: string, by: PrincipalId): ScheduleWish {
  const { say, session, zone = null, quiet = null, may = null, missed = "once", character = null } = args;
  const said = session ?? say;
  if (said === undefined || (session !== undefined && say !== undefined))
    throw new RuntimeError("usage", "Cannot add a schedule: say either what is said (--say) or what the agent is given (--session)");
  return { rule, zone, quiet, does: session === undefined ? "say" : "session", words: said, may, missed, character, by };
}

/** Bind it to where schedules are kept. */
export function bindSchedule(ledger: SchedulesLedger): Operation {
  return schedule.bind(async (args, { actor }) => {
    const act = args.act ?? "list";
    if (act === "list") return { done: act, schedules: ledger.list() };
    if (args.what === undefined) throw new RuntimeError("usage", `Cannot ${act} a schedule: say ${act === "add" ? "when" : "which one"}`);
    if (act === "remove") {
      if (!(await ledger.remove(args.what.trim(), actor.principal)))
        throw new RuntimeError("not_found", "Cannot remove that schedule: troupe schedule lists what there is");
      return { done: act, schedules: [] };
    }
    const view = await ledger.add(wishOf(args, args.what, actor.principal));
    if (view === null) throw new RuntimeError("capacity", `Cannot add a schedule: at most ${MAX_SCHEDULES} are kept`);
    return { done: act, schedules: [view] };
  });
}
