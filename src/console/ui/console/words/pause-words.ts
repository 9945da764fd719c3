import type { PauseView } from "../../../../operations/pause.ts";
import { clockTime, secondTime } from "../../words/times.ts";
import { characterName, placeName } from "./places.ts";
import type { Known } from "./places.ts";
import { when } from "./when.ts";

/** The owner's own id: what the console and the terminal act as. */
const OWNER = "local:owner";

/** Whether everything is paused, whatever else is. */
export function isAllPaused(paused: readonly PauseView[]): boolean {
  return paused.some(({ character, place }) => character === null && place === null);
}

/** What a pause keeps silent: `Mirelle is silent in The Foyer`, `Nothing is answered`. */
export function silence({ character, place }: Pick<PauseView, "character" | "place">, known: Known | null): string {
  const where = place === null ? "" : ` in ${placeName(place, known)}`;
  if (character !== null) return `${characterName(character, known)} is silent${where === "" ? " everywhere" : where}`;
  return `Nothing is answered${where}`;
}

/** Who paused, when, and until when. */
export function pausedBy({ by, atMs, untilMs }: PauseView, nowMs: number): string {
  const who = by === OWNER ? "You" : by;
  const until = untilMs === null ? "until somebody resumes" : `until ${when(untilMs, nowMs)}`;
  return `${who} paused it at ${isSameDay(atMs, nowMs) ? secondTime(atMs) : when(atMs, nowMs)}, ${until}.`;
}

/** The same pause as a command. */
export function pauseCommand(choice: {
  readonly character: string | null;
  readonly place: string | null;
  readonly span: string | null;
}): string {
  const parts = [
    "troupe pause",
    choice.character === null ? "" : `--character ${choice.character}`,
    choice.place === null ? "" : `--place ${choice.place}`,
    choice.span === null ? "" : `--for ${choice.span}`,
  ];
  return parts.filter((part) => part !== "").join(" ");
}

function isSameDay(atMs: number, nowMs: number): boolean {
  return when(atMs, nowMs) === clockTime(atMs);
}
