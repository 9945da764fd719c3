import { z } from "zod";
import { RuntimeError } from "../foundation/errors.ts";
import type { Line } from "../foundation/line.ts";
import { columns, line, toned } from "../foundation/line.ts";
import type { Printable } from "../foundation/printable.ts";
import { printable } from "../foundation/printable.ts";
import { wrapPieces } from "../foundation/wrap.ts";
import type { Declared, Operation } from "../operations/operation.ts";
import { OWNER_ONLY, declare } from "../operations/operation.ts";
import type { StoreReader } from "../store/store.ts";
import type { MessageId } from "../vocabulary/ids.ts";
import type { Fact, Station, WhyReport } from "./why.ts";
import { whyOf, whyReport } from "./why.ts";

/** Reports that one call gives, at most. */
const MAX_LAST = 50;
/** Decisions about calls that one report holds: the newest. */
const MAX_CALLS = 64;

/** Arguments of `why`: one of the two at most; without any, the last message. */
export interface WhyArguments {
  readonly message?: string | undefined;
  readonly last?: number | undefined;
}
/** Result of `why`. */
export interface WhyAnswer {
  readonly messages: readonly WhyReport[];
}

/** `troupe why`: the operators' face of why (SE-094), therefore only on local lines. */
export const why: Declared<WhyArguments, WhyAnswer> = declare<WhyArguments, WhyAnswer>({
  name: "why",
  summary: "tell why a message was answered or not, by which rule, and at what cost",
  arguments: z.strictObject({
    message: z.string().max(40).optional().describe("a message id, or the beginning of exactly one"),
    last: z.int().min(1).max(MAX_LAST).optional().describe(`instead: the last N messages, at most ${MAX_LAST}`),
  }),
  positional: ["message"],
  who: OWNER_ONLY,
  result: z.object({ messages: z.array(whyReport) }),
  render: ({ messages }) =>
    messages.length === 0
      ? [line`No message yet.`]
      : messages.flatMap((report, at) => (at === 0 ? renderWhy(report) : [line``, ...renderWhy(report)])),
});

/** What `why` reads. */
export type WhyReader = Pick<StoreReader, "explain" | "recentDecisions" | "idsStartingWith"> & {
  readonly calls: Pick<StoreReader["calls"], "decisions">;
};

/** Bind `why` to a store's reader. */
export function bindWhy(reader: WhyReader): Operation {
  return why.bind(({ message, last }) => Promise.resolve({ messages: idsOf(reader, message, last).map((id) => explained(reader, id)) }));
}

function idsOf(reader: WhyReader, message: string | undefined, last: number | undefined): readonly MessageId[] {
  if (message !== undefined && last !== undefined)
    throw new RuntimeError("usage", "Cannot tell why: name one message, or --last N, not both");
  if (message === undefined) return reader.recentDecisions(last ?? 1);
  const found = reader.idsStartingWith(message);
  if (found.length === 0) throw new RuntimeError("not_found", "Cannot tell why: no message has an id that begins so");
  if (found.length > 1) throw new RuntimeError("usage", "Cannot tell why: several messages begin so; give more of the id");
  return found;
}

function explained(reader: WhyReader, id: MessageId): WhyReport {
  const explanation = reader.explain(id);
  if (explanation === null) throw new RuntimeError("not_found", "Cannot tell why: the message is no longer kept");
  return whyOf(explanation, reader.calls.decisions(MAX_CALLS, { root: id }).toReversed());
}

const MARKS: Readonly<Record<Station["state"], string>> = { passed: "✓", stopped: "✗", waiting: "…", not_reached: "·" };

/** Columns of a line for people, and what stands before the facts in it. */
const WIDTH = 80;
const MARGIN = "  ✓  admission  ".length;

/** One report as lines of {@link WIDTH} columns: a head, the seven stations in columns, and what would change it. */
export function renderWhy(report: WhyReport): readonly Line[] {
  const rows = report.stations.flatMap((station) => rowsOf(station));
  const outcome = printable(report.outcome.replaceAll("_", " "));
  const laidOut = columns(rows.map(({ cells }) => cells));
  return [
    toned("strong", line`${printable(report.id)}: the sender is told "${outcome}"`),
    ...laidOut.map((row, at) => toned(toneOf(rows[at]?.state), row)),
    ...wrapPieces([`what would change it: ${report.change}`], WIDTH - 4).map(
      (words, at) => line`  ${printable(at === 0 ? words : `  ${words}`)}`,
    ),
  ];
}

/** A station in as many rows as its facts need; only the first has its name. */
function rowsOf({ station, state, facts }: Station): readonly { readonly state: Station["state"]; readonly cells: readonly Printable[] }[] {
  const told = Object.entries(facts).map(([name, fact]) => {
    const words = name.replace(/_ms$/, "").replaceAll("_", " ");
    return `${words} ${factText(fact)}${name.endsWith("_ms") ? " ms" : ""}`;
  });
  const lines = told.length === 0 ? ["not reached"] : wrapPieces(told, WIDTH - MARGIN);
  return lines.map((words, at) => ({
    state,
    cells: at === 0 ? [printable(MARKS[state]), printable(station), printable(words)] : [printable(""), printable(""), printable(words)],
  }));
}

/** A fact in words: of a list, each entry's count, name and what else it says in brackets. */
export function factText(fact: Fact): string {
  if (typeof fact === "string" || typeof fact === "number") return String(fact);
  return fact
    .map(({ count, bytes, reason, ...names }) => {
      const besides = [bytes === undefined ? "" : `${bytes} B`, reason ?? ""].filter((text) => text !== "").join(", ");
      const words = [...(count === undefined ? [] : [count]), ...Object.values(names)].join(" ");
      return besides === "" ? words : `${words} (${besides})`;
    })
    .join(", ");
}

function toneOf(state: Station["state"] | undefined): Line["tone"] {
  if (state === "stopped") return "bad";
  return state === "not_reached" ? "faint" : "plain";
}
