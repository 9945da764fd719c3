import type { InviteFacts } from "./ports.ts";

/** What an invite is good for: `open` lets somebody in, `used` did. */
export type InviteState = "open" | "used" | "expired" | "revoked";

/** What an invite is good for at a moment. */
export function stateOf(
  { revokedAtMs, redeemedAtMs, expiresAtMs }: Pick<InviteFacts, "revokedAtMs" | "redeemedAtMs" | "expiresAtMs">,
  nowMs: number,
): InviteState {
  if (revokedAtMs !== null) return "revoked";
  if (expiresAtMs <= nowMs) return "expired";
  return redeemedAtMs === null ? "open" : "used";
}
