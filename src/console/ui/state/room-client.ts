import { linkSignals, orAbort, withDeadline } from "../../../foundation/cancellation.ts";
import type { Clock } from "../../../foundation/clock.ts";
import { RuntimeError } from "../../../foundation/errors.ts";
import type {
  ApiError,
  DoorAnswer,
  EndReason,
  ExchangeAnswer,
  InviteAnswer,
  InviteRequest,
  JoinAnswer,
  JoinRequest,
  LinesPage,
  OperatorWhyView,
  PlaceView,
  RedeemAnswer,
  RedeemRequest,
  SayAnswer,
  SayRequest,
  StreamEvent,
  WhyView,
} from "../../../surfaces/room/protocol.ts";
import { JsonLines } from "./json-lines.ts";
import {
  isApiError,
  isDoorAnswer,
  isExchangeAnswer,
  isInviteAnswer,
  isJoinAnswer,
  isLinesPage,
  isNothing,
  isRedeemAnswer,
  isSayAnswer,
  isStreamEvent,
  isWhyView,
} from "./wire-guards.ts";

/** How long one request may take before the link counts as down. */
export const REQUEST_MS = 10_000;
/** Silence after which the stream counts as lost: three missed beats. */
export const SILENCE_MS = 30_000;

/** How a request ended. `unreachable` covers what never arrived or never came back: nobody knows whether it took effect. */
export type Answer<T> =
  | { readonly kind: "ok"; readonly value: T }
  | { readonly kind: "refused"; readonly status: number; readonly error: ApiError }
  | { readonly kind: "unreachable" };

/** How a stream ended. */
export type StreamEnd =
  | { readonly kind: "refused"; readonly error: ApiError }
  | { readonly kind: "ended"; readonly reason: EndReason }
  | { readonly kind: "lost" }
  /** Let go by the page itself. */
  | { readonly kind: "dropped" };

/** What the client stands on; all of it can be faked. */
export interface RoomClientNeeds {
  readonly fetch: (path: string, init: RequestInit) => Promise<Response>;
  readonly clock: Clock;
  /** The member's secret or the console's token, if there is one. It goes into a header, never into a URL (SE-086). */
  readonly bearer: () => string | null;
  /** The room of `?room=`, in the console; null for the first. */
  readonly room: string | null;
}

/** The requests of `surfaces/room/protocol.ts`, each with its own end and none retried here. */
export class RoomClient {
  readonly #needs: RoomClientNeeds;

  constructor(needs: RoomClientNeeds) {
    this.#needs = needs;
  }

  /** Become a member under a name. */
  join(name: string, signal: AbortSignal): Promise<Answer<JoinAnswer>> {
    return this.#call("POST", "/api/members", { body: { name } satisfies JoinRequest, isValue: isJoinAnswer }, signal);
  }

  /** Look at an invite. */
  look(code: string, signal: AbortSignal): Promise<Answer<InviteAnswer>> {
    return this.#call("POST", "/api/invites/look", { body: { code } satisfies InviteRequest, isValue: isInviteAnswer }, signal);
  }

  /** Use an invite up. */
  redeem(request: RedeemRequest, signal: AbortSignal): Promise<Answer<RedeemAnswer>> {
    return this.#call("POST", "/api/invites/redeem", { body: request, isValue: isRedeemAnswer }, signal);
  }

  /** Exchange a one-time code for a session. */
  exchange(code: string, signal: AbortSignal): Promise<Answer<ExchangeAnswer>> {
    return this.#call("POST", "/api/exchange", { body: { code }, isValue: isExchangeAnswer }, signal);
  }

  /**
   * Learn which of the two doors this is. It is asked without a credential: a refusal says it as well, but leaves an error in
   * the browser's console.
   */
  async door(signal: AbortSignal): Promise<Answer<DoorAnswer>> {
    const answer = await this.#call("POST", "/api/door", { body: {}, isValue: isDoorAnswer }, signal);
    return answer.kind === "refused" && answer.error.door !== undefined ? { kind: "ok", value: { door: answer.error.door } } : answer;
  }

  /** Read the page of lines that a mark points at. */
  lines(place: PlaceView, older: string, signal: AbortSignal): Promise<Answer<LinesPage>> {
    const query = place.kind === "public" ? { place: "public", older } : { place: "direct", character: place.character, older };
    return this.#call("GET", this.#staged("/api/lines", query), { isValue: isLinesPage }, signal);
  }

