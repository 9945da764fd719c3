import { z } from "zod";
import type { Clock } from "../foundation/clock.ts";
import { columns, line, text, toned } from "../foundation/line.ts";
import { printable } from "../foundation/printable.ts";
import type { Declared, Operation } from "../operations/operation.ts";
import { OWNER_ONLY, declare } from "../operations/operation.ts";
import type { StoreReader } from "../store/store.ts";

/** What a running process says of itself. */
export interface ProcessFacts {
  readonly version: string;
  readonly pid: number;
  readonly startedAtMs: number;
  /** `host/model`; null when the understudy stands in. */
  readonly model: string | null;
  readonly rooms: readonly { readonly name: string; readonly url: string }[];
  readonly console: string;
  readonly stateDirectory: string;
}

/** Result of `status`. */
export interface StatusAnswer extends ProcessFacts {
  readonly upMs: number;
  /** Messages by the state of their inbox row, and parts by theirs. */
  readonly messages: Readonly<Record<string, number>>;
  readonly parts: Readonly<Record<string, number>>;
}

const counts = z.record(z.string(), z.number());

/** `troupe status`. */
export const status: Declared<Record<string, never>, StatusAnswer> = declare<Record<string, never>, StatusAnswer>({
  name: "status",
  summary: "tell what runs here and what it is doing",
  arguments: z.strictObject({}),
  positional: [],
  who: OWNER_ONLY,
  result: z.object({
    version: z.string(),
    pid: z.int(),
    startedAtMs: z.number(),
    upMs: z.number(),
    model: z.string().nullable(),
    rooms: z.array(z.object({ name: z.string(), url: z.string() })),
    console: z.string(),
    stateDirectory: z.string(),
    messages: counts,
    parts: counts,
  }),
  render: (answer) => [
    toned("strong", line`Troupe ${printable(answer.version)}, process ${answer.pid}, up ${Math.floor(answer.upMs / 1_000)} s`),
    ...columns([
      ...answer.rooms.map(({ name, url }) => [printable("room"), printable(url), printable(name)]),
      [printable("console"), printable(answer.console), printable("troupe console opens it")],
      [printable("model"), answer.model === null ? printable("none: the understudy stands in") : printable(answer.model), text``],
      [printable("messages"), listed(answer.messages), text``],
      [printable("parts"), listed(answer.parts), text``],
      [printable("state"), printable(answer.stateDirectory), text``],
    ]),
  ],
});

function listed(counted: Readonly<Record<string, number>>): ReturnType<typeof printable> {
  return printable(
    Object.entries(counted)
      .map(([name, count]) => `${count} ${name}`)
      .join(", ") || "none",
  );
}

/** Bind `status` to what runs. */
export function bindStatus(needs: { clock: Clock; reader: Pick<StoreReader, "counts">; facts: () => ProcessFacts }): Operation {
  return status.bind(() => {
    const facts = needs.facts();
    const { inbox, parts } = needs.reader.counts();
    return Promise.resolve({ ...facts, upMs: Math.max(0, needs.clock.nowMs() - facts.startedAtMs), messages: inbox, parts });
  });
}
