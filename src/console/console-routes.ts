import { Hono } from "hono";
import type { Log } from "../foundation/log.ts";
import { runOverHttp } from "../operations/faces/http.ts";
import { LOCAL_ACTOR } from "../operations/local-actor.ts";
import type { Operations } from "../operations/operations.ts";
import { mayCall } from "../operations/operations.ts";
import type {
  DoorAnswer,
  ExchangeAnswer,
  ExchangeRequest,
  OperationAnswer,
  OperationsView,
  OperatorView,
} from "../surfaces/room/protocol.ts";
import type { MessageId, TurnId } from "../vocabulary/ids.ts";
import { parseMessageId, parseTurnId } from "../vocabulary/ids.ts";
import type { Assurance, PrincipalId } from "../vocabulary/principal.ts";
import { answerFailure, answerJson, bearerOf, readJsonObject } from "../web/answers.ts";
import type { FetchHandler } from "../web/serve-request.ts";
import type { Explained } from "./explanation.ts";
import { toOperatorWhy } from "./explanation.ts";
import { answerMcp } from "./mcp-route.ts";
import type { Sessions } from "./sessions.ts";

/** The owner as a room's stage sees them. */
export interface ConsoleViewer {
  readonly principal: PrincipalId;
  readonly name: string;
  readonly role: "operator";
  readonly assurance: Extract<Assurance, "local">;
  readonly untilMs: null;
  readonly operator: {
    readonly view: OperatorView;
    readonly model: { readonly model: string; readonly firstTokenMs: number | null } | null;
  };
  readonly keep: (signal: AbortSignal) => Promise<"stays">;
}

/** A room as the console sees it. */
export interface ConsoleRoom {
  readonly name: string;
  readonly title: string;
  /** Where guests come in; null while it is not open. */
  readonly url: string | null;
  serve(request: Request, viewer: ConsoleViewer): Promise<Response>;
}

/** A line asked about: a person's by itself, a character's by its turn, as pages know them. */
export type LineAsked = { readonly message: MessageId } | { readonly turn: TurnId };

/** What the console's handlers stand on. */
export interface ConsoleRoutesNeeds {
  readonly sessions: Sessions;
  readonly rooms: () => readonly ConsoleRoom[];
  readonly operations: Operations;
  /** What became of a message, or of the one that a turn answered; null when there is none. */
  readonly why: (line: LineAsked) => Explained | null;
  readonly viewer: () => ConsoleViewer;
  readonly log: Log;
}

const DOOR: DoorAnswer = { door: "console" };

/** Make the console's handlers: one route says which door this is, one exchanges a code, every other needs a session's token (SE-086). Work that was asked for goes on under `signal` when its page goes away. */
export function createConsoleRoutes(needs: ConsoleRoutesNeeds, signal: AbortSignal): FetchHandler {
  const app = new Hono();
  app.post("/api/door", () => answerJson(200, DOOR));
  app.post("/api/exchange", (context) => exchange(needs.sessions, context.req.raw));
  app.all("/api/mcp", (context) => answerMcp(needs.operations, context.req.raw, signal));
  app.use("*", async (context, next) => {
    const token = bearerOf(context.req.raw);
    if (token === null || !needs.sessions.knows(token)) return answerFailure("unauthorized", { door: "console" });
    return next();
  });
  app.get("/api/lines/:id/why", (context) => {
    const line = lineOf(context.req.param("id"));
    const explained = line === null ? null : needs.why(line);
    return explained === null ? answerFailure("not_found") : answerJson(200, toOperatorWhy(explained));
  });
  app.get("/api/operations", () => answerJson(200, listOperations(needs.operations)));
  app.post("/api/operations/:name", async (context) => {
    const call = { name: context.req.param("name"), body: await readJsonObject(context.req.raw), actor: LOCAL_ACTOR };
    const { status, body } = await runOverHttp(needs.operations, call, signal);
    const answer: OperationAnswer = body;
    return answerJson(status, answer);
  });
  app.all("*", (context) => {
    const wanted = context.req.query("room");
    const room = needs.rooms().find(({ name }) => wanted === undefined || name === wanted);
    return room === undefined ? answerFailure("not_found") : room.serve(context.req.raw, needs.viewer());
  });
  app.onError((error) => {
    needs.log.failure("console_request_failed", error);
    return answerFailure("failed");
  });
  return (request) => app.fetch(request);
}

async function exchange(sessions: Sessions, request: Request): Promise<Response> {
  const asked = parseExchange(await readJsonObject(request));
  if (asked === null) return answerFailure("bad_request");
  const exchanged = sessions.exchange(asked.code);
  if (exchanged.kind === "closed") return answerFailure("too_many", { retryAfterMs: Math.ceil(exchanged.retryAfterMs) });
  if (exchanged.kind === "refused") return answerFailure("unauthorized", { door: "console" });
  const answer: ExchangeAnswer = { token: exchanged.token };
  return answerJson(201, answer);
}

function parseExchange(body: Readonly<Record<string, unknown>> | null): ExchangeRequest | null {
  const code = body?.["code"];
  return typeof code === "string" && code.length <= 256 ? { code } : null;
}

function listOperations(operations: Operations): OperationsView {
  const mine = operations.list.filter(({ who }) => mayCall(who, LOCAL_ACTOR));
  return { operations: mine.map(({ name, summary }) => ({ name, summary })) };
}

function lineOf(text: string): LineAsked | null {
  try {
    return text.startsWith("t-") ? { turn: parseTurnId(text) } : { message: parseMessageId(text) };
  } catch {
    // No id of ours: it stands for nothing.
    return null;
  }
}
