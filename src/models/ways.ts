import type { RefusedParameter } from "./host-fault.ts";
import type { Format, Way } from "./wire.ts";

/** What a host is known not to take; kept for the life of the model. */
export interface Knowledge {
  readonly formats: readonly Format[];
  readonly think: boolean;
  readonly limit: Way["limit"];
}

/** Tries of one question, at most, until a host takes it. */
export const MAX_WAYS = 6;

/** The strictest way that is not known to fail. */
export function firstWay(knowledge: Knowledge, wanted: { readonly format: Format; readonly think: boolean }): Way {
  return {
    format: knowledge.formats.find((format) => RANK[format] >= RANK[wanted.format]) ?? "none",
    think: wanted.think && knowledge.think,
    limit: knowledge.limit,
  };
}

const RANK: Readonly<Record<Format, number>> = { json_schema: 0, json_object: 1, none: 2 };

/** What each field that a host may refuse is part of. */
const PART_OF: Readonly<Record<RefusedParameter, "limit" | "think" | "format">> = {
  max_tokens: "limit",
  reasoning_effort: "think",
  chat_template_kwargs: "think",
  think: "think",
  thinking: "think",
  response_format: "format",
  format: "format",
  output_config: "format",
};

/**
 * The next way after a host refused one, or null when there is none. A host that names the field it doesn't take is believed;
 * otherwise the thinking goes first, then the format step by step.
 */
export function nextWay(way: Way, formats: readonly Format[], refused: RefusedParameter | null): Way | null {
  const part = refused === null ? (way.think ? "think" : "format") : PART_OF[refused];
  if (part === "limit") return way.limit === "max_tokens" ? { ...way, limit: "max_completion_tokens" } : null;
  if (part === "think") return way.think ? { ...way, think: false } : null;
  return looser(way, formats);
}

function looser(way: Way, formats: readonly Format[]): Way | null {
  const next = formats.find((format) => RANK[format] > RANK[way.format]);
  return next === undefined ? null : { ...way, format: next };
}

/**
 * What a way that worked says of the host, given the first that was tried. Where thinking and format both were given up, only the
 * format is learned: whether the thinking was at fault shows with the next question.
 */
export function learned(knowledge: Knowledge, tried: Way, worked: Way): Knowledge {
  const sameFormat = worked.format === tried.format;
  return {
    formats: sameFormat ? knowledge.formats : knowledge.formats.filter((format) => RANK[format] >= RANK[worked.format]),
    think: knowledge.think && !(sameFormat && tried.think && !worked.think),
    limit: worked.limit,
  };
}
