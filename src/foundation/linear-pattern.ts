import { RuntimeError } from "./errors.ts";
import type { Step } from "./pattern-syntax.ts";
import { readPattern } from "./pattern-syntax.ts";

/** Steps of a pattern that are made ready in the time in which one is followed. */
const READY_PER_STEP = 8;

/** Steps that are left for looking through texts; what is used up here stays used up. */
export interface StepBudget {
  left: number;
}

/**
 * A pattern that is looked for in time proportional to the text, whatever pattern and text are: all ways of a match are followed at
 * once, so there is nothing to go back over. Each look also draws on a budget of steps, the same on every computer.
 */
export class LinearPattern {
  /** The pattern as it was written. */
  readonly source: string;
  readonly #steps: readonly Step[];

  private constructor(source: string, steps: readonly Step[]) {
    this.source = source;
    this.#steps = steps;
  }

  /** Read one. @throws RuntimeError `invalid_argument` with what is wrong, where, and what to write in its place. */
  static parse(source: string): LinearPattern {
    return new LinearPattern(source, readPattern(source));
  }

  /** Whether it stands anywhere in the text. @throws RuntimeError `capacity` when the budget is used up before that is known. */
  isIn(text: string, budget: StepBudget): boolean {
    return new Look(this.#steps, Array.from(text), budget).finds();
  }
}

/** One look through one text. */
class Look {
  readonly #steps: readonly Step[];
  readonly #points: readonly string[];
  readonly #budget: StepBudget;
  /** Steps that are still to be followed; made once, since this is the inside of every loop. */
  readonly #open: Int32Array;

  constructor(steps: readonly Step[], points: readonly string[], budget: StepBudget) {
    this.#steps = steps;
    this.#points = points;
    this.#budget = budget;
    // Each step is followed once at a place and opens two more at most.
    this.#open = new Int32Array(2 * steps.length + 2);
  }

  finds(): boolean {
    // To begin is work too: very many empty texts would cost nearly nothing otherwise.
    this.#spend(Math.ceil(this.#steps.length / READY_PER_STEP));
    let now = new Ways(this.#steps.length);
    let next = new Ways(this.#steps.length);
    for (let at = 0; at <= this.#points.length; at += 1) {
      // A match may begin anywhere.
      if (this.#follow(0, at, now)) return true;
      if (at < this.#points.length && this.#take(at, now, next)) return true;
      [now, next] = [next, now];
      next.clear();
    }
    return false;
  }

  #spend(steps: number): void {
    this.#budget.left -= steps;
    if (this.#budget.left < 0) throw new RuntimeError("capacity", "Cannot look for a pattern: it takes more steps than are left");
  }

  /** Take the code point at a place by every step that does. */
  #take(at: number, now: Ways, next: Ways): boolean {
    const point = this.#points[at] ?? "";
    for (let index = 0; index < now.count; index += 1) {
      const from = now.at(index);
      const step = this.#steps[from];
      if (step?.op === "take" && takes(step, point) && this.#follow(from + 1, at + 1, next)) return true;
    }
    return false;
  }

  /** Go from a step to all that take a code point, without taking one; whether that comes to the end. */
  #follow(from: number, at: number, ways: Ways): boolean {
    const open = this.#open;
    open[0] = from;
    for (let count = 1; count > 0;) {
      count -= 1;
      const index = open[count] ?? 0;
      if (!ways.add(index)) continue;
      this.#spend(1);
      const step = this.#steps[index];
      if (step === undefined || step.op === "done") return true;
      if (step.op === "split") {
        open[count] = step.ways[0];
        open[count + 1] = step.ways[1];
        count += 2;
      } else if (step.op === "at" && isAt(step.where, this.#points, at)) {
        open[count] = index + 1;
        count += 1;
      }
    }
    return false;
  }
}

/** The steps that a match may stand at, each once. */
class Ways {
  readonly #order: Int32Array;
  readonly #marks: Uint8Array;
  #count = 0;

  constructor(steps: number) {
    this.#order = new Int32Array(steps);
    this.#marks = new Uint8Array(steps);
  }

  get count(): number {
    return this.#count;
  }

  at(index: number): number {
    return this.#order[index] ?? 0;
  }

  /** False when it stands there already. */
  add(step: number): boolean {
    if (this.#marks[step] === 1) return false;
    this.#marks[step] = 1;
    this.#order[this.#count] = step;
    this.#count += 1;
    return true;
  }

  clear(): void {
    for (let index = 0; index < this.#count; index += 1) this.#marks[this.at(index)] = 0;
    this.#count = 0;
  }
}

function takes({ test }: Extract<Step, { op: "take" }>, point: string): boolean {
  const code = point.charCodeAt(0);
  return code < test.ascii.length ? test.ascii[code] === 1 : test.other(point);
}

function isAt(where: Extract<Step, { op: "at" }>["where"], points: readonly string[], at: number): boolean {
  if (where === "start") return at === 0;
  if (where === "end") return at === points.length;
  const isEdge = isWord(points[at - 1]) !== isWord(points[at]);
  return (where === "edge") === isEdge;
}

function isWord(point: string | undefined): boolean {
  return point !== undefined && /^\w$/.test(point);
}