  /** Say a line. The same `clientLineId` again is the same line. */
  say(request: SayRequest, signal: AbortSignal): Promise<Answer<SayAnswer>> {
    return this.#call("POST", this.#staged("/api/lines", {}), { body: request, isValue: isSayAnswer }, signal);
  }

  /** Ask why a line was answered or not. */
  why(lineId: string, signal: AbortSignal): Promise<Answer<WhyView | OperatorWhyView>> {
    return this.#call("GET", this.#staged(`/api/lines/${encodeURIComponent(lineId)}/why`, {}), { isValue: isWhyView }, signal);
  }

  /** Leave the room: the membership ends. */
  leave(signal: AbortSignal): Promise<Answer<null>> {
    return this.#call("POST", this.#staged("/api/leave", {}), { body: {}, isValue: isNothing }, signal);
  }

  /**
   * Read the stream until it ends, and say how. Never throws for what a network does; rejects with the signal's reason.
   */
  async stream(onEvent: (event: StreamEvent) => void, signal: AbortSignal): Promise<StreamEnd> {
    using link = linkSignals(signal);
    // Only the beginning has a deadline: from the headers on, silence is what ends a stream.
    using opening = this.#needs.clock.after(REQUEST_MS, () =>
      link.abort(new RuntimeError("deadline", "Cannot open the stream: it took too long")),
    );
    try {
      const response = await this.#needs.fetch(this.#staged("/api/stream", {}), {
        headers: this.#headers(false),
        signal: link.signal,
        cache: "no-store",
      });
      if (!response.ok) return { kind: "refused", error: toApiError(await bodyOf(response)) };
      opening[Symbol.dispose]();
      if (response.body === null) return { kind: "lost" };
      return await this.#read(response.body.pipeThrough(new TextDecoderStream()).getReader(), onEvent, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      return { kind: "lost" };
    }
  }

  async #read(reader: ReadableStreamDefaultReader<string>, onEvent: (event: StreamEvent) => void, signal: AbortSignal): Promise<StreamEnd> {
    const lines = new JsonLines();
    try {
      for (;;) {
        using silence = withDeadline(this.#needs.clock, SILENCE_MS, signal);
        const { done, value } = await orAbort(reader.read(), silence.signal);
        if (done) return { kind: "lost" };
        for (const event of lines.push(value)) {
          if (!isStreamEvent(event)) continue;
          if (event.type === "end") return { kind: "ended", reason: event.reason };
          onEvent(event);
        }
      }
    } finally {
      reader.cancel().catch(() => undefined);
    }
  }

  async #call<T>(
    method: "GET" | "POST",
    path: string,
    shape: { readonly body?: object; readonly isValue: (value: unknown) => value is T },
    signal: AbortSignal,
  ): Promise<Answer<T>> {
    using deadline = withDeadline(this.#needs.clock, REQUEST_MS, signal);
    try {
      const hasBody = shape.body !== undefined;
      const response = await this.#needs.fetch(path, {
        method,
        headers: this.#headers(hasBody),
        signal: deadline.signal,
        cache: "no-store",
        ...(hasBody ? { body: JSON.stringify(shape.body) } : {}),
      });
      const value = await bodyOf(response);
      if (response.ok && shape.isValue(value)) return { kind: "ok", value };
      return { kind: "refused", status: response.status, error: toApiError(value) };
    } catch (error) {
      if (signal.aborted) throw error;
      return { kind: "unreachable" };
    }
  }

  #headers(hasBody: boolean): Record<string, string> {
    const bearer = this.#needs.bearer();
    return {
      ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
      ...(hasBody ? { "content-type": "application/json" } : {}),
    };
  }

  #staged(path: string, query: Readonly<Record<string, string>>): string {
    const all = new URLSearchParams(query);
    if (this.#needs.room !== null) all.set("room", this.#needs.room);
    return all.size === 0 ? path : `${path}?${all.toString()}`;
  }
}

async function bodyOf(response: Response): Promise<unknown> {
  const text = await response.text();
  if (text === "") return null;
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch (error) {
    throw new RuntimeError("internal", "Cannot read an answer: it is no JSON", { cause: error });
  }
}

function toApiError(value: unknown): ApiError {
  return isApiError(value) ? value : { code: "failed", message: "The answer was not understood." };
}
