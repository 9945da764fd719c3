/** What a part may measure; every given limit holds at once (TR-056). */
export interface SplitLimits {
  readonly maxBytes?: number;
  readonly maxCodePoints?: number;
  readonly maxUtf16?: number;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})([^\n]*)$/gm;
const MAX_INFO_CHARACTERS = 20;
/** Marks, each longer than the one before, that are tried to close a part. */
const MAX_MARKS = 4;

const graphemes = new Intl.Segmenter("und", { granularity: "grapheme" });

/**
 * Split a text into parts that keep every limit, in order and without losing a character: never inside a code point, between
 * graphemes wherever one fits (MC-057, MC-058, TR-056). Parts end at a line, then a sentence, then a word where there is one in
 * their last half. `first` are the limits of the first part where it has others. A code fence that a cut would break is closed in one part and opened again in the next, inside the limit.
 * @throws RangeError for a byte limit under 4 or another limit under 2.
 */
export function splitText(text: string, limits: SplitLimits, first: SplitLimits = limits): string[] {
  checkLimits(limits);
  checkLimits(first);
  const parts: string[] = [];
  let rest = text;
  let fence: Fence | null = null;
  while (rest !== "") {
    const part = nextPart(rest, fence, parts.length === 0 ? first : limits);
    parts.push(part.head);
    rest = part.tail;
    fence = part.fence;
  }
  return parts;
}

/** A code fence that a cut goes through: its mark, and the line that opens it again. */
interface Fence {
  readonly mark: string;
  readonly line: string;
}

/** One part from the front of `rest`; `fence` is the one that the last cut went through. */
function nextPart(rest: string, fence: Fence | null, limits: SplitLimits): { head: string; tail: string; fence: Fence | null } {
  const opener = fence?.line ?? "";
  const whole = opener + rest;
  if (fits(whole, limits)) return { head: whole, tail: "", fence: null };
  const plain = Math.max(1, longestPrefix(rest, limits, ""));
  const framed = framedSize(rest, fence, { limits, plain });
  // A fence that leaves no room for text of its own is given up: keeping the text matters more.
  if (framed === null) {
    const size = cutPoint(rest, plain);
    return { head: rest.slice(0, size), tail: rest.slice(size), fence: null };
  }
  const head = rest.slice(0, framed);
  const open = openFence(opener + head);
  const closed = open === null ? "" : `${head.endsWith("\n") ? "" : "\n"}${open.mark}`;
  return { head: opener + head + closed, tail: rest.slice(framed), fence: open };
}

/**
 * How much of `rest` a part takes that opens `fence` again or ends inside one, so that what closes it fits as well; null when it
 * does neither, or has no room. What closes it is known only with where the part ends: so a longer mark is tried again.
 */
function framedSize(rest: string, fence: Fence | null, { limits, plain }: { limits: SplitLimits; plain: number }): number | null {
  const opener = fence?.line ?? "";
  let mark = fence?.mark ?? openFence(rest.slice(0, cutPoint(rest, plain)))?.mark;
  for (let tries = 0; mark !== undefined && tries < MAX_MARKS; tries += 1) {
    const room = longestPrefix(rest, limits, `${opener}\n${mark}`);
    if (room === 0) return null;
    const size = cutPoint(rest, room);
    const open = openFence(opener + rest.slice(0, size));
    if (open === null || open.mark.length <= mark.length) return size;
    mark = open.mark;
  }
  return null;
}

function checkLimits(limits: SplitLimits): void {
  const bad = (limits.maxBytes ?? 4) < 4 || (limits.maxCodePoints ?? 2) < 2 || (limits.maxUtf16 ?? 2) < 2;
  const given = [limits.maxBytes, limits.maxCodePoints, limits.maxUtf16].filter((limit) => limit !== undefined);
  if (bad || !given.every((limit) => Number.isInteger(limit))) {
    throw new RangeError("Cannot split: a byte limit must be 4 or more, any other limit 2 or more, in whole numbers");
  }
}

function fits(text: string, limits: SplitLimits): boolean {
  if (text.length > (limits.maxUtf16 ?? Infinity)) return false;
  if (text.length > (limits.maxBytes ?? Infinity) || Buffer.byteLength(text) > (limits.maxBytes ?? Infinity)) return false;
  return limits.maxCodePoints === undefined || text.length <= limits.maxCodePoints || codePoints(text) <= limits.maxCodePoints;
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Length of the longest prefix, in whole graphemes, that fits beside `frame`; 0 when not even one code point does. */
function longestPrefix(text: string, limits: SplitLimits, frame: string): number {
  const left = remaining(limits, frame);
  let length = 0;
  for (const { segment } of graphemes.segment(text.slice(0, windowOf(left)))) {
    if (take(left, segment)) {
      length += segment.length;
      continue;
    }
    return length > 0 ? length : longestCodePoints(segment, left);
  }
  return length;
}

/** A single grapheme over the limit is split between code points. */
function longestCodePoints(grapheme: string, left: Room): number {
  let length = 0;
  for (const point of grapheme) {
    if (!take(left, point)) break;
    length += point.length;
  }
  return length;
}

interface Room {
  bytes: number;
  points: number;
  units: number;
}

function remaining(limits: SplitLimits, frame: string): Room {
  return {
    bytes: (limits.maxBytes ?? Infinity) - Buffer.byteLength(frame),
    points: (limits.maxCodePoints ?? Infinity) - codePoints(frame),
    units: (limits.maxUtf16 ?? Infinity) - frame.length,
  };
}

/** UTF-16 units that are enough to look at: no prefix that fits is longer, but for one grapheme, whose size is bounded here. */
function windowOf(left: Room): number {
  return Math.max(2, Math.min(left.bytes, left.points * 2, left.units)) + 64;
}

function take(left: Room, text: string): boolean {
  const bytes = Buffer.byteLength(text);
  const points = codePoints(text);
  if (bytes > left.bytes || points > left.points || text.length > left.units) return false;
  left.bytes -= bytes;
  left.points -= points;
  left.units -= text.length;
  return true;
}

/** Move a cut back to the end of a line, a sentence or a word in the last half of the part. */
function cutPoint(text: string, size: number): number {
  if (size >= text.length) return size;
  const part = text.slice(0, size);
  const half = Math.floor(size / 2);
  for (const boundary of [/\n/g, /[.!?…。！？]\s+/gu, /\s+/g]) {
    const ends = Array.from(part.matchAll(boundary), (match) => match.index + match[0].length);
    const last = ends.at(-1) ?? 0;
    if (last > half) return last;
  }
  return size;
}

/** The code fence that `text` leaves open; null when none is. A fence ends with a mark of its own kind, at least as long. */
function openFence(text: string): Fence | null {
  let open: Fence | null = null;
  for (const match of text.matchAll(FENCE)) {
    const mark = match[1] ?? "";
    const info = (match[2] ?? "").trim();
    // A backtick behind backticks is code within a line.
    if (mark.startsWith("`") && info.includes("`")) continue;
    if (open === null) open = { mark, line: `${mark}${shortInfo(info)}\n` };
    else if (mark.startsWith(open.mark) && info === "") open = null;
  }
  return open;
}

function shortInfo(info: string): string {
  return Array.from(info).slice(0, MAX_INFO_CHARACTERS).join("");
}
