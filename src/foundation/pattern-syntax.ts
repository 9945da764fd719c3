import { RuntimeError } from "./errors.ts";

/** Longest pattern, in characters. */
const MAX_CHARACTERS = 2_000;
/** Steps that a pattern may come to, its repetitions written out. */
const MAX_PROGRAM = 2_000;
/** Most times that something may be said to repeat. */
const MAX_REPEAT = 500;
const MAX_DEPTH = 24;
const ASCII = 128;

/** What one code point must be. */
export interface CharacterTest {
  /** For the code points below 128, by number. */
  readonly ascii: Uint8Array;
  /** For all others. */
  readonly other: (codePoint: string) => boolean;
}

/** One step of a pattern: take a code point, go two ways at once, or look where it stands. */
export type Step =
  | { readonly op: "take"; readonly test: CharacterTest }
  | { readonly op: "split"; readonly ways: readonly [number, number] }
  | { readonly op: "at"; readonly where: "start" | "end" | "edge" | "inside" }
  | { readonly op: "done" };

type Node =
  | { readonly kind: "take"; readonly test: CharacterTest }
  | { readonly kind: "at"; readonly where: "start" | "end" | "edge" | "inside" }
  | { readonly kind: "all"; readonly parts: readonly Node[] }
  | { readonly kind: "any"; readonly ways: readonly Node[] }
  | { readonly kind: "repeat"; readonly of: Node; readonly min: number; readonly max: number };

/**
 * Read a pattern into steps that take time in proportion to the text, whatever the text is. The words are those of JavaScript's
 * expressions as far as that can be promised: no look-around, no back-references, no names of groups. `(?i)` in front pays no heed
 * to case; `.` is any character, a line's end too; `^` and `$` are the ends of the text.
 * @throws RuntimeError `invalid_argument` with what is wrong, where, and what to write in its place.
 */
export function readPattern(text: string): readonly Step[] {
  if (text === "") throw refused(0, "it is empty; leave it out");
  if (text.length > MAX_CHARACTERS) throw refused(0, `it is longer than ${MAX_CHARACTERS} characters; make two rules of it`);
  const parser = new PatternParser(text);
  const steps: Step[] = [];
  emit(parser.read(), steps);
  steps.push({ op: "done" });
  return steps;
}

function refused(at: number, why: string): RuntimeError {
  return new RuntimeError("invalid_argument", `Cannot read a pattern: at character ${at + 1} ${why}`);
}

class PatternParser {
  readonly #text: string;
  readonly #ignoresCase: boolean;
  readonly #tests: Map<string, CharacterTest> = new Map();
  #at: number;

  constructor(text: string) {
    this.#text = text;
    this.#ignoresCase = text.startsWith("(?i)");
    this.#at = this.#ignoresCase ? 4 : 0;
  }

