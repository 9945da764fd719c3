import { z } from "zod";
import type { Clock } from "../foundation/clock.ts";
import { RuntimeError } from "../foundation/errors.ts";
import type { Line } from "../foundation/line.ts";
import { line, toned } from "../foundation/line.ts";
import { printable } from "../foundation/printable.ts";
import { parsePrincipalId } from "../vocabulary/principal.ts";
import type { PrincipalId } from "../vocabulary/principal.ts";
import type { Declared, Operation } from "./operation.ts";
import { OWNER_ONLY, declare } from "./operation.ts";

/** Arguments of `forget`. */
export interface ForgetArguments {
  readonly person: string;
  readonly yes?: boolean | undefined;
}

/** Rows by what they are. `decisions` and `blocks` stay, under a keyed hash of the id. */
export interface ForgetTally {
  readonly lines: number;
  readonly answers: number;
  readonly waiting: number;
  readonly members: number;
  readonly presence: number;
  readonly blocks: number;
  readonly decisions: number;
}

/** Result of `forget`. */
export interface ForgetAnswer {
  readonly person: string;
  /** The name last seen; null for somebody never seen here. */
  readonly name: string | null;
  readonly counts: ForgetTally;
  /** False while it waits to be confirmed. */
  readonly done: boolean;
  /** False when the rows are gone but the disk had no room to build the files anew: the next start does it. */
  readonly bytesGone: boolean;
}

/** Who can forget. */
export interface Forgetting {
  nameOf(person: PrincipalId): string | null;
  keptOf(person: PrincipalId): Promise<ForgetTally>;
  forget(row: { readonly person: PrincipalId; readonly atMs: number; readonly request: null }): Promise<{
    readonly counts: ForgetTally;
    readonly bytesGone: boolean;
  }>;
}

/** What no erasing here can reach (TR-043). */
export const OUT_OF_REACH: readonly string[] = [
  "what platforms and open pages elsewhere already show",
  "what a model host kept of its prompts",
  "backups made before: a restore beside this installation applies the forget list",
  "what others quoted in their own words",
];

const count = z.int().min(0);

/** `troupe forget`: shown first, done with `--yes` (TR-043). */
export const forget: Declared<ForgetArguments, ForgetAnswer> = declare<ForgetArguments, ForgetAnswer>({
  name: "forget",
  summary: "erase a person's words and what they shaped, after showing how much",
  arguments: z.strictObject({
    person: z.string().max(200).describe("<realm>:<account>, as why and People show it"),
    yes: z.boolean().optional().describe("confirm; without it nothing is erased"),
  }),
  positional: ["person"],
  who: OWNER_ONLY,
  result: z.object({
    person: z.string(),
    name: z.string().nullable(),
    counts: z.object({ lines: count, answers: count, waiting: count, members: count, presence: count, blocks: count, decisions: count }),
    done: z.boolean(),
    bytesGone: z.boolean(),
  }),
  render: renderForget,
  exit: ({ done }) => (done ? "done" : "question"),
});

function renderForget({ person, name, counts, done, bytesGone }: ForgetAnswer): readonly Line[] {
  const shown = name === null ? printable("never seen here") : printable(`last seen as "${printable(name, 80)}"`, 120);
  const erased = printable(
    `${counts.lines} own lines, ${counts.answers} answers they shaped, ${counts.waiting} waiting messages, ${counts.members} memberships`,
  );
  const kept = printable(`${counts.decisions} decisions and ${counts.blocks} blocks go on under a keyed hash of the id until they expire`);
  const beyond = OUT_OF_REACH.map((what) => toned("faint", line`  out of reach: ${printable(what)}`));
  if (!done)
    return [
      line`${printable(person)} (${shown}): ${erased}`,
      toned("faint", line`  ${kept}`),
      ...beyond,
      toned("strong", line`Nothing is erased yet. To do it: ${printable(`troupe forget ${person} --yes`)}`),
    ];
  const late = bytesGone ? [] : [toned("bad", line`  The disk has no room to build the files anew: make room and start again.`)];
  return [toned("good", line`Forgotten: ${printable(person)}: ${erased}`), toned("faint", line`  ${kept}`), ...late, ...beyond];
}

/** Bind it to whoever can forget. */
export function bindForget(forgetting: Forgetting, clock: Clock): Operation {
  return forget.bind(async ({ person: written, yes }) => {
    const person = parsePrincipalId(written);
    if (person.startsWith("forgotten:")) throw new RuntimeError("usage", "Cannot forget that: it stands for somebody forgotten already");
    const name = forgetting.nameOf(person);
    if (yes !== true) return { person, name, counts: await forgetting.keptOf(person), done: false, bytesGone: false };
    const { counts, bytesGone } = await forgetting.forget({ person, atMs: clock.nowMs(), request: null });
    return { person, name, counts, done: true, bytesGone };
  });
}
