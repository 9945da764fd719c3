/** What a part may measure; every given limit holds at once (TR-056). */
export interface SplitLimits {
  readonly maxBytes?: number;
  readonly maxCodePoints?: number;
  readonly maxUtf16?: number;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})([^\n]*)$/gm;
const CLOSER = "\n```";
const MAX_INFO_CHARACTERS = 20;

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
  let opener = "";
  while (rest !== "") {
    const { head, tail, fence } = nextPart(rest, opener, parts.length === 0 ? first : limits);
    parts.push(head);
    rest = tail;
    opener = fence;
  }
  return parts;
}

/** One part from the front of `rest`; `opener` is the line that opens again a fence the last cut went through. */
function nextPart(rest: string, opener: string, limits: SplitLimits): { head: string; tail: string; fence: string } {
  const whole = opener + rest;
  if (fits(whole, limits)) return { head: whole, tail: "", fence: "" };
  const room = longestPrefix(rest, limits, opener + CLOSER);
  // A fence that leaves no room for text of its own is given up: keeping the text matters more.
  const framed = room > 0 && (opener !== "" || openFence(rest.slice(0, room)) !== "");
  const size = cutPoint(rest, framed ? room : Math.max(1, longestPrefix(rest, limits, "")));
  const head = rest.slice(0, size);
  const open = framed ? openFence(opener + head) : "";
  const closed = open === "" ? "" : head.endsWith("\n") ? CLOSER.slice(1) : CLOSER;
  return { head: (framed ? opener : "") + head + closed, tail: rest.slice(size), fence: open };
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

/** The opening line of a code fence that `text` leaves open, with its line break; "" when none is. */
function openFence(text: string): string {
  let open: { mark: string; line: string } | null = null;
  for (const match of text.matchAll(FENCE)) {
    const mark = match[1] ?? "";
    const info = match[2] ?? "";
    if (open === null) open = { mark, line: `\`\`\`${info.trim().slice(0, MAX_INFO_CHARACTERS)}\n` };
    else if (mark.startsWith(open.mark) && info.trim() === "") open = null;
  }
  return open?.line ?? "";
}
