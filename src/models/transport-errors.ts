import { RuntimeError } from "../foundation/errors.ts";

const REASONS: ReadonlyArray<readonly [pattern: RegExp, why: string]> = [
  [/^ECONNREFUSED$/, "the connection was refused; is it running?"],
  [/^(ENOTFOUND|EAI_)/, "its name is not known"],
  [/^(ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT|UND_ERR_HEADERS_TIMEOUT)$/, "it did not answer in time"],
  [/^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/, "there is no way to it on the network"],
  [/^(ERR_TLS_|ERR_SSL_|EPROTO|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/, "no secure connection, or its certificate was not accepted"],
];

/**
 * Turn what `fetch` threw before any answer came into one of the fixed reasons. The original is dropped, not kept as a cause:
 * it may hold address, header or server text (MC-076, MC-090).
 */
export function unreachable(thrown: unknown): RuntimeError {
  const cause: unknown = thrown instanceof Error ? thrown.cause : undefined;
  if (cause instanceof Error && cause.message === "unexpected redirect") {
    return new RuntimeError("model_refused_redirect", "Cannot ask the model: the server answered with a redirect, which is never followed");
  }
  const code = codeIn(cause);
  if (code === "UND_ERR_HEADERS_OVERFLOW")
    return new RuntimeError("model_too_large", "Cannot read the model's answer: its headers are too long");
  if (cause instanceof Error && cause.name === "HTTPParserError")
    return new RuntimeError("model_malformed", "Cannot use the model's answer: it is not HTTP");
  const why = REASONS.find(([pattern]) => pattern.test(code))?.[1] ?? "the connection failed";
  return new RuntimeError("model_unreachable", `Cannot reach the model server: ${why}`);
}

const REFUSED: ReadonlyMap<number, string> = new Map([
  [401, "the key was not accepted;"],
  [402, "it wants to be paid;"],
  [403, "the key may not do that;"],
  [404, "it knows no such model or address;"],
]);

/**
 * Turn a failure status into its reason; nothing but the number is kept. 4xx is a refusal, which another try or another host
 * would only hide; the rest means that the server can't answer now.
 */
export function refusal(status: number | null): RuntimeError {
  if (status === 429) return new RuntimeError("model_rate_limited", "Cannot get an answer: the model server asked to wait (429)");
  const why = status === null ? undefined : REFUSED.get(status);
  if (status !== null && status >= 400 && status < 500 && status !== 408)
    return new RuntimeError("model_rejected", `Cannot get an answer: the model server refused the question (${why ?? "status"} ${status})`);
  const what = status === null ? "a failure" : `status ${status}`;
  return new RuntimeError("model_status", `Cannot get an answer: the model server answered with ${what}`);
}

/** The system's or the HTTP client's code of a failure; of several tries (one an address) the first. */
function codeIn(cause: unknown): string {
  if (!(cause instanceof Error)) return "";
  if ("code" in cause && typeof cause.code === "string") return cause.code;
  return cause instanceof AggregateError ? codeIn(cause.errors[0]) : "";
}
