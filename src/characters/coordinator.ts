import type { Clock } from "../foundation/clock.ts";
import { RuntimeError } from "../foundation/errors.ts";
import type { Config } from "../config/config.ts";
import type { CharacterId, MessageId } from "../vocabulary/ids.ts";
import type { BuiltPacket, Withheld } from "../vocabulary/packet.ts";
import type { Place } from "../vocabulary/place.ts";
import type { Turn } from "../vocabulary/turn.ts";
import type { Visible } from "../vocabulary/visible.ts";
import { buildPacket } from "./packet/build-packet.ts";

/** Lines of earlier talk that a packet may hold. */
const PACKET_LINES = 40;
/** Bytes of a whole request where the model's window is unknown. */
const PACKET_BYTES = 16_384;
/** Tokens an answer may have, for two thousand bytes of speech and its frame. */
const ANSWER_TOKENS = 800;

/** What the coordinator stands on: it may know everything, and gives the responder one packet (AE-001, AE-002). */
export interface CoordinatorNeeds {
  readonly config: () => Config;
  /** The chronicle's filter: only what the readers of the destination may know. */
  readonly visibleFor: (
    character: CharacterId,
    destination: Place,
    options: { readonly limit: number; readonly exclude: MessageId },
  ) => { readonly visible: Visible; readonly withheld: readonly Withheld[] };
  readonly key: Uint8Array;
  readonly clock: Clock;
}

/** Builds the one packet of a turn: filter first, then fold (TR-030). */
export interface Coordinator {
  /** @throws RuntimeError `not_found` when the turn's character is no longer configured. */
  packetFor(turn: Turn): BuiltPacket;
}

/** Make the coordinator. Configuration is read anew for each turn. */
export function createCoordinator(needs: CoordinatorNeeds): Coordinator {
  return {
    packetFor(turn) {
      const config = needs.config();
      const character = config.characters.get(turn.character);
      if (character === undefined) throw new RuntimeError("not_found", "Cannot answer: the character is not configured any more");
      const limit = Math.min(PACKET_LINES, config.limits.packetLines);
      const { visible, withheld } = needs.visibleFor(turn.character, turn.place, { limit, exclude: turn.trigger.id });
      const surface = config.surfaces.get(turn.place.surface);
      return buildPacket({
        key: needs.key,
        character,
        cast: new Map([...config.characters.values()].filter((one) => one.id !== turn.character).map((one) => [one.id, one.name])),
        visible,
        observed: {
          id: turn.trigger.id,
          person: turn.person,
          name: turn.trigger.displayName,
          said: turn.trigger.text,
          did: "",
          atMs: turn.trigger.atMs,
        },
        place: { name: surface?.title ?? "the terminal", people: turn.place.kind === "direct" ? 1 : null },
        allowedLabels: ["speak", "silence", "gesture"],
        contract: "lean",
        maxBytes: PACKET_BYTES,
        maxOutputTokens: ANSWER_TOKENS,
        nowMs: needs.clock.nowMs(),
        withheld,
      });
    },
  };
}