  read(): Node {
    const node = this.#alternatives(0);
    if (this.#at < this.#text.length) throw refused(this.#at, "a parenthesis closes that none opened; write \\)");
    return node;
  }

  #alternatives(depth: number): Node {
    if (depth > MAX_DEPTH) throw refused(this.#at, `it is nested deeper than ${MAX_DEPTH}; take parentheses away`);
    const ways = [this.#sequence(depth)];
    while (this.#takes("|")) ways.push(this.#sequence(depth));
    const [only] = ways;
    return ways.length === 1 && only !== undefined ? only : { kind: "any", ways };
  }

  #sequence(depth: number): Node {
    const parts: Node[] = [];
    while (this.#at < this.#text.length && !"|)".includes(this.#here())) parts.push(this.#repeated(this.#atom(depth)));
    return { kind: "all", parts };
  }

  #repeated(of: Node): Node {
    const from = this.#at;
    const bounds = this.#bounds();
    if (bounds === null) return of;
    if (of.kind === "at") throw refused(from, "a place cannot repeat; take the repetition away");
    // Whether as few or as many as can be are taken makes no difference to whether there is a match.
    this.#takes("?");
    if (/^[*+?{]$/.test(this.#here())) throw refused(this.#at, "a repetition repeats; put parentheses around what should");
    return { kind: "repeat", of, ...bounds };
  }

  #bounds(): { readonly min: number; readonly max: number } | null {
    if (this.#takes("*")) return { min: 0, max: Number.POSITIVE_INFINITY };
    if (this.#takes("+")) return { min: 1, max: Number.POSITIVE_INFINITY };
    if (this.#takes("?")) return { min: 0, max: 1 };
    if (this.#here() !== "{") return null;
    const found = /^\{(\d{1,4})(?:(,)(\d{1,4})?)?\}/.exec(this.#text.slice(this.#at));
    if (found === null) throw refused(this.#at, "a brace says no number of times, such as {2,5}; write \\{ for the brace itself");
    const min = Number(found[1]);
    const max = found[2] === undefined ? min : found[3] === undefined ? Number.POSITIVE_INFINITY : Number(found[3]);
    if (max < min) throw refused(this.#at, "the most is less than the least; exchange the two");
    if (Math.max(min, Number.isFinite(max) ? max : 0) > MAX_REPEAT)
      throw refused(this.#at, `it repeats more than ${MAX_REPEAT} times; write * or +`);
    this.#at += found[0].length;
    return { min, max };
  }

  #atom(depth: number): Node {
    const one = this.#here();
    if (/^[*+?{]$/.test(one)) throw refused(this.#at, `nothing stands before the repetition; write \\${one} for the character itself`);
    if (/^[\]}]$/.test(one)) throw refused(this.#at, `a bracket closes that none opened; write \\${one}`);
    switch (one) {
      case "(":
        return this.#group(depth);
      case "[":
        return this.#take(this.#class());
      case "\\":
        return this.#escape();
      case "^":
      case "$":
        this.#at += 1;
        return { kind: "at", where: one === "^" ? "start" : "end" };
      default:
        this.#at += one.length;
        return this.#take(one === "." ? "." : one.replace(/\//, "\\/"));
    }
  }

  #group(depth: number): Node {
    const from = this.#at;
    this.#at += 1;
    if (this.#here() === "?" && !this.#takes("?:"))
      throw refused(from, "look-around, names and flags of groups are not taken; write (?: … ), or (?i) at the very beginning");
    const inner = this.#alternatives(depth + 1);
    if (!this.#takes(")")) throw refused(from, "a parenthesis opens that none closes; write \\( for the character itself");
    return inner;
  }

  #class(): string {
    const from = this.#at;
    for (let at = from + 1; at < this.#text.length; at += 1) {
      if (this.#text[at] === "\\") at += 1;
      else if (this.#text[at] === "]") {
        this.#at = at + 1;
        return this.#text.slice(from, this.#at);
      }
    }
    throw refused(from, "a bracket opens that none closes; write \\[ for the character itself");
  }

  #escape(): Node {
    const from = this.#at;
    const found = /^\\(?:u\{[0-9A-Fa-f]{1,6}\}|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|[pP]\{[A-Za-z_=]{1,40}\}|[^])/u.exec(this.#text.slice(from));
    const word = found?.[0];
    if (word === undefined) throw refused(from, "it ends with a backslash; write two for the character itself");
    this.#at += word.length;
    if (word === "\\b" || word === "\\B") return { kind: "at", where: word === "\\b" ? "edge" : "inside" };
    if (/^\\[1-9k]$/.test(word)) throw refused(from, "what was found before cannot be asked for again; write it out");
    return this.#take(word, from);
  }

  #take(source: string, from: number = this.#at - source.length): Node {
    const known = this.#tests.get(source);
    if (known !== undefined) return { kind: "take", test: known };
    const test = testOf(source, this.#ignoresCase);
    if (test === null) throw refused(from, "something is no character, class or escape; put a backslash before punctuation only");
    this.#tests.set(source, test);
    return { kind: "take", test };
  }

  #here(): string {
    const point = this.#text.codePointAt(this.#at);
    return point === undefined ? "" : String.fromCodePoint(point);
  }

  #takes(word: string): boolean {
    if (!this.#text.startsWith(word, this.#at)) return false;
    this.#at += word.length;
    return true;
  }
}

/** One code point is asked of the language itself: with nothing to repeat it cannot take long. */
function testOf(source: string, ignoresCase: boolean): CharacterTest | null {
  let one: RegExp;
  try {
    one = new RegExp(`^${source}$`, ignoresCase ? "isu" : "su");
  } catch {
    return null; // Its message would quote the pattern; the caller says where it is.
  }
  const ascii = Uint8Array.from({ length: ASCII }, (_, code) => (one.test(String.fromCharCode(code)) ? 1 : 0));
  return { ascii, other: (codePoint) => one.test(codePoint) };
}

function emit(node: Node, steps: Step[]): void {
  if (steps.length > MAX_PROGRAM) throw refused(0, `it comes to more than ${MAX_PROGRAM} steps; let less of it repeat`);
  switch (node.kind) {
    case "take":
      steps.push({ op: "take", test: node.test });
      return;
    case "at":
      steps.push({ op: "at", where: node.where });
      return;
    case "all":
      for (const part of node.parts) emit(part, steps);
      return;
    case "any":
      return emitAny(node.ways, steps);
    case "repeat":
      return emitRepeat(node, steps);
  }
}

/** Each way but the last is a fork: into it, or past it. What follows a way jumps to the end of all, as a fork with one way. */
function emitAny(ways: readonly Node[], steps: Step[]): void {
  const ends: number[] = [];
  for (const [at, way] of ways.entries()) {
    if (at === ways.length - 1) {
      emit(way, steps);
      break;
    }
    const fork = steps.push({ op: "done" }) - 1;
    emit(way, steps);
    ends.push(steps.push({ op: "done" }) - 1);
    steps[fork] = { op: "split", ways: [fork + 1, steps.length] };
  }
  for (const end of ends) steps[end] = { op: "split", ways: [steps.length, steps.length] };
}

function emitRepeat({ of, min, max }: Extract<Node, { kind: "repeat" }>, steps: Step[]): void {
  // Nothing, however often, is nothing: written out it would come to no step that could be counted, and take for ever.
  if (isNothing(of)) return;
  for (let count = 0; count < min; count += 1) emit(of, steps);
  if (!Number.isFinite(max)) {
    const fork = steps.push({ op: "done" }) - 1;
    emit(of, steps);
    steps.push({ op: "split", ways: [fork, fork] });
    steps[fork] = { op: "split", ways: [fork + 1, steps.length] };
    return;
  }
  const forks: number[] = [];
  for (let count = min; count < max; count += 1) {
    forks.push(steps.push({ op: "done" }) - 1);
    emit(of, steps);
  }
  for (const fork of forks) steps[fork] = { op: "split", ways: [fork + 1, steps.length] };
}

/** Whether a node comes to no step at all. */
function isNothing(node: Node): boolean {
  switch (node.kind) {
    case "all":
      return node.parts.every(isNothing);
    case "repeat":
      return node.max === 0 || isNothing(node.of);
    case "take":
    case "at":
    case "any":
      return false;
  }
}
