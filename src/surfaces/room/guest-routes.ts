import { Hono } from "hono";
import { isRuntimeError } from "../../foundation/errors.ts";
import type { Log } from "../../foundation/log.ts";
import { answerFailure, answerJson, bearerOf, readJsonObject } from "../../web/answers.ts";
import type { FetchHandler } from "../../web/serve-request.ts";
import type { Member, Members } from "./members.ts";
import { NEW_MEMBERS } from "./members.ts";
import type { DoorAnswer, JoinAnswer, JoinRequest } from "./protocol.ts";
import type { StageHandler } from "./stage-routes.ts";
import type { Viewer } from "./viewer.ts";

/** What the guests' handlers hold: members and the stage, and nothing else (SE-086). */
export interface GuestRoutesNeeds {
  readonly members: Members;
  readonly stage: StageHandler;
  readonly log: Log;
}

const DOOR: DoorAnswer = { door: "room" };

/** Make the room's handlers: one route says which door this is, one makes a member, every other needs a member's secret and is a guest's. */
export function createGuestRoutes(needs: GuestRoutesNeeds): FetchHandler {
  const app = new Hono();
  app.get("/api/door", () => answerJson(200, DOOR));
  app.post("/api/members", (context) => join(needs.members, context.req.raw));
  app.all("*", async (context) => {
    const secret = bearerOf(context.req.raw);
    const member = secret === null ? null : await needs.members.authenticate(secret);
    if (member === null) return answerFailure("unauthorized", { door: "room" });
    return needs.stage(context.req.raw, guest(needs.members, member, secret ?? ""));
  });
  app.onError((error) => {
    needs.log.failure("room_request_failed", error);
    return answerFailure(isRuntimeError(error, "closed") ? "closing" : "failed");
  });
  return (request) => app.fetch(request);
}

async function join(members: Members, request: Request): Promise<Response> {
  const body = await readJsonObject(request);
  const wanted = parseJoin(body);
  if (wanted === null) return answerFailure("bad_request");
  const joined = await members.join(wanted.name);
  if (joined.kind === "too_many") return answerFailure("too_many", { retryAfterMs: NEW_MEMBERS.everyMs });
  if (joined.kind !== "joined") return answerFailure(joined.kind);
  const answer: JoinAnswer = { id: joined.member.principal, name: joined.member.name, secret: joined.secret };
  return answerJson(201, answer);
}

function parseJoin(body: Readonly<Record<string, unknown>> | null): JoinRequest | null {
  const name = body?.["name"];
  return typeof name === "string" ? { name } : null;
}

function guest(members: Members, member: Member, secret: string): Viewer {
  return {
    principal: member.principal,
    name: member.name,
    role: "guest",
    assurance: "anonymous",
    operator: null,
    keep: async () => void (await members.authenticate(secret)),
  };
}
