/** Codes of interface answers that are no success. */
export type FailureCode =
  | "unauthorized"
  | "invited_only"
  | "forbidden"
  | "not_found"
  | "bad_request"
  | "name_taken"
  | "name_invalid"
  | "too_many"
  | "too_large"
  | "method_not_allowed"
  | "closing"
  | "failed";

const FAILURES: Readonly<Record<FailureCode, { readonly status: number; readonly message: string }>> = {
  unauthorized: { status: 401, message: "This needs a valid token." },
  invited_only: { status: 403, message: "This room opens with an invitation." },
  forbidden: { status: 403, message: "This is not allowed here." },
  not_found: { status: 404, message: "There is nothing, or it is not yours to see." },
  bad_request: { status: 400, message: "The request is not of the agreed form." },
  name_taken: { status: 409, message: "That name, or one that looks like it, is taken." },
  name_invalid: { status: 400, message: "A name has 1 to 40 visible characters." },
  too_many: { status: 429, message: "Too many at once; try again in a moment." },
  too_large: { status: 413, message: "That is too long." },
  method_not_allowed: { status: 405, message: "That method is not answered here." },
  closing: { status: 503, message: "The process is stopping." },
  failed: { status: 500, message: "This could not be done." },
};

/** Answer with JSON. */
export function answerJson(status: number, body: unknown): Response {
  return new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json" } });
}

/** Answer a failure: its code, a fixed sentence without data, and whatever fixed facts the code comes with. */
export function answerFailure(code: FailureCode, facts: Readonly<Record<string, string | number>> = {}): Response {
  const { status, message } = FAILURES[code];
  return answerJson(status, { code, message, ...facts });
}

/** Answer with a stream of JSON lines, which a proxy in front is asked not to gather. */
export function answerStream(body: ReadableStream<Uint8Array>): Response {
  return new Response(body, { status: 200, headers: { "content-type": "application/x-ndjson", "x-accel-buffering": "no" } });
}

/** The token of `Authorization: Bearer …`; null without one. */
export function bearerOf(request: Request): string | null {
  return /^Bearer ([A-Za-z0-9_-]{1,256})$/.exec(request.headers.get("authorization") ?? "")?.[1] ?? null;
}

/** The body as a JSON object; null when it is none. */
export async function readJsonObject(request: Request): Promise<Readonly<Record<string, unknown>> | null> {
  try {
    const value: unknown = await request.json();
    return isRecord(value) ? value : null;
  } catch {
    // Not JSON, or no body: the caller answers the same.
    return null;
  }
}

/** Whether a value is a plain JSON object. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
