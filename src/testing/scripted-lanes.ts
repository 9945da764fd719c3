import assert from "node:assert/strict";
import { TaskGroup } from "../foundation/task-group.ts";
import type { LaneFacts } from "../road/2-lanes/lanes.ts";
import { Lanes } from "../road/2-lanes/lanes.ts";
import type { Timing } from "../surfaces/surface.ts";
import type { Limits } from "../vocabulary/limits.ts";
import { CEILINGS } from "../vocabulary/limits.ts";
import { directPlace, publicPlace } from "../vocabulary/place.ts";
import { parsePrincipalId } from "../vocabulary/principal.ts";
import { ManualClock } from "./manual-clock.ts";
import { MIRELLE, PARLOUR } from "./road-fixtures.ts";

/** A line as these lanes know it. */
export interface LaneItem {
  readonly row: LaneFacts;
  readonly name: string;
  readonly text: string;
  readonly position: bigint | null;
  /** Items join only those of the same mark. */
  readonly mark: string;
}

/** Nothing is held or joined. */
export const APART: Timing = { quietMs: 0, holdMs: 0, fragments: 1 };
/** Lines are gathered as in a room. */
export const GATHERED: Timing = { quietMs: 900, holdMs: 4_000, fragments: 8 };

/** Lanes whose runs end when the test says so. */
export interface ScriptedLanes {
  readonly lanes: Lanes<LaneItem>;
  readonly clock: ManualClock;
  readonly running: Map<string, { thought: () => void; end: () => void }>;
  /** Names of the lines of each turn, joined by `+`, in the order in which turns began. */
  readonly started: string[];
  /** End the turn that runs longest; false when none runs. */
  endOne(): boolean;
}

/** Open such lanes. */
export function scriptedLanes(limits: Partial<Limits> = {}, timing: Timing = APART, clock: ManualClock = new ManualClock()): ScriptedLanes {
  const tasks = new TaskGroup({ clock, joinMs: 10, onFailure: (error) => assert.fail(String(error)) });
  const running = new Map<string, { thought: () => void; end: () => void }>();
  const started: string[] = [];
  const lanes = new Lanes<LaneItem>({
    tasks,
    clock,
    limits: { ...CEILINGS, ...limits },
    fragments: { timing: () => timing, mayJoin: (a, b) => a.mark === b.mark, bytes: (one) => Buffer.byteLength(one.text) },
    isNamed: ({ role }) => role === "trusted",
    positionOf: ({ position }) => position,
    run: (items, thought) => {
      const name = items.map((one) => one.name).join("+");
      started.push(name);
      return new Promise<void>((end) => running.set(name, { thought, end }));
    },
  });
  const endOne = (): boolean => {
    for (const [name, run] of running) {
      running.delete(name);
      run.end();
      return true;
    }
    return false;
  };
  return { lanes, clock, running, started, endOne };
}

/** What a test says of a line. */
export interface LaneItemOptions {
  readonly character?: typeof MIRELLE;
  readonly direct?: boolean;
  readonly command?: boolean;
  readonly named?: boolean;
  readonly text?: string;
  readonly position?: number;
  readonly mark?: string;
}

/** A line of somebody. */
export function laneItem(who: string, name: string, options: LaneItemOptions = {}): LaneItem {
  const { character = MIRELLE, position, mark = "" } = options;
  const person = parsePrincipalId(`room:${who}`);
  const place = options.direct === true ? directPlace(PARLOUR, character, person) : publicPlace(PARLOUR);
  const role = options.named === true ? "trusted" : "guest";
  return {
    name,
    text: options.text ?? name,
    position: position === undefined ? null : BigInt(position),
    mark,
    row: { character, place, person, class: options.command === true ? "command" : "talk", role },
  };
}
