import { z } from "zod";
import { isRuntimeError } from "../../foundation/errors.ts";
import type { ActionFacts } from "../../vocabulary/calls/authorized-action.ts";
import type { Missed } from "../../vocabulary/calls/schedule.ts";
import { MAX_SCHEDULE_BYTES, MISSED } from "../../vocabulary/calls/schedule.ts";
import type { ToolClasses } from "../../vocabulary/calls/tool-definition.ts";
import { WHEN_FORM, nextTimes, parseQuiet, parseWhen } from "../schedule/when.ts";
import { parseZone, wallText } from "../schedule/zoned-time.ts";
import type { Tool, ToolOutput } from "./tool.ts";
import { defineTool } from "./tool.ts";

/** Schedules that an agent's line may come to by its tools; its person may make more. */
export const MAX_OWN_SCHEDULES = 32;
const SHOWN_TIMES = 3;
const MAX_RULE = 80;

/** A schedule as its agent is told of it. */
export interface OwnSchedule {
  readonly id: string;
  readonly rule: string;
  readonly zone: string;
  readonly does: "say" | "session";
  readonly words: string;
  /** The next times, as that zone's clocks show them. */
  readonly next: readonly string[];
}

/** What is to be added. */
export interface OwnScheduleWish {
  readonly rule: string;
  readonly zone: string;
  readonly quiet: string | null;
  readonly does: "say" | "session";
  readonly words: string;
  readonly missed: Missed;
}

/** The schedules of the line that a session is of. */
export interface OwnSchedules {
  list(session: ActionFacts["session"]): readonly OwnSchedule[];
  /** Keep one; `others` where somebody else's words are in the session and it would be handed back as its person's, `full` beyond the bound. */
  add(session: ActionFacts["session"], wish: OwnScheduleWish): Promise<OwnSchedule | "others" | "full" | "gone">;
  remove(session: ActionFacts["session"], id: string, by: ActionFacts["person"]): Promise<boolean>;
}

const READS: ToolClasses = { untrusted: false, sensitive: true, changes: "nothing" };
const WRITES: ToolClasses = { untrusted: false, sensitive: false, changes: "state" };

const isOf =
  (parse: (text: string) => unknown) =>
  (text: string): boolean => {
    try {
      parse(text);
      return true;
    } catch (error) {
      if (!isRuntimeError(error, "usage")) throw error;
      return false;
    }
  };

const wish = z.strictObject({
  rule: z.string().max(MAX_RULE).refine(isOf(parseWhen)),
  zone: z.string().max(64).refine(isOf(parseZone)),
  does: z.enum(["say", "work"]),
  words: z
    .string()
    .min(1)
    .refine((text) => Buffer.byteLength(text) <= MAX_SCHEDULE_BYTES),
  quiet: z.string().max(20).refine(isOf(parseQuiet)).optional(),
  missed: z.enum(MISSED).optional(),
});

const text = (description: string, maxLength: number, ...examples: readonly string[]): object => ({
  type: "string",
  description,
  maxLength,
  ...(examples.length === 0 ? {} : { examples }),
});

/**
 * Schedules that an agent makes for its person: a list, add, cancel. Adding always asks, and the card shows the next times. What they do
 * they do with no tool: a word that lets one call a tool is given by the person alone (TR-015).
 */
export function scheduleTools(schedules: OwnSchedules): readonly Tool[] {
  return [
    defineTool({
      name: "schedule_list",
      description: "List what happens on this line by the clock.",
      parameters: { type: "object", properties: {}, additionalProperties: false },
      arguments: z.strictObject({}),
      capability: "schedule",
      classes: READS,
      verdict: "allow",
      scopes: [],
      run: (_args, { session }) => {
        const all = schedules
          .list(session)
          .map((one) => `${one.id} ${one.rule} ${one.zone}, ${one.does}: ${one.words}\n  ${nextOf(one.next)}`);
        return Promise.resolve(ok(all.length === 0 ? "Nothing happens by the clock." : all.join("\n")));
      },
    }),
    addTool(schedules),
    cancelTool(schedules),
  ];
}

function addTool(schedules: OwnSchedules): Tool {
  return defineTool({
    name: "schedule_add",
    description: `Let something happen on this line by the clock. The person is asked first. A rule is written ${WHEN_FORM}.`,
    parameters: {
      type: "object",
      properties: {
        rule: text("When.", MAX_RULE, "weekdays 8:00"),
        zone: text("Whose clocks count: an IANA time zone.", 64, "Europe/Zurich"),
        does: { type: "string", enum: ["say", "work"], description: "say: the words are said as they are; work: you are given them then." },
        words: text("What is said, or what you are to do.", MAX_SCHEDULE_BYTES),
        quiet: text("Hours in which nothing happens.", 20, "22:00-7:00"),
        missed: { type: "string", enum: [...MISSED], description: "A time that passed while nothing ran: once without it." },
      },
      required: ["rule", "zone", "does", "words"],
      additionalProperties: false,
    },
    arguments: wish,
    capability: "schedule",
    classes: WRITES,
    verdict: "ask",
    scopes: [],
    foretells: ({ rule, zone, quiet }, nowMs) => foretold({ rule, zone, quiet: quiet ?? null }, nowMs),
    run: async ({ rule, zone, does, words, quiet = null, missed = "once" }, { session }) => {
      const made = await schedules.add(session, { rule, zone, quiet, does: does === "work" ? "session" : "say", words, missed });
      if (typeof made !== "string") return ok(`Added ${made.id}. ${nextOf(made.next)}`);
      if (made === "others")
        return failed(
          "somebody else's words are in this conversation: only the person can make a schedule that works, with troupe schedule add",
        );
      return failed(made === "full" ? `there is no room: at most ${MAX_OWN_SCHEDULES} of this line` : "no such time comes any more");
    },
  });
}

function cancelTool(schedules: OwnSchedules): Tool {
  return defineTool({
    name: "schedule_cancel",
    description: "End a schedule of this line. Its rule is given as well, so that its person sees what ends.",
    parameters: {
      type: "object",
      properties: { id: text("Its id, as schedule_list shows it.", 40), rule: text("Its rule, to the letter.", MAX_RULE) },
      required: ["id", "rule"],
      additionalProperties: false,
    },
    arguments: z.strictObject({ id: z.string().max(40), rule: z.string().max(MAX_RULE) }),
    capability: "schedule",
    classes: WRITES,
    verdict: "allow",
    scopes: [],
    run: async ({ id, rule }, { session, person }) => {
      const found = schedules.list(session).find((one) => one.id === id);
      if (found?.rule !== rule) return failed("there is no schedule of that id and rule; schedule_list shows what there is");
      return (await schedules.remove(session, id, person)) ? ok("Ended.") : failed("it has ended already");
    },
  });
}

function foretold({ rule, zone, quiet }: Pick<OwnScheduleWish, "rule" | "zone" | "quiet">, nowMs: number): readonly string[] {
  const times = nextTimes(parseWhen(rule), zone, { afterMs: nowMs, count: SHOWN_TIMES, quiet: quiet === null ? null : parseQuiet(quiet) });
  return times.length === 0
    ? ["It never happens: no such time comes any more."]
    : times.map((ms) => `It happens at ${wallText(ms, zone)} ${zone}.`);
}

function nextOf(next: readonly string[]): string {
  return next.length === 0 ? "It never happens again." : `Next: ${next.join(", then ")}.`;
}

const ok = (words: string): ToolOutput => ({ text: words, failed: false });
const failed = (words: string): ToolOutput => ({ text: `Error: ${words}`, failed: true });
