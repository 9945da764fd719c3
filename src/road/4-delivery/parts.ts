import type { PartLimits } from "../../surfaces/surface.ts";
import { partIdOf } from "../../vocabulary/ids.ts";
import type { Part } from "../../vocabulary/part.ts";
import { SafeReply } from "./gate.ts";
import { inertLineStarts } from "./inert.ts";
import { splitText } from "./split.ts";

/** What every part of a turn carries beside its words (MC-061). */
export type PartFrame = Omit<Part, "id" | "index" | "count" | "body" | "action">;

/** The parts of a reply that passed the gate, and its whole text as the chronicle keeps it. */
export interface PreparedReply {
  readonly parts: readonly Part[];
  readonly text: string;
  readonly action: string;
}

/** Room left in each part for the space that parts a command prefix from its word at the part's start. */
const MARGIN = 1;

/**
 * Cut a safe reply into the parts that a surface takes; at least one, since a reply has words or a gesture. Each part's line
 * starts are made inert, since a cut makes a new line start (SE-095). @throws RuntimeError `forged` for anything but a gate's reply.
 */
export function partsOf(reply: SafeReply, frame: PartFrame, limits: PartLimits): PreparedReply {
  const { speech, action } = SafeReply.contentOf(reply);
  const whole = inertLineStarts(speech);
  const bodies = whole === "" ? [""] : splitText(whole, lowered(limits)).map(inertLineStarts);
  const parts = bodies.map((body, index) => ({
    ...frame,
    id: partIdOf(frame.turn, index),
    index,
    count: bodies.length,
    body,
    action: index === 0 ? inertLineStarts(action) : "",
  }));
  return { parts, text: whole, action: inertLineStarts(action) };
}

function lowered(limits: PartLimits): PartLimits {
  return {
    ...(limits.maxBytes === undefined ? {} : { maxBytes: limits.maxBytes - MARGIN }),
    ...(limits.maxCodePoints === undefined ? {} : { maxCodePoints: limits.maxCodePoints - MARGIN }),
    ...(limits.maxUtf16 === undefined ? {} : { maxUtf16: limits.maxUtf16 - MARGIN }),
  };
}
