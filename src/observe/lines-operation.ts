import { z } from "zod";
import type { Clock } from "../foundation/clock.ts";
import { RuntimeError } from "../foundation/errors.ts";
import type { Line } from "../foundation/line.ts";
import { line, toned } from "../foundation/line.ts";
import { printable } from "../foundation/printable.ts";
import type { Declared, Operation } from "../operations/operation.ts";
import { OWNER_ONLY, declare } from "../operations/operation.ts";
import type { Store } from "../store/store.ts";
import type { ChronicleEvent } from "../vocabulary/event.ts";
import type { CharacterId } from "../vocabulary/ids.ts";
import type { PrincipalId } from "../vocabulary/principal.ts";
import { parsePrincipalId } from "../vocabulary/principal.ts";

/** Arguments of `lines`. */
export interface LinesArguments {
  readonly person: string;
  readonly character?: string | undefined;
  readonly limit?: number | undefined;
  readonly before?: number | undefined;
}

/** Result of `lines`: oldest first. */
export interface LinesAnswer {
  readonly person: string;
  readonly character: string;
  readonly lines: readonly {
    /** The line's number in its place: what `before` takes. */
    readonly number: number;
    readonly atMs: number;
    readonly by: "person" | "character";
    readonly name: string;
    readonly action: string;
    readonly text: string;
  }[];
  /** Whether there are older ones. */
  readonly more: boolean;
  /** How often operators opened this person's lines, this time included. */
  readonly openedTimes: number;
}

const STANDARD_LIMIT = 100;
const MAX_LIMIT = 400;
const MAX_SHOWN_CHARACTERS = 2_000;

/** `troupe lines`: what a person and a character said to each other alone. Opening it is noted and counted before anything is shown (TR-091). */
export const lines: Declared<LinesArguments, LinesAnswer> = declare<LinesArguments, LinesAnswer>({
  name: "lines",
  summary: "open a person's private lines with a character; the audit notes it first",
  arguments: z.strictObject({
    person: z.string().max(200).describe("<realm>:<account>, as people shows it"),
    character: z.string().max(40).optional().describe("the character's id, where there is more than one"),
    limit: z.int().min(1).max(MAX_LIMIT).optional().describe(`how many lines, ${STANDARD_LIMIT} without it`),
    before: z.int().min(0).optional().describe("only lines before the one of this number"),
  }),
  positional: ["person"],
  who: OWNER_ONLY,
  result: z.object({
    person: z.string(),
    character: z.string(),
    lines: z.array(
      z.object({
        number: z.int(),
        atMs: z.number(),
        by: z.enum(["person", "character"]),
        name: z.string(),
        action: z.string(),
        text: z.string(),
      }),
    ),
    more: z.boolean(),
    openedTimes: z.int(),
  }),
  render: renderLines,
});

function renderLines({ person, character, lines: said, more, openedTimes }: LinesAnswer): readonly Line[] {
  const head = `${person} and ${character}, alone`;
  return [
    toned("strong", line`${printable(head, 260)}`),
    toned("faint", line`  Noted in the audit: opened ${openedTimes} ${printable(openedTimes === 1 ? "time" : "times")}.`),
    ...(more && said[0] !== undefined ? [toned("faint", line`  Older lines: --before ${said[0].number}`)] : []),
    ...(said.length === 0 ? [line`  Nothing is kept of them.`] : []),
    ...said.map(({ number, atMs, name, action, text }) => {
      const did = action === "" ? "" : `(${action}) `;
      const at = printable(new Date(atMs).toISOString().slice(11, 19));
      return line`  ${number}  ${at}  ${printable(name, 60)}: ${printable(`${did}${text}`, MAX_SHOWN_CHARACTERS)}`;
    }),
  ];
}

/** What `lines` works with. */
export interface LinesNeeds {
  readonly clock: Pick<Clock, "nowMs">;
  readonly store: Pick<Store, "audit"> & { readonly read: Pick<Store["read"], "directLines" | "auditedTimes"> };
  readonly characters: () => ReadonlyMap<CharacterId, { readonly name: string }>;
  /** The newest lines of that place before a number, oldest first, as the person may read them. */
  readonly history: (
    person: PrincipalId,
    character: CharacterId,
    range: { readonly limit: number; readonly before?: number },
  ) => readonly ChronicleEvent[];
}

/** Bind `lines` to the record and to the audit. */
export function bindLines(needs: LinesNeeds): Operation {
  return lines.bind(async ({ person: written, character: named, limit = STANDARD_LIMIT, before }, { actor }): Promise<LinesAnswer> => {
    const person = parsePrincipalId(written);
    const character = characterOf(needs, person, named);
    await needs.store.audit({ atMs: needs.clock.nowMs(), by: actor.principal, act: "read_lines", person, about: character });
    const events = needs.history(person, character, { limit: limit + 1, ...(before === undefined ? {} : { before }) });
    const said = events.slice(-limit).map((event) => ({
      number: event.seq,
      atMs: event.atMs,
      by: event.author.kind,
      name: event.author.kind === "person" ? event.author.name : (needs.characters().get(character)?.name ?? character),
      action: event.action,
      text: event.text,
    }));
    const openedTimes = needs.store.read.auditedTimes(person, "read_lines")?.times ?? 1;
    return { person, character, lines: said, more: events.length > limit, openedTimes };
  });
}

function characterOf({ store }: LinesNeeds, person: PrincipalId, named: string | undefined): CharacterId {
  const there = store.read.directLines(person).map(({ character }) => character);
  const found = named === undefined && there.length === 1 ? there[0] : there.find((one) => one === named);
  if (found !== undefined) return found;
  if (there.length === 0) throw new RuntimeError("not_found", "Cannot open that: no private line of this person is kept");
  throw new RuntimeError("usage", `Cannot open that: name one character with --character. There is: ${there.join(", ")}`);
}
