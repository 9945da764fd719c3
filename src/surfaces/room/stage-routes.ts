import { Hono } from "hono";
import type { Clock } from "../../foundation/clock.ts";
import type { Log } from "../../foundation/log.ts";
import type { TaskGroup } from "../../foundation/task-group.ts";
import { isRuntimeError } from "../../foundation/errors.ts";
import { answerFailure, answerJson, answerStream, readJsonObject } from "../../web/answers.ts";
import { EventStream } from "../../web/event-stream.ts";
import { KeyedLimiter } from "./keyed-limiter.ts";
import type { PlaceView, SayRequest, StreamEvent } from "./protocol.ts";
import { MAX_LINE_BYTES } from "./stage.ts";
import type { Stage } from "./stage.ts";
import type { Viewer } from "./viewer.ts";

/** Lines of one person: 30 at once, then one a second. Budgets are the road's; this only bounds what reaches it. */
const LINES = { burst: 30, everyMs: 1_000, maxKeys: 4_096 } as const;
/** Other requests of one person: 120 at once, then ten a second. */
const READS = { burst: 120, everyMs: 100, maxKeys: 4_096 } as const;
const MAX_PAGES_OF_ONE = 8;
/** Guests' pages together; an operator's are not among them, so no crowd keeps one out (SE-090). */
const MAX_GUEST_PAGES = 200;
/** Of these, what guests whom nobody invited can fill. */
const MAX_UNINVITED_PAGES = 150;
const CLIENT_LINE_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** What the routes stand on. */
export interface StageRoutesNeeds {
  readonly stage: Stage;
  readonly clock: Clock;
  readonly log: Log;
  /** Runs what nobody awaits; its signal ends what is being said when the room closes. */
  readonly tasks: TaskGroup;
}

/** Answers a stage route for a viewer whom the caller has authenticated. */
export type StageHandler = (request: Request, viewer: Viewer) => Promise<Response>;

type Env = { Bindings: { viewer: Viewer } };

/** Make the stage's routes: the same for a guest in the room and the owner in the console. */
export function createStageRoutes(needs: StageRoutesNeeds): StageHandler {
  const { stage, clock } = needs;
  const lines = new KeyedLimiter(clock, LINES);
  const reads = new KeyedLimiter(clock, READS);
  const app = new Hono<Env>();
  app.use("*", async (context, next) => {
    const free = context.req.method === "POST" || reads.tryTake(context.env.viewer.principal);
    if (!free) return answerFailure("too_many", { retryAfterMs: READS.everyMs });
    return next();
  });
  app.get("/api/room", (context) => answerJson(200, stage.view(context.env.viewer)));
  app.get("/api/stream", (context) => openStream(needs, context.env.viewer));
  app.get("/api/lines", (context) => {
    const where = placeOf(context.req.query("place"), context.req.query("character"));
    const page = where === null ? null : stage.page(context.env.viewer, where, context.req.query("older") ?? null);
    return page === null ? answerFailure("not_found") : answerJson(200, page);
  });
  app.post("/api/lines", async (context) => {
    const { viewer } = context.env;
    if (!lines.tryTake(viewer.principal)) return answerFailure("too_many", { retryAfterMs: LINES.everyMs });
    return say(needs, viewer, context.req.raw);
  });
  app.get("/api/lines/:id/why", (context) => {
    const why = stage.why(context.env.viewer, context.req.param("id"));
    return why === null ? answerFailure("not_found") : answerJson(200, why);
  });
  app.post("/api/leave", (context) => {
    stage.dismiss(context.env.viewer.principal, "left");
    return new Response(null, { status: 204 });
  });
  app.notFound(() => answerFailure("not_found"));
  app.onError((error) => {
    needs.log.failure("room_request_failed", error);
    return answerFailure(isRuntimeError(error, "closed") ? "closing" : "failed");
  });
  return async (request, viewer) => app.fetch(request, { viewer });
}

function openStream(needs: StageRoutesNeeds, viewer: Viewer): Response {
  const { stage, clock, tasks } = needs;
  const open = stage.pages(viewer.principal);
  if (tasks.signal.aborted) return answerFailure("closing");
  const uninvited = viewer.untilMs === null && open.uninvited >= MAX_UNINVITED_PAGES;
  const full = viewer.role === "guest" && (open.guests >= MAX_GUEST_PAGES || uninvited);
  if (open.own >= MAX_PAGES_OF_ONE || full) return answerFailure("too_many", { retryAfterMs: 10_000 });
  const held = new DisposableStack();
  const stream: EventStream<StreamEvent> = new EventStream<StreamEvent>({
    clock,
    beat: () => {
      if (!tasks.signal.aborted)
        tasks.start(async (signal) => {
          const stay = await viewer.keep(signal);
          if (stay !== "stays") stream.end({ type: "end", reason: stay });
        });
      return { type: "beat", nowMs: clock.nowMs() };
    },
    slow: { type: "end", reason: "slow" },
    onEnd: () => held.dispose(),
  });
  if (viewer.untilMs !== null)
    held.use(clock.after(Math.max(0, viewer.untilMs - clock.nowMs()), () => stream.end({ type: "end", reason: "expired" })));
  held.use(stage.attach(viewer, stream));
  return answerStream(stream.body);
}

async function say(needs: StageRoutesNeeds, viewer: Viewer, request: Request): Promise<Response> {
  const body = await readJsonObject(request);
  const parsed = body === null ? null : parseSay(body);
  if (parsed === null) return answerFailure("bad_request");
  if (Buffer.byteLength(parsed.text) > MAX_LINE_BYTES) return answerFailure("too_large");
  // Under the room's signal: a page that goes away after asking must not leave it open whether the line was kept.
  const answer = await needs.stage.say(viewer, parsed, needs.tasks.signal);
  return answer === null ? answerFailure("bad_request") : answerJson(202, answer);
}

function parseSay(body: Readonly<Record<string, unknown>>): SayRequest | null {
  const { clientLineId, to, text } = body;
  const hidden = body["private"];
  if (typeof clientLineId !== "string" || !CLIENT_LINE_ID.test(clientLineId)) return null;
  if (typeof text !== "string" || text.trim() === "" || typeof hidden !== "boolean") return null;
  if (to !== null && typeof to !== "string") return null;
  return { clientLineId, to, private: hidden, text };
}

function placeOf(place: string | undefined, character: string | undefined): PlaceView | null {
  if (place === "public") return { kind: "public" };
  return place === "direct" && character !== undefined ? { kind: "direct", character } : null;
}
