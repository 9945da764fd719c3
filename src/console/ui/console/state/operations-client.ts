import { withDeadline } from "../../../../foundation/cancellation.ts";
import type { Clock } from "../../../../foundation/clock.ts";
import { isRecord } from "../../state/wire-guards.ts";

/** How long an operation may take before its part of the page counts as failed. */
export const OPERATION_MS = 20_000;

/** How an operation ended, with a stable code and one fixed sentence where it failed. */
export type Told<T> =
  | { readonly kind: "done"; readonly value: T }
  | { readonly kind: "failed"; readonly code: string; readonly message: string };

/** What the client stands on; all of it can be faked. */
export interface OperationsClientNeeds {
  readonly fetch: (path: string, init: RequestInit) => Promise<Response>;
  readonly clock: Clock;
  /** The session's token; it goes into a header, never into a URL (SE-086). */
  readonly bearer: () => string | null;
}

const UNREACHABLE = { kind: "failed", code: "unreachable", message: "No answer came." } as const;
const NOT_UNDERSTOOD = { kind: "failed", code: "failed", message: "The answer was not understood." } as const;

/** Runs the runtime's operations by name: everything the operators' pages show and do comes through here. */
export class OperationsClient {
  readonly #needs: OperationsClientNeeds;

  constructor(needs: OperationsClientNeeds) {
    this.#needs = needs;
  }

  /** Run one. Never throws for what a network or a server does; rejects with the signal's reason. */
  async run<T>(
    call: { readonly name: string; readonly args?: object },
    isValue: (value: unknown) => value is T,
    signal: AbortSignal,
  ): Promise<Told<T>> {
    const { fetch, clock, bearer } = this.#needs;
    using deadline = withDeadline(clock, OPERATION_MS, signal);
    try {
      const response = await fetch(`/api/operations/${call.name}`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${bearer() ?? ""}` },
        body: JSON.stringify({ args: call.args ?? {} }),
        signal: deadline.signal,
        cache: "no-store",
      });
      return toldBy(await response.json(), isValue);
    } catch (error) {
      if (signal.aborted) throw error;
      return UNREACHABLE;
    }
  }
}

function toldBy<T>(body: unknown, isValue: (value: unknown) => value is T): Told<T> {
  if (!isRecord(body)) return NOT_UNDERSTOOD;
  const data = body["data"];
  if (body["kind"] === "done") return isValue(data) ? { kind: "done", value: data } : NOT_UNDERSTOOD;
  const { code, message } = body;
  return typeof code === "string" && typeof message === "string" ? { kind: "failed", code, message } : NOT_UNDERSTOOD;
}
