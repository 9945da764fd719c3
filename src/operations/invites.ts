import { z } from "zod";
import type { Clock } from "../foundation/clock.ts";
import { RuntimeError } from "../foundation/errors.ts";
import type { Line } from "../foundation/line.ts";
import { columns, line, text, toned } from "../foundation/line.ts";
import type { Printable } from "../foundation/printable.ts";
import { printable } from "../foundation/printable.ts";
import type { InviteId } from "../vocabulary/ids.ts";
import { parseInviteId } from "../vocabulary/ids.ts";
import type { PrincipalId } from "../vocabulary/principal.ts";
import type { Declared, Operation } from "./operation.ts";
import { OWNER_ONLY, declare } from "./operation.ts";
import { SPAN_FORM, parseSpan } from "./span.ts";

/** How long an invite is good for where nobody says. */
export const STANDARD_STAY: string = "4h";
/** Longest stay, in milliseconds: two weeks. */
export const MAX_STAY_MS: number = 14 * 86_400_000;

const STATES = ["open", "used", "expired", "revoked"] as const;
/** What an invite is good for: `open` lets somebody in; by a `used` one somebody is in. */
export type InviteState = (typeof STATES)[number];

/** One invite, without its code: that was told once. */
export interface InviteView {
  readonly id: string;
  readonly room: string;
  readonly name: string;
  readonly state: InviteState;
  readonly madeAtMs: number;
  readonly untilMs: number;
  /** When somebody came in by it, and under which id. */
  readonly usedAtMs: number | null;
  readonly member: string | null;
}

/** A new invite with the way in: for whoever shows it to the operator once, and keeps it nowhere. */
export interface NewInvite {
  readonly id: string;
  readonly room: string;
  /** The room's name for people. */
  readonly title: string;
  readonly name: string;
  readonly untilMs: number;
  readonly url: string;
  readonly code: string;
  /** False while only this computer reaches the room. */
  readonly outside: boolean;
}

/** Arguments of `invite-code`. */
export interface InviteCodeArguments {
  readonly name: string;
  readonly for?: string | undefined;
  readonly room?: string | undefined;
}

/** A room as invites see it. */
export interface InvitingRoom {
  readonly name: string;
  readonly title: string;
  /** Where guests come in; null while it is not open. */
  readonly url: string | null;
  readonly outside: boolean;
  invite(wish: { readonly name: string; readonly forMs: number; readonly by: PrincipalId }): Promise<MadeOrNot>;
  /** Show somebody out at once. */
  dismiss(person: PrincipalId, reason: "revoked"): void;
}

/** What a room says to the wish for an invite. */
export type MadeOrNot =
  | { readonly kind: "made"; readonly id: string; readonly code: string; readonly name: string; readonly untilMs: number }
  | { readonly kind: "name_invalid" | "name_reserved" | "name_taken" | "full" };

/** Where invites are kept. */
export interface InviteLedger {
  list(): readonly (Omit<InviteView, "state" | "member"> & { readonly revokedAtMs: number | null; readonly member: PrincipalId | null })[];
  revoke(row: {
    readonly id: InviteId;
    readonly by: PrincipalId;
    readonly atMs: number;
  }): Promise<{ readonly revoked: boolean; readonly member: PrincipalId | null }>;
}

const view: z.ZodType<InviteView> = z.object({
  id: z.string(),
  room: z.string(),
  name: z.string(),
  state: z.enum(STATES),
  madeAtMs: z.number(),
  untilMs: z.number(),
  usedAtMs: z.number().nullable(),
  member: z.string().nullable(),
});

/** Asks the running process for an invite; the command line shows it, as `troupe invite`. */
export const inviteCode: Declared<InviteCodeArguments, NewInvite> = declare<InviteCodeArguments, NewInvite>({
  name: "invite-code",
  summary: "make an invite, and give its one-time code",
  arguments: z.strictObject({
    name: z.string().max(160).describe("what the guest is called"),
    for: z.string().max(10).optional().describe(`how long, as ${SPAN_FORM}; ${STANDARD_STAY} without it`),
    room: z.string().max(40).optional().describe("the room, when there are several"),
  }),
  positional: ["name"],
  who: OWNER_ONLY,
  result: z.object({
    id: z.string(),
    room: z.string(),
    title: z.string(),
    name: z.string(),
    untilMs: z.number(),
    url: z.string(),
    code: z.string(),
    outside: z.boolean(),
  }),
  render: () => [line`An invite was made; troupe invite shows the way in.`],
});

/** Result of `invites`. */
export interface InvitesAnswer {
  readonly invites: readonly InviteView[];
}

/** `troupe invites`. */
export const invites: Declared<Record<string, never>, InvitesAnswer> = declare<Record<string, never>, InvitesAnswer>({
  name: "invites",
  summary: "list invites: who was asked, who came, until when",
  arguments: z.strictObject({}),
  positional: [],
  who: OWNER_ONLY,
  result: z.object({ invites: z.array(view) }),
  render: ({ invites: listed }) =>
    listed.length === 0
      ? [line`There are no invites. Make one: troupe invite --name NAME`]
      : columns([["id", "name", "room", "state", "until", "who"].map((word) => printable(word)), ...listed.map(rowOf)], 0),
});

function rowOf(one: InviteView): readonly Printable[] {
  const state = one.state === "used" ? printable(`in since ${stamp(one.usedAtMs ?? one.madeAtMs)}`) : printable(one.state);
  return [
    printable(one.id),
    printable(one.name, 60),
    printable(one.room),
    state,
    printable(stamp(one.untilMs)),
    printable(one.member ?? ""),
  ];
}

