import { z } from "zod";
import type { Clock } from "../foundation/clock.ts";
import { RuntimeError } from "../foundation/errors.ts";
import type { Line } from "../foundation/line.ts";
import { columns, line, text, toned } from "../foundation/line.ts";
import type { Printable } from "../foundation/printable.ts";
import { printable } from "../foundation/printable.ts";
import { parseCharacterId, parseSurfaceName } from "../vocabulary/ids.ts";
import type { Pause } from "../vocabulary/pause.ts";
import { publicPlace } from "../vocabulary/place.ts";
import type { PrincipalId } from "../vocabulary/principal.ts";
import type { Declared, Operation } from "./operation.ts";
import { OWNER_ONLY, declare } from "./operation.ts";
import { SPAN_FORM, parseSpan } from "./span.ts";

/** Arguments of `pause`. */
export interface PauseArguments {
  readonly character?: string | undefined;
  readonly place?: string | undefined;
  readonly for?: string | undefined;
}
/** Arguments of `resume`. */
export interface ResumeArguments {
  readonly character?: string | undefined;
  readonly place?: string | undefined;
  readonly all?: boolean | undefined;
}

/** One pause, as data. */
export interface PauseView {
  /** Id of the character; null for all. */
  readonly character: string | null;
  /** Name of a surface, or id of a public place; null for everywhere. */
  readonly place: string | null;
  readonly by: string;
  readonly atMs: number;
  /** Null until somebody resumes. */
  readonly untilMs: number | null;
}

/** Result of both: what is paused from now on. */
export interface PausesAnswer {
  readonly paused: readonly PauseView[];
  /** How many pauses this call set or ended. */
  readonly changed: number;
}

/** Where pauses are kept, and what can be named. */
export interface PauseLedger {
  pauses(): readonly Pause[];
  pause(pause: Pause): Promise<void>;
  unpause(row: Pick<Pause, "character" | "place" | "atMs"> & { readonly by: PrincipalId }): Promise<{ readonly resumed: number }>;
  characters(): readonly string[];
  surfaces(): readonly string[];
}

/** Checks a {@link PauseView}. */
export const pauseView: z.ZodType<PauseView> = z.object({
  character: z.string().nullable(),
  place: z.string().nullable(),
  by: z.string(),
  atMs: z.number(),
  untilMs: z.number().nullable(),
});

const result = z.object({ paused: z.array(pauseView), changed: z.int() });
const character = z.string().max(40).optional().describe("the character's id; everyone without it");
const place = z.string().max(200).optional().describe("a surface's name, or public:<surface>:<channel>; everywhere without it");

/** `troupe pause`: talk that is paused is not answered, also after a restart; people's own commands still are. */
export const pause: Declared<PauseArguments, PausesAnswer> = declare<PauseArguments, PausesAnswer>({
  name: "pause",
  summary: "stop answering: a character, a place, both together, or everything",
  arguments: z.strictObject({
    character,
    place,
    for: z.string().max(10).optional().describe(`how long, as ${SPAN_FORM}; until you resume without it`),
  }),
  positional: [],
  who: OWNER_ONLY,
  result,
  render: ({ paused }) => [toned("strong", line`Paused:`), ...rowsOf(paused)],
});

/** `troupe resume`. */
export const resume: Declared<ResumeArguments, PausesAnswer> = declare<ResumeArguments, PausesAnswer>({
  name: "resume",
  summary: "answer again what was paused",
  arguments: z.strictObject({
    character,
    place,
    all: z.boolean().optional().describe("end every pause"),
  }),
  positional: [],
  who: OWNER_ONLY,
  result,
  render: ({ paused, changed }) => [
    toned("good", changed === 1 ? line`1 pause ended.` : line`${changed} pauses ended.`),
    ...(paused.length === 0 ? [line`Nothing is paused.`] : [line`Still paused:`, ...rowsOf(paused)]),
  ],
});

function rowsOf(paused: readonly PauseView[]): readonly Line[] {
  return columns(paused.map((one) => [printable(one.character ?? "everyone"), printable(one.place ?? "everywhere"), untilOf(one)]));
}

function untilOf({ untilMs, by }: PauseView): Printable {
  const end = untilMs === null ? printable("until you resume") : printable(`until ${new Date(untilMs).toISOString().slice(0, 19)}Z`);
  return text`${end}, by ${printable(by)}`;
}

/** Bind both to where pauses are kept. */
export function bindPause(ledger: PauseLedger, clock: Clock): readonly Operation[] {
  const answer = (changed: number): PausesAnswer => ({ paused: ledger.pauses().map((one) => ({ ...one })), changed });
  return [
    pause.bind(async (args, { actor }) => {
      const atMs = clock.nowMs();
      const untilMs = args.for === undefined ? null : atMs + parseSpan(args.for);
      await ledger.pause({ ...namedIn(args, ledger, "pause"), by: actor.principal, atMs, untilMs });
      return answer(1);
    }),
    resume.bind(async (args, { actor }) => {
      const by = { by: actor.principal, atMs: clock.nowMs() };
      if (args.all === true && (args.character !== undefined || args.place !== undefined))
        throw new RuntimeError("usage", "Cannot resume: name a character or a place, or --all, not both");
      const wanted = args.all === true ? [...ledger.pauses()] : [namedIn(args, ledger, "resume")];
      let resumed = 0;
      for (const each of wanted) resumed += (await ledger.unpause({ character: each.character, place: each.place, ...by })).resumed;
      if (resumed === 0)
        throw new RuntimeError("not_found", "Cannot resume: nothing of just that name is paused; troupe status lists what is");
      return answer(resumed);
    }),
  ];
}

/** Only what the configuration names can be paused, so that a slip of the pen does not look like a pause. */
function namedIn(args: ResumeArguments, ledger: PauseLedger, act: string): Pick<Pause, "character" | "place"> {
  const named = <Word extends string>(word: string | undefined, there: readonly Word[], what: string): Word | null => {
    if (word === undefined) return null;
    const found = there.find((one) => one === word);
    if (found === undefined)
      throw new RuntimeError("not_found", `Cannot ${act} that: there is no ${what} of that name. There is: ${there.join(", ")}`);
    return found;
  };
  const who = named(args.character, ledger.characters(), "character");
  const [surface, channel] = splitPlace(args.place);
  const where = named(surface, ledger.surfaces(), "surface");
  const inPlace = where === null ? null : parseSurfaceName(where);
  return {
    character: who === null ? null : parseCharacterId(who),
    place: inPlace !== null && channel !== undefined ? publicPlace(inPlace, channel).id : inPlace,
  };
}

/** `parlour`, `public:parlour` and `public:parlour:thread`, as `why` shows places. */
function splitPlace(written: string | undefined): readonly [surface: string | undefined, channel: string | undefined] {
  if (written?.startsWith("public:") !== true) return [written, undefined];
  const [, surface, ...channel] = written.split(":");
  return [surface, channel.length === 0 ? undefined : channel.join(":")];
}
