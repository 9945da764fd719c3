import { withDeadline } from "../foundation/cancellation.ts";
import type { Clock } from "../foundation/clock.ts";
import { abortReason } from "../foundation/clock.ts";
import type { EndpointUrl } from "../foundation/endpoint-url.ts";
import type { Secret } from "../foundation/secret.ts";
import type { SendSpans } from "./traces.ts";

/** Milliseconds a collector may take for one request. */
const DEADLINE_MS = 10_000;

/**
 * Send spans to the one configured address, as OTLP over HTTP in JSON: no redirect is followed and no answer is read. What goes
 * wrong there is nobody's text.
 */
export function createTraceCollector(at: { readonly url: EndpointUrl; readonly key: Secret | null }, clock: Clock): SendSpans {
  const { href, authorization } = at.url.target();
  const bearer = at.key === null ? authorization : `Bearer ${at.key.reveal()}`;
  return async (body, signal) => {
    using deadline = withDeadline(clock, DEADLINE_MS, signal);
    try {
      const response = await fetch(href, {
        method: "POST",
        redirect: "manual",
        headers: { "content-type": "application/json", ...(bearer === null ? {} : { authorization: bearer }) },
        body,
        signal: deadline.signal,
      });
      await response.body?.cancel();
      if (response.ok) return "taken";
      return response.status === 429 || response.status >= 500 ? "later" : "refused";
    } catch {
      // It is down, or slow: neither says anything about the next time.
      if (signal.aborted) throw abortReason(signal);
      return "later";
    }
  };
}
