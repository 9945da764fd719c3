/** Bytes of heap a lane takes, idle and waiting, with keys of 70 characters: `node --expose-gc bench/lanes.ts [lanes]`. */
import { TaskGroup } from "../src/foundation/task-group.ts";
import { systemClock } from "../src/foundation/clock.ts";
import type { LaneFacts } from "../src/road/2-lanes/lanes.ts";
import { Lanes } from "../src/road/2-lanes/lanes.ts";
import type { Timing } from "../src/surfaces/surface.ts";
import { parseCharacterId, parseSurfaceName } from "../src/vocabulary/ids.ts";
import { CEILINGS } from "../src/vocabulary/limits.ts";
import { directPlace } from "../src/vocabulary/place.ts";
import { parsePrincipalId } from "../src/vocabulary/principal.ts";

interface Item {
  readonly row: LaneFacts;
}

const HELD: Timing = { quietMs: 60_000, holdMs: 60_000, fragments: 8 };
const AT_ONCE: Timing = { quietMs: 0, holdMs: 0, fragments: 8 };
const CHARACTER = parseCharacterId("mirelle");
const SURFACE = parseSurfaceName("parlour");

const count = Number(process.argv[2] ?? 4_096);
const collect = (): number => {
  for (let time = 0; time < 4; time += 1) globalThis.gc?.();
  return process.memoryUsage().heapUsed;
};

/** A person whose lane has a key of 70 characters (with the character and the two separators). */
function itemOf(number: number): Item {
  const person = parsePrincipalId(`room:${String(number).padStart(18, "0")}`);
  return { row: { character: CHARACTER, place: directPlace(SURFACE, CHARACTER, person), person, class: "talk", role: "trusted" } };
}

function open(timing: Timing): Lanes<Item> {
  const tasks = new TaskGroup({ clock: systemClock, joinMs: 1_000, onFailure: (error) => console.error(error) });
  return new Lanes<Item>({
    tasks,
    clock: systemClock,
    limits: CEILINGS,
    isNamed: () => false,
    positionOf: () => null,
    fragments: { timing: () => timing, mayJoin: () => true, bytes: () => 20 },
    run: () => Promise.resolve(),
  });
}

if (globalThis.gc === undefined) throw new RangeError("Cannot measure: run it with --expose-gc");
// The items themselves are the callers': made before, so that only what the lanes add is counted.
const items = Array.from({ length: count }, (_, number) => itemOf(number));
const keyCharacters = [CHARACTER, items[0]?.row.place.id, items[0]?.row.person].join("\n").length;

using held = open(HELD);
const before = collect();
for (const item of items) held.enqueue(item);
const waiting = (collect() - before) / count;

using idle = open(AT_ONCE);
for (const item of items.slice(0, 64)) idle.enqueue(item);
await new Promise((resolve) => setImmediate(resolve));
const quiet = collect();
for (const item of items) {
  idle.enqueue(item);
  await Promise.resolve();
}
await new Promise((resolve) => setImmediate(resolve));
const left = (collect() - quiet) / count;
console.log(
  `${count} lanes, keys of ${keyCharacters} characters: ${waiting.toFixed(0)} B a waiting lane with its timer, ${left.toFixed(1)} B an idle one`,
);
console.log(`lanes held: ${held.counts.lanes}, lanes that were idle: ${idle.counts.lanes}`);
