import { nextDue, nextTimes, parseQuiet, parseWhen } from "../../agents/schedule/when.ts";
import { parseZone, wallText } from "../../agents/schedule/zoned-time.ts";
import type { Authority } from "../../authority/authority.ts";
import { RuntimeError } from "../../foundation/errors.ts";
import type { ScheduleView, ScheduleWish, SchedulesLedger } from "../../operations/schedule.ts";
import type { Road } from "../../road/road.ts";
import type { Schedules } from "../../road/triggers/schedules.ts";
import { openSchedules } from "../../road/triggers/schedules.ts";
import type { Store } from "../../store/store.ts";
import { TERMINAL } from "../../surfaces/terminal/terminal.ts";
import type { CharacterId, GrantId } from "../../vocabulary/ids.ts";
import { parseGrantId, parseMessageId, parseScheduleId } from "../../vocabulary/ids.ts";
import { directPlace } from "../../vocabulary/place.ts";
import type { Schedule } from "../../vocabulary/calls/schedule.ts";
import type { ComposeOptions } from "../compose-options.ts";

/** Days that an operator's word for a schedule counts. */
const GRANT_MS = 90 * 86_400_000;
const GRANT_USES = 1_000;
const SHOWN_TIMES = 3;

/** What schedules stand on. */
export interface ScheduleFloors {
  readonly store: Store;
  /** Let a row run that is kept. */
  readonly takeUp: Road["takeUp"];
  readonly authority: Pick<Authority, "roleOf">;
  /** Names of the tools there are. */
  readonly tools: () => readonly string[];
}

/** What happens by the clock: the ledger that its command works on, and the watch. */
export interface Scheduling {
  readonly ledger: SchedulesLedger;
  /** Watch the clock, once the road is open. */
  begin(): Schedules;
}

/** Schedules over the store and the road. Nothing happens before it is begun. */
export function openScheduling(options: ComposeOptions, floors: ScheduleFloors): Scheduling {
  const { store, takeUp, authority } = floors;
  const { clock, log, ids } = options.floor;
  let schedules: Schedules | null = null;
  const begin = (): Schedules =>
    openSchedules({
      clock,
      log,
      store: { list: () => store.read.schedules.list(), fire: (row) => store.schedules.fire(row) },
      nextOf: (schedule, afterMs) => nextDue(parseWhen(schedule.rule), schedule.zone, afterMs, quietOf(schedule)),
      // With the authority that its person has now; a schedule is made at the own machine alone (TR-015).
      rowOf: ({ person }) =>
        authority.roleOf(person) === "operator" && store.read.halted() === null
          ? { id: parseMessageId(ids.next("m")), role: "operator", assurance: "local" }
          : null,
      takeUp,
    });
  const list = (): readonly Schedule[] => store.read.schedules.list();
  return {
    begin: () => (schedules = begin()),
    ledger: {
      list: () => list().map((one) => viewOf(one, store, clock.nowMs())),
      async add(wish) {
        const schedule = await scheduleOf(wish, options, floors);
        const { kept } = await store.schedules.keep(schedule);
        if (kept) schedules?.changed();
        return kept ? viewOf(schedule, store, clock.nowMs()) : null;
      },
      async remove(id, by) {
        const found = list().find((one) => one.id === id);
        if (found === undefined) return false;
        if (found.grant !== null) await store.calls.ungrant({ grant: found.grant, by, atMs: clock.nowMs() });
        return (await store.schedules.drop(found.id)).dropped;
      },
    },
  };
}

function quietOf({ quiet }: Pick<Schedule, "quiet">): ReturnType<typeof parseQuiet> | null {
  return quiet === null ? null : parseQuiet(quiet);
}

async function scheduleOf(wish: ScheduleWish, options: ComposeOptions, floors: ScheduleFloors): Promise<Schedule> {
  const { clock, ids } = options.floor;
  const zone = parseZone(wish.zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone);
  const { rule, quiet, does, words, missed, by } = wish;
  const nextAtMs = nextDue(parseWhen(rule), zone, clock.nowMs(), quietOf(wish));
  if (nextAtMs === null) throw new RuntimeError("usage", "Cannot add that schedule: no such time comes any more");
  const character = characterOf(wish, options);
  const grant = wish.may === null ? null : await granted(wish.may, { wish, character }, { options, floors });
  return {
    id: parseScheduleId(ids.next("c")),
    character,
    person: by,
    place: directPlace(TERMINAL, character, by).id,
    surface: TERMINAL,
    rule,
    zone,
    quiet,
    does,
    words,
    grant,
    missed,
    createdAtMs: clock.nowMs(),
    nextAtMs,
    lastAtMs: null,
  };
}

/** The operator's word for one tool. A call that asks by itself is never made without somebody there. */
async function granted(
  tool: string,
  of: { readonly wish: ScheduleWish; readonly character: CharacterId },
  { options, floors }: { readonly options: ComposeOptions; readonly floors: ScheduleFloors },
): Promise<GrantId> {
  if (of.wish.does !== "session") throw new RuntimeError("usage", "Cannot allow a tool: words that are said as they are call none");
  if (!floors.tools().includes(tool))
    throw new RuntimeError("usage", `Cannot allow that tool: there is no such tool. There is: ${floors.tools().join(", ")}`);
  const atMs = options.floor.clock.nowMs();
  const grant = parseGrantId(options.floor.ids.next("g"));
  const row = { grant, by: of.wish.by, character: of.character, tool, digest: null, atMs, expiresAtMs: atMs + GRANT_MS, uses: GRANT_USES };
  const { kept } = await floors.store.calls.grant(row);
  if (!kept) throw new RuntimeError("capacity", "Cannot allow a tool: too many are allowed already");
  return grant;
}

function characterOf({ character }: ScheduleWish, { config }: ComposeOptions): CharacterId {
  const known = [...config.current().characters.keys()];
  const found = character === null ? (known.length === 1 ? known[0] : undefined) : known.find((id) => id === character);
  if (found === undefined)
    throw new RuntimeError("usage", `Cannot add a schedule: say whose with --character. There is: ${known.join(", ")}`);
  return found;
}

function viewOf(schedule: Schedule, { read }: Store, nowMs: number): ScheduleView {
  const { id, character, rule, zone, quiet, does, words, missed, grant, nextAtMs } = schedule;
  const times =
    nextAtMs === null ? [] : nextTimes(parseWhen(rule), zone, { afterMs: nextAtMs - 1, count: SHOWN_TIMES, quiet: quietOf(schedule) });
  const may = grant === null ? null : (read.calls.grant(grant, nowMs)?.tool ?? null);
  return { id, character, rule, zone, quiet, does, words, may, missed, next: times.map((ms) => wallText(ms, zone)) };
}
