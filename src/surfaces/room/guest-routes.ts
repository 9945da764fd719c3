import { Hono } from "hono";
import { isRuntimeError } from "../../foundation/errors.ts";
import type { Log } from "../../foundation/log.ts";
import { answerFailure, answerJson, bearerOf, readJsonObject } from "../../web/answers.ts";
import type { Caller } from "../../web/caller.ts";
import type { FetchHandler } from "../../web/serve-request.ts";
import type { CountedAs } from "./address-limits.ts";
import { AddressLimits } from "./address-limits.ts";
import type { Member, Members } from "./members.ts";
import { NEW_MEMBERS } from "./members.ts";
import type { DoorAnswer, InviteAnswer, JoinAnswer, RedeemAnswer } from "./protocol.ts";
import type { Redemption } from "./redemption.ts";
import type { StageHandler } from "./stage-routes.ts";
import type { Stay, Viewer } from "./viewer.ts";

const MAX_TEXT = 256;

/** What the guests' handlers hold: members, the use of invites and the stage, and nothing else (SE-086). */
export interface GuestRoutesNeeds {
  readonly title: string;
  readonly members: Members;
  readonly redemption: Redemption;
  readonly limits: AddressLimits;
  readonly stage: StageHandler;
  readonly log: Log;
}

type Env = { Bindings: { from: Caller } };

/**
 * Make the room's handlers: which door this is, a name or an invite for a membership; every other route needs a member's secret
 * and is a guest's.
 */
export function createGuestRoutes(needs: GuestRoutesNeeds): FetchHandler {
  const { members } = needs;
  const app = new Hono<Env>();
  const bounded = (from: Caller, as: CountedAs): Response | null =>
    needs.limits.take(from, as) ? null : answerFailure("too_many", { retryAfterMs: AddressLimits.retryAfterMs(as) });
  app.use("*", async (context, next) => bounded(context.env.from, "request") ?? next());
  app.post("/api/door", (context) => bounded(context.env.from, "stranger") ?? answerJson(200, doorOf(members)));
  app.use("/api/members", async (context, next) => bounded(context.env.from, "arrival") ?? next());
  app.use("/api/invites/*", async (context, next) => bounded(context.env.from, "arrival") ?? next());
  app.post("/api/members", (context) => join(members, context.req.raw));
  app.post("/api/invites/look", (context) => look(needs, context.req.raw));
  app.post("/api/invites/redeem", (context) => redeem(needs.redemption, context.req.raw));
  app.all("*", async (context) => {
    const secret = bearerOf(context.req.raw);
    const known = secret === null ? ({ kind: "unknown" } as const) : await members.authenticate(secret);
    if (known.kind !== "member")
      return (
        bounded(context.env.from, "stranger") ??
        answerFailure("unauthorized", { door: "room", ...(known.kind === "ended" ? { ended: known.why } : {}) })
      );
    const isLeaving = context.req.method === "POST" && context.req.path === "/api/leave";
    if (isLeaving) await members.drop(known.member.principal);
    return needs.stage(context.req.raw, guest(members, known.member, secret ?? ""));
  });
  app.onError((error) => {
    needs.log.failure("room_request_failed", error);
    return answerFailure(isRuntimeError(error, "closed") ? "closing" : "failed");
  });
  return (request, from) => app.fetch(request, { from });
}

function doorOf({ door }: Members): DoorAnswer {
  return { door: "room", entry: door };
}

async function join(members: Members, request: Request): Promise<Response> {
  const name = textsIn(await readJsonObject(request), "name")?.[0];
  if (name === undefined) return answerFailure("bad_request");
  const joined = await members.join(name);
  if (joined.kind === "too_many") return answerFailure("too_many", { retryAfterMs: NEW_MEMBERS.everyMs });
  if (joined.kind !== "joined") return answerFailure(joined.kind);
  const answer: JoinAnswer = { id: joined.member.principal, name: joined.member.name, secret: joined.secret };
  return answerJson(201, answer);
}

async function look({ redemption, title }: GuestRoutesNeeds, request: Request): Promise<Response> {
  const code = textsIn(await readJsonObject(request), "code")?.[0];
  if (code === undefined) return answerFailure("bad_request");
  const looked = redemption.look(code);
  const answer: InviteAnswer = looked.state === "open" ? { ...looked, title } : looked;
  return answerJson(200, answer);
}

async function redeem(redemption: Redemption, request: Request): Promise<Response> {
  const [code, claim] = textsIn(await readJsonObject(request), "code", "claim") ?? [];
  if (code === undefined || claim === undefined) return answerFailure("bad_request");
  const redeemed = await redemption.redeem(code, claim);
  if (redeemed.kind === "too_many") return answerFailure("too_many", { retryAfterMs: 10_000 });
  const answer: RedeemAnswer =
    redeemed.kind === "joined"
      ? { state: "joined", id: redeemed.member.principal, name: redeemed.member.name, secret: redeemed.secret }
      : { state: redeemed.kind };
  return answerJson(200, answer);
}

/** The named fields of a body, all of them text of a bounded length; null for anything else. */
function textsIn(body: Readonly<Record<string, unknown>> | null, ...names: readonly string[]): readonly string[] | null {
  const texts = names.map((name) => body?.[name]).filter((text) => typeof text === "string");
  return texts.length === names.length && texts.every((text) => text.length <= MAX_TEXT) ? texts : null;
}

function guest(members: Members, member: Member, secret: string): Viewer {
  return {
    principal: member.principal,
    name: member.name,
    role: "guest",
    assurance: "anonymous",
    untilMs: member.untilMs,
    operator: null,
    keep: async (): Promise<Stay> => {
      const known = await members.authenticate(secret);
      if (known.kind === "member") return "stays";
      return known.kind === "ended" ? known.why : "ended";
    },
  };
}