/** A moment as the other lists show it. */
export function stamp(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 16)}Z`;
}

/** Result of `invite-revoke`. */
export interface RevokedInvite {
  readonly id: string;
  readonly name: string;
  readonly room: string;
  /** Who was shown out; null when nobody had come in by it. */
  readonly member: string | null;
}

/** Ends an invite, and at once the stay of whoever came in by it; the command line has it as `troupe invite revoke`. */
export const inviteRevoke: Declared<{ readonly id: string }, RevokedInvite> = declare<{ readonly id: string }, RevokedInvite>({
  name: "invite-revoke",
  summary: "end an invite, and at once the stay of whoever came in by it",
  arguments: z.strictObject({ id: z.string().max(40).describe("its id, or the beginning of it") }),
  positional: ["id"],
  who: OWNER_ONLY,
  result: z.object({ id: z.string(), name: z.string(), room: z.string(), member: z.string().nullable() }),
  render: renderRevoked,
});

/** Say what was ended. */
export function renderRevoked({ id, name, room, member }: RevokedInvite): readonly Line[] {
  const what = member === null ? text`nobody had come in by it` : text`${printable(member)} is out, and can say nothing more`;
  return [toned("good", line`Revoked: ${printable(id)}, ${printable(name, 60)} in ${printable(room)}; ${what}.`)];
}

/** What making and ending invites needs. */
export interface InviteNeeds {
  readonly clock: Pick<Clock, "nowMs">;
  readonly ledger: InviteLedger;
  readonly rooms: () => readonly InvitingRoom[];
}

/** Bind the making of invites to the rooms that are open. */
export function bindInviteCode(rooms: InviteNeeds["rooms"]): Operation {
  return inviteCode.bind(async (args, { actor }) => {
    const forMs = parseSpan(args.for ?? STANDARD_STAY);
    if (forMs > MAX_STAY_MS) throw new RuntimeError("usage", "Cannot invite for so long: a stay is two weeks at most (14d)");
    const room = roomOf(args.room, rooms());
    const made = await room.invite({ name: args.name, forMs, by: actor.principal });
    if (made.kind !== "made") throw refusalOf(made.kind);
    const { id, code, name, untilMs } = made;
    return { id, room: room.name, title: room.title, name, untilMs, url: room.url ?? "", code, outside: room.outside };
  });
}

/** Bind the list and the ending to where invites are kept; where no process runs, there are no rooms to show anybody out of. */
export function bindInvites({ clock, ledger, rooms }: InviteNeeds): readonly Operation[] {
  return [
    invites.bind(() => {
      const nowMs = clock.nowMs();
      return Promise.resolve({ invites: ledger.list().map((one) => viewOf(one, nowMs)) });
    }),
    inviteRevoke.bind(async ({ id: written }, { actor }) => {
      const found = findInvite(ledger.list(), written);
      const { revoked, member } = await ledger.revoke({ id: parseInviteId(found.id), by: actor.principal, atMs: clock.nowMs() });
      if (!revoked) throw new RuntimeError("usage", `Cannot revoke ${printable(found.id)}: it was revoked before`);
      if (member !== null) for (const room of rooms()) if (room.name === found.room) room.dismiss(member, "revoked");
      return { id: found.id, name: found.name, room: found.room, member };
    }),
  ];
}

function viewOf(one: ReturnType<InviteLedger["list"]>[number], nowMs: number): InviteView {
  const { id, room, name, madeAtMs, untilMs, usedAtMs, member } = one;
  const state = one.revokedAtMs !== null ? "revoked" : untilMs <= nowMs ? "expired" : member === null ? "open" : "used";
  return { id, room, name, state, madeAtMs, untilMs, usedAtMs, member };
}

function findInvite<One extends { readonly id: string }>(list: readonly One[], written: string): One {
  const [found, ...others] = list.filter(({ id }) => id.startsWith(written.trim()));
  if (found === undefined || written.trim() === "")
    throw new RuntimeError("not_found", "Cannot find that invite: troupe invites lists what there is");
  if (others.length > 0 && found.id !== written.trim())
    throw new RuntimeError("usage", "Cannot tell which invite is meant: several begin so; write more of the id");
  return found;
}

function roomOf(named: string | undefined, rooms: readonly InvitingRoom[]): InvitingRoom {
  const open = rooms.filter(({ url }) => url !== null);
  const names = open.map(({ name }) => name).join(", ");
  if (open.length === 0) throw new RuntimeError("not_found", "Cannot invite anybody: no room is configured");
  if (named === undefined && open.length > 1)
    throw new RuntimeError("usage", `Cannot tell into which room: name it with --room. There is: ${printable(names)}`);
  const found = named === undefined ? open[0] : open.find(({ name }) => name === named);
  if (found === undefined)
    throw new RuntimeError("not_found", `Cannot invite into that: there is no such room. There is: ${printable(names)}`);
  return found;
}

const REFUSALS: Readonly<Record<Exclude<MadeOrNot["kind"], "made">, string>> = {
  name_invalid: "a name has 1 to 40 visible characters",
  name_reserved: "that name, or one that looks like it, is a character's, yours or the room's own",
  name_taken: "somebody has that name, or one that looks like it; end theirs first (troupe invites), or choose another",
  full: "too many invites are open; end some (troupe invites)",
};

function refusalOf(kind: keyof typeof REFUSALS): RuntimeError {
  return new RuntimeError("usage", `Cannot invite under that name: ${REFUSALS[kind]}`);
}
