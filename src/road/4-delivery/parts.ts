import type { PartLimits } from "../../surfaces/surface.ts";
import { partIdOf } from "../../vocabulary/ids.ts";
import type { Part } from "../../vocabulary/part.ts";
import { SafeReply } from "./gate.ts";
import { inertLineStarts } from "./inert.ts";
import type { SplitLimits } from "./split.ts";
import { splitText } from "./split.ts";

/** What every part of a turn carries beside its words (MC-061). */
export type PartFrame = Omit<Part, "id" | "index" | "count" | "body" | "action">;

/** The parts of a reply that passed the gate, and its whole text as the chronicle keeps it: without the disclosure. */
export interface PreparedReply {
  readonly parts: readonly Part[];
  readonly text: string;
  readonly action: string;
}

/** Room left in each part for the space that parts a command prefix from its word at the part's start. */
const MARGIN = 1;

/**
 * Cut a safe reply into the parts that a surface takes; at least one, since a reply has words or a gesture. Each part's line
 * starts are made inert, since a cut makes a new line start (SE-095). A disclosure is the last line of the first part, inside
 * the limits (TR-091). @throws RuntimeError `forged` for anything but a gate's reply.
 */
export function partsOf(reply: SafeReply, frame: PartFrame, limits: PartLimits, disclosure: SafeReply | null = null): PreparedReply {
  const { speech, action, prefixes } = SafeReply.contentOf(reply);
  const inert = (text: string): string => inertLineStarts(text, prefixes);
  const whole = inert(speech);
  const last = disclosure === null ? "" : inert(SafeReply.contentOf(disclosure).speech);
  const bodies = bodiesOf({ whole, last, gesture: gestureIn(inert(action), limits) }, limits, inert);
  const parts = bodies.map((body, index) => ({
    ...frame,
    id: partIdOf(frame.turn, index),
    index,
    count: bodies.length,
    body,
    action: index === 0 ? inert(action) : "",
  }));
  return { parts, text: whole, action: inert(action) };
}

/** The texts of a reply: its words, the line that ends the first part, and what of the first part a gesture takes up; "" for none. */
interface Texts {
  readonly whole: string;
  readonly last: string;
  readonly gesture: string;
}

/** What a gesture takes up of the part it stands in front of, on platforms that show both in one message. */
function gestureIn(action: string, { actionMarks }: PartLimits): string {
  return action === "" || actionMarks === undefined ? "" : action + " ".repeat(actionMarks);
}

function bodiesOf({ whole, last, gesture }: Texts, limits: PartLimits, inert: (text: string) => string): readonly string[] {
  const roomy = less(limits, { bytes: MARGIN, points: MARGIN, units: MARGIN });
  if (!canSplit(roomy)) return tightBodies([whole, last].filter((text) => text !== "").join("\n"), limits, inert);
  return roomyBodies({ whole, last, gesture }, roomy, inert);
}

/** Bodies where the limits have no room for a margin: one that is too long once it is inert is cut again. */
function tightBodies(text: string, limits: PartLimits, inert: (text: string) => string): readonly string[] {
  if (text === "") return [""];
  const refit = (body: string): readonly string[] => {
    const safe = inert(body);
    return safe === body ? [safe] : splitText(safe, limits).flatMap((piece, at) => (at === 0 ? [piece] : refit(piece)));
  };
  return splitText(text, limits).flatMap(refit);
}

function roomyBodies({ whole, last, gesture }: Texts, room: SplitLimits, inert: (text: string) => string): readonly string[] {
  const besides = less(room, sizeOf(gesture));
  const beside = isRoomy(besides) ? besides : room;
  if (last === "") return whole === "" ? [""] : splitText(whole, room, beside).map(inert);
  if (whole === "") return splitText(last, room, beside).map(inert);
  const end = `\n${last}`;
  const first = less(beside, sizeOf(end));
  // Where the line leaves a part no room for words, it goes in front, in parts of its own.
  if (!isRoomy(first)) return [...splitText(last, room), ...splitText(whole, room)].map(inert);
  const [head = "", ...rest] = splitText(whole, room, first).map(inert);
  return [`${head.replace(/\n+$/, "")}${end}`, ...rest];
}

function sizeOf(text: string): { bytes: number; points: number; units: number } {
  return { bytes: Buffer.byteLength(text), points: Array.from(text).length, units: text.length };
}

function less(limits: PartLimits, by: { bytes: number; points: number; units: number }): SplitLimits {
  return {
    ...(limits.maxBytes === undefined ? {} : { maxBytes: limits.maxBytes - by.bytes }),
    ...(limits.maxCodePoints === undefined ? {} : { maxCodePoints: limits.maxCodePoints - by.points }),
    ...(limits.maxUtf16 === undefined ? {} : { maxUtf16: limits.maxUtf16 - by.units }),
  };
}

function canSplit({ maxBytes = 4, maxCodePoints = 2, maxUtf16 = 2 }: SplitLimits): boolean {
  return maxBytes >= 4 && maxCodePoints >= 2 && maxUtf16 >= 2;
}

/** Characters of its own that a first part must have room for. */
const MIN_ROOM = 16;

function isRoomy({ maxBytes = Infinity, maxCodePoints = Infinity, maxUtf16 = Infinity }: SplitLimits): boolean {
  return Math.min(maxBytes, maxCodePoints, maxUtf16) >= MIN_ROOM;
}
