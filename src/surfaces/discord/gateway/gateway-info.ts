import { z } from "zod";
import type { BlockedReason } from "./close-codes.ts";
import type { AddressRule } from "./gateway-address.ts";
import { gatewayAddress } from "./gateway-address.ts";
import type { DiscordRest, RestResult } from "../rest/rest.ts";

/** Why there is nothing to connect to now. */
export interface NoGateway {
  readonly reason: string;
  readonly afterMs?: number;
  readonly blocked?: BlockedReason;
}

/** Where a new session is begun, and how long to wait for the day's sessions; or why nowhere. */
export type GatewayInfo =
  | { readonly kind: "info"; readonly url: string; readonly waitMs: number }
  | { readonly kind: "none"; readonly end: NoGateway };

const answer = z.object({
  url: z.string(),
  session_start_limit: z.object({ remaining: z.number(), reset_after: z.number() }).optional(),
});
const MAX_WAIT_MS = 30_000;

/** Ask where the gateway is. Throws only the signal's reason. */
export async function gatewayInfo(rest: DiscordRest, rule: AddressRule, signal: AbortSignal): Promise<GatewayInfo> {
  const result = await rest.call("GET /gateway/bot", (api, ends) => api.gateway.getBot({ signal: ends }), {
    signal,
    maxWaitMs: MAX_WAIT_MS,
  });
  if (result.kind !== "done") return { kind: "none", end: whyNot(result) };
  const parsed = answer.safeParse(result.value);
  if (!parsed.success) return { kind: "none", end: { reason: "malformed" } };
  const url = gatewayAddress(parsed.data.url, rule);
  if (url === null) return { kind: "none", end: { reason: "gateway_refused", blocked: "gateway_refused" } };
  const limit = parsed.data.session_start_limit;
  return { kind: "info", url, waitMs: limit !== undefined && limit.remaining <= 0 ? limit.reset_after : 0 };
}

function whyNot(result: Exclude<RestResult, { kind: "done" }>): NoGateway {
  const rejected: NoGateway = { reason: "token_rejected", blocked: "token_rejected" };
  switch (result.kind) {
    case "limited":
      return { reason: "rate_limited", afterMs: result.afterMs };
    case "refused":
      return result.status === 401 ? rejected : { reason: `refused_${result.status}` };
    case "lost":
      return { reason: "no_answer" };
    case "blocked":
      if (result.reason === "token_rejected") return rejected;
      return { reason: result.reason, ...(result.afterMs === null ? {} : { afterMs: result.afterMs }) };
  }
}
