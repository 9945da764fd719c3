import { troubleOf } from "./next-stage.ts";
import type { Answer } from "./room-client.ts";
import type { Trouble } from "./stage-state.ts";

/** What went wrong with a request, as the page keeps it. `nowMs` is this machine's clock. */
export function troubleOfAnswer(answer: Exclude<Answer<unknown>, { kind: "ok" }>, nowMs: number): Trouble {
  if (answer.kind === "refused") return troubleOf(answer.error, nowMs);
  return { code: "unreachable", message: "No answer came.", retryAtMs: null };
}
