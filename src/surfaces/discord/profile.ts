import type { SurfaceProfile } from "../surface.ts";
import { SEND_DEADLINE_MS } from "./rest/sender.ts";
import { isSnowflake } from "./snowflake.ts";

/** What the road must know of Discord. */
export const PROFILE: SurfaceProfile = {
  // Two thousand code points; counted in units too, a surrogate pair is safe on either count.
  limits: { maxCodePoints: 2_000, maxUtf16: 2_000, actionMarks: 3 },
  readsBack: true,
  pacing: { public: { burst: 3, everyMs: 1_500 }, direct: { burst: 5, everyMs: 1_000 } },
  timing: { quietMs: 900, holdMs: 4_000, fragments: 8 },
  // Ids are given in the order in which messages were said.
  positionOf: (id) => (isSnowflake(id) ? BigInt(id) : null),
  keepsAmbient: false,
  sendDeadlineMs: SEND_DEADLINE_MS,
};

/** Events that are asked for: servers and channels, messages and marks under them there and in private; words that do not call the bot where they may be read. */
export const INTENTS: { readonly base: number; readonly content: number } = {
  base: (1 << 0) | (1 << 9) | (1 << 10) | (1 << 12) | (1 << 13),
  content: 1 << 15,
};
