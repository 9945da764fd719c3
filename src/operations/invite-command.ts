import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { RuntimeError } from "../foundation/errors.ts";
import type { Line } from "../foundation/line.ts";
import { line, toned } from "../foundation/line.ts";
import type { Printable } from "../foundation/printable.ts";
import { printable } from "../foundation/printable.ts";
import type { Screen } from "./faces/screen.ts";
import type { NewInvite, RevokedInvite } from "./invites.ts";
import { STANDARD_STAY, inviteCode, inviteRevoke, renderRevoked, stamp } from "./invites.ts";
import type { Declared, Operation } from "./operation.ts";
import { OWNER_ONLY, declare } from "./operation.ts";
import { SPAN_FORM } from "./span.ts";

/** Arguments of `invite`. */
export interface InviteArguments {
  readonly action?: "revoke" | undefined;
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly for?: string | undefined;
  readonly room?: string | undefined;
}

/** A made invite as a program may read it: the way in is for eyes only, or in a file that only its owner reads. */
export interface ShownInvite extends Omit<NewInvite, "code" | "url"> {
  readonly kind: "made";
  /** Where guests come in, without the code. */
  readonly url: string;
  /** The file that holds the link; null when it was shown. */
  readonly file: string | null;
}

/** Result of `invite`. */
export type InviteAnswer = ShownInvite | ({ readonly kind: "revoked" } & RevokedInvite);

/** `troupe invite`, and `troupe invite revoke ID`. */
export const inviteCommand: Declared<InviteArguments, InviteAnswer> = declare<InviteArguments, InviteAnswer>({
  name: "invite",
  summary: "let somebody into a room by a link that works once; invite revoke ID ends it",
  arguments: z.strictObject({
    action: z.enum(["revoke"]).optional().describe("revoke: end an invite, and at once the stay of whoever came in by it"),
    id: z.string().max(40).optional().describe("which one, as troupe invites lists it, or the beginning of it"),
    name: z.string().max(160).optional().describe("what the guest is called"),
    for: z.string().max(10).optional().describe(`how long they may stay, as ${SPAN_FORM}; ${STANDARD_STAY} without it`),
    room: z.string().max(40).optional().describe("the room, when there are several"),
  }),
  positional: ["action", "id"],
  who: OWNER_ONLY,
  result: z.discriminatedUnion("kind", [
    z.object({
      kind: z.literal("made"),
      id: z.string(),
      room: z.string(),
      title: z.string(),
      name: z.string(),
      untilMs: z.number(),
      url: z.string(),
      outside: z.boolean(),
      file: z.string().nullable(),
    }),
    z.object({ kind: z.literal("revoked"), id: z.string(), name: z.string(), room: z.string(), member: z.string().nullable() }),
  ]),
  render: (answer) => (answer.kind === "made" ? renderMade(answer) : renderRevoked(answer)),
});

function renderMade({ id, name, title, untilMs, outside, file }: ShownInvite): readonly Line[] {
  const who = printable(name, 60);
  const reach = outside ? [] : [toned("strong", line`Only this computer reaches that room; listen and public_url let others in.`)];
  return [
    ...(file === null ? [] : [line`The link is in this file, which only you can read: ${printable(file)}`]),
    line`It lets ${who} into ${printable(title)} as a guest, in one browser, until ${printable(stamp(untilMs))}. It is shown this once.`,
    ...reach,
    toned("faint", line`End it: troupe invite revoke ${printable(id)}`),
  ];
}

/** What the command needs of its own process. */
export interface InviteCommandNeeds {
  readonly screen: Screen;
  readonly json: boolean;
  readonly stateDirectory: string;
  /** Run an operation of the running process. */
  remote(name: string, args: unknown, signal: AbortSignal): Promise<unknown>;
}

/**
 * Bind `invite`: the running process makes it, and the link is shown to a person's eyes alone, with its picture for a phone; where
 * nobody looks at the output it goes into a private file, so that no code gets into a log (SE-086).
 */
export function bindInviteCommand(needs: InviteCommandNeeds): Operation {
  return inviteCommand.bind(async (args, { signal }) => {
    const given = Object.entries(args).filter(([, value]) => value !== undefined);
    if (args.action === "revoke") {
      if (args.id === undefined || given.length > 2)
        throw new RuntimeError("usage", "Cannot revoke: say which one, and nothing else: troupe invite revoke ID");
      const revoked = inviteRevoke.parse(await needs.remote(inviteRevoke.name, { id: args.id }, signal));
      await rm(fileOf(needs.stateDirectory, revoked.id), { force: true });
      return { kind: "revoked", ...revoked };
    }
    if (args.name === undefined) throw new RuntimeError("usage", "Cannot invite nobody: say who, as in troupe invite --name Kim --for 4h");
    const wish = {
      name: args.name,
      ...(args.for === undefined ? {} : { for: args.for }),
      ...(args.room === undefined ? {} : { room: args.room }),
    };
    const made = inviteCode.parse(await needs.remote(inviteCode.name, wish, signal));
    const { code: _, ...shown } = made;
    const isSeen = needs.screen.interactive && !needs.json;
    if (isSeen) await show(made, needs.screen);
    const file = isSeen ? null : await writeLink(needs.stateDirectory, made);
    return { kind: "made", ...shown, file };
  });
}

/** The link of an invite: its code stands in the fragment, which no browser sends anywhere. */
export function inviteLink({ url, code }: Pick<NewInvite, "url" | "code">): Printable {
  return printable(`${url.replace(/\/$/, "")}/#invite=${code}`);
}

/** A room that only this computer reaches needs no picture: no phone could open it. */
async function show(made: NewInvite, screen: Screen): Promise<void> {
  const link = inviteLink(made);
  screen.print([line``, toned("strong", line`  ${link}`), line``]);
  if (!made.outside) return;
  const { qrLines } = await import("./faces/qr-lines.ts");
  screen.print(qrLines(link, screen.columns));
}

function fileOf(stateDirectory: string, id: string): string {
  return join(stateDirectory, `invite-${id}.txt`);
}

async function writeLink(stateDirectory: string, made: NewInvite): Promise<string> {
  const path = fileOf(stateDirectory, made.id);
  try {
    await writeFile(path, `${inviteLink(made)}\n`, { mode: 0o600, flag: "wx" });
  } catch (cause) {
    throw new RuntimeError("state_unwritable", "Cannot write the link of the invite: the state folder takes no file; revoke the invite", {
      cause,
    });
  }
  return path;
}
