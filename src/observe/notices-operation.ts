import { z } from "zod";
import { columns, line, toned } from "../foundation/line.ts";
import { printable } from "../foundation/printable.ts";
import type { Declared, Operation } from "../operations/operation.ts";
import { OWNER_ONLY, declare } from "../operations/operation.ts";
import type { Notice, Notices } from "./notices.ts";
import { MAX_KEPT, NOTICE_KINDS } from "./notices.ts";

/** Arguments of `notices`. */
export interface NoticesArguments {
  readonly limit?: number | undefined;
}

/** Result of `notices`. */
export interface NoticesAnswer {
  /** Newest first. */
  readonly notices: readonly Notice[];
  /** Those that could not be sent on since the start. */
  readonly dropped: number;
}

const STANDARD_LIMIT = 20;

/** `troupe notices`. */
export const notices: Declared<NoticesArguments, NoticesAnswer> = declare<NoticesArguments, NoticesAnswer>({
  name: "notices",
  summary: "list what an operator should know of, newest first",
  arguments: z.strictObject({ limit: z.int().min(1).max(MAX_KEPT).optional().describe(`how many, ${STANDARD_LIMIT} without it`) }),
  positional: [],
  who: OWNER_ONLY,
  result: z.object({
    notices: z.array(
      z.object({
        kind: z.enum(NOTICE_KINDS),
        count: z.int(),
        firstAtMs: z.number(),
        lastAtMs: z.number(),
        ids: z.array(z.string()),
        counts: z.record(z.string(), z.number()),
      }),
    ),
    dropped: z.int(),
  }),
  render: (answer) => [
    ...(answer.notices.length === 0 ? [line`nothing to tell`] : columns(answer.notices.map(rowOf))),
    ...(answer.dropped === 0 ? [] : [toned("bad", line`${answer.dropped} could not be sent on`)]),
  ],
});

function rowOf({ kind, count, lastAtMs, ids, counts }: Notice): Parameters<typeof columns>[0][number] {
  const numbers = Object.entries(counts).map(([name, number]) => `${name} ${number}`);
  return [
    printable(new Date(lastAtMs).toISOString().slice(0, 19)),
    printable(kind.replaceAll("_", " ")),
    printable(`${count} ×`),
    printable([...numbers, ...ids].join(" ")),
  ];
}

/** Bind `notices` to what is kept. */
export function bindNotices(kept: Pick<Notices, "recent" | "dropped">): Operation {
  return notices.bind(({ limit = STANDARD_LIMIT }): Promise<NoticesAnswer> =>
    Promise.resolve({ notices: kept.recent().slice(0, limit), dropped: kept.dropped }),
  );
}
