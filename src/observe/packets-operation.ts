import { z } from "zod";
import type { Line } from "../foundation/line.ts";
import { columns, line } from "../foundation/line.ts";
import { printable } from "../foundation/printable.ts";
import type { Declared, Operation } from "../operations/operation.ts";
import { OWNER_ONLY, declare } from "../operations/operation.ts";
import type { StoreReader } from "../store/store.ts";
import { parseTurnId } from "../vocabulary/ids.ts";
import { INBOX_ENDS } from "../vocabulary/turn.ts";

/** Arguments of `packets`. */
export interface PacketsArguments {
  readonly limit?: number | undefined;
  readonly before?: string | undefined;
}

/** One turn and the packet its character was given, by counts: `why` tells the rest of it. */
export interface PacketEntry {
  readonly turn: string;
  /** The message it was for: what `why` takes. */
  readonly message: string;
  readonly atMs: number;
  readonly character: string;
  readonly person: string;
  /** The name last seen; null when none is kept. */
  readonly name: string | null;
  readonly place: string;
  /** Null while it runs. */
  readonly end: (typeof INBOX_ENDS)[number] | null;
  /** `host/model` or `understudy`; null where no packet was made or it is not kept. */
  readonly by: string | null;
  readonly packet: {
    readonly id: string;
    readonly bytes: number;
    /** What it was made of, by kind. */
    readonly segments: readonly { readonly kind: string; readonly count: number; readonly bytes: number }[];
    /** What the character was not shown, by class: none of it is named. */
    readonly withheld: readonly { readonly class: string; readonly count: number }[];
  } | null;
}

/** Result of `packets`: newest first. */
export interface PacketsAnswer {
  readonly packets: readonly PacketEntry[];
  /** Whether there are older ones. */
  readonly more: boolean;
}

const STANDARD_LIMIT = 20;
const MAX_LIMIT = 200;

/** `troupe packets`. */
export const packets: Declared<PacketsArguments, PacketsAnswer> = declare<PacketsArguments, PacketsAnswer>({
  name: "packets",
  summary: "list the latest turns with what their packets held and what was withheld, by counts",
  arguments: z.strictObject({
    limit: z.int().min(1).max(MAX_LIMIT).optional().describe(`how many, ${STANDARD_LIMIT} without it`),
    before: z.string().max(40).optional().describe("only turns before this one"),
  }),
  positional: [],
  who: OWNER_ONLY,
  result: z.object({
    packets: z.array(
      z.object({
        turn: z.string(),
        message: z.string(),
        atMs: z.number(),
        character: z.string(),
        person: z.string(),
        name: z.string().nullable(),
        place: z.string(),
        end: z.enum(INBOX_ENDS).nullable(),
        by: z.string().nullable(),
        packet: z
          .object({
            id: z.string(),
            bytes: z.int(),
            segments: z.array(z.object({ kind: z.string(), count: z.int(), bytes: z.int() })),
            withheld: z.array(z.object({ class: z.string(), count: z.int() })),
          })
          .nullable(),
      }),
    ),
    more: z.boolean(),
  }),
  render: renderPackets,
});

function renderPackets({ packets: listed, more }: PacketsAnswer): readonly Line[] {
  if (listed.length === 0) return [line`No turn yet.`];
  const rows = listed.map(({ message, atMs, character, person, name, packet, end }) => [
    printable(message),
    printable(new Date(atMs).toISOString().slice(0, 19)),
    printable(`${character} to ${name ?? person}`, 120),
    printable(packet === null ? "no packet" : `${packet.bytes} bytes, ${withheldWords(packet.withheld)}`, 200),
    printable(end ?? "running"),
  ]);
  return [...columns(rows), ...(more ? [line`  Older: --before ${printable(listed.at(-1)?.turn ?? "")}`] : [])];
}

function withheldWords(withheld: NonNullable<PacketEntry["packet"]>["withheld"]): string {
  const classes = withheld.map((one) => `${one.count} ${one.class.replaceAll("_", " ")}`);
  return classes.length === 0 ? "nothing withheld" : `withheld: ${classes.join(", ")}`;
}

/** Bind `packets` to what the store kept. */
export function bindPackets(reader: Pick<StoreReader, "turns" | "event" | "member">): Operation {
  return packets.bind(({ limit = STANDARD_LIMIT, before }): Promise<PacketsAnswer> => {
    const rows = before === undefined ? reader.turns(limit + 1) : reader.turns(limit + 1, parseTurnId(before));
    const listed = rows.slice(0, limit).map(({ turn, message, atMs, character, person, place, end, record }): PacketEntry => {
      const author = reader.event(message)?.author;
      const name = author?.kind === "person" ? author.name : (reader.member(person)?.name ?? null);
      const { packet = null, by = null } = record ?? {};
      return { turn, message, atMs, character, person, name, place, end, by, packet };
    });
    return Promise.resolve({ packets: listed, more: rows.length > limit });
  });
}
