import type { Clock } from "../foundation/clock.ts";
import { RuntimeError } from "../foundation/errors.ts";
import type { Config } from "../config/config.ts";
import type { HeardBefore } from "../vocabulary/heard-before.ts";
import type { CharacterId, MessageId } from "../vocabulary/ids.ts";
import type { BuiltPacket, Withheld } from "../vocabulary/packet.ts";
import type { Place } from "../vocabulary/place.ts";
import type { PrincipalId } from "../vocabulary/principal.ts";
import type { Turn } from "../vocabulary/turn.ts";
import { mayRead, readersOf } from "../vocabulary/label.ts";
import { ALIAS_SEPARATOR } from "../vocabulary/packet-lines.ts";
import { Visible } from "../vocabulary/visible.ts";
import { countUnaccounted } from "./packet/audit-packet.ts";
import type { PacketInput } from "./packet/build-packet.ts";
import { buildPacket } from "./packet/build-packet.ts";
import { publicTalkOf } from "./spaces.ts";

/** Lines of earlier talk that a packet may hold. */
const PACKET_LINES = 40;
/** Bytes of a whole request, at most. */
const PACKET_BYTES = 16_384;
/** Tokens an answer may have, for two thousand bytes of speech and its frame. */
const ANSWER_TOKENS = 800;
/** Bytes of a packet for one token of a model's window, and tokens that the host adds; a packet of denser text is built again, shorter. */
const BYTES_PER_TOKEN = 2.5;
const FRAME_TOKENS = 64;

/** What the coordinator stands on: it may know everything, and gives the responder one packet (AE-001, AE-002). */
export interface CoordinatorNeeds {
  readonly config: () => Config;
  /** The chronicle's filter: only what the readers of the destination may know. */
  readonly visibleFor: (
    character: CharacterId,
    destination: Place,
    options: {
      readonly limit: number;
      readonly exclude: MessageId;
      readonly only?: PrincipalId;
      readonly before?: readonly HeardBefore[];
    },
  ) => { readonly visible: Visible; readonly withheld: readonly Withheld[] };
  readonly key: Uint8Array;
  /** What is known of the model that will answer, read anew for each turn; without it a model is taken to keep the lean form. */
  readonly model?: () => ModelHabits;
  /** The builder; a test may give a broken one, to see it caught. */
  readonly build?: (input: PacketInput) => BuiltPacket;
  readonly clock: Clock;
}

/** What a packet has to suit. */
export interface ModelHabits {
  readonly contract: "lean" | "plain";
  /** Bytes of a packet that surely arrive whole; null when nobody tried. */
  readonly packetBytes: number | null;
}

const untried = (): ModelHabits => ({ contract: "lean", packetBytes: null });

/** Builds the one packet of a turn: filter first, then fold (TR-030). */
export interface Coordinator {
  /**
   * @throws RuntimeError `not_found` when the turn's character is no longer configured; `packet_leak` when the finished text holds
   * anything that card, place, rules and the lines its readers may see do not account for (SE-093); `capacity` when even the line
   * to answer alone is over the bound. `maxBytes` bounds it beside what the model's configured window does; null for no other bound.
   */
  packetFor(turn: Turn, maxBytes?: number | null): BuiltPacket;
}

/** Bytes of a packet for this window, question and answer together; the standard where the window is unknown. */
export function packetBytes(contextTokens: number | null): number {
  if (contextTokens === null) return PACKET_BYTES;
  const room = Math.floor((contextTokens - ANSWER_TOKENS - FRAME_TOKENS) * BYTES_PER_TOKEN);
  // A window too small for a packet at all fails with its own reason, at the model or while it is built.
  return Math.min(PACKET_BYTES, Math.max(1, room));
}

/** Make the coordinator. Configuration is read anew for each turn. */
export function createCoordinator(needs: CoordinatorNeeds): Coordinator {
  return {
    packetFor(turn, maxBytes = null) {
      const config = needs.config();
      const character = config.characters.get(turn.character);
      if (character === undefined) throw new RuntimeError("not_found", "Cannot answer: the character is not configured any more");
      const limit = Math.min(PACKET_LINES, config.limits.packetLines);
      const surface = config.surfaces.get(turn.place.surface);
      const { visible, withheld } = needs.visibleFor(turn.character, turn.place, {
        limit,
        exclude: turn.trigger.id,
        ...(turn.place.kind === "public" && publicTalkOf(surface) === "person" ? { only: turn.person } : {}),
        ...(turn.before === undefined ? {} : { before: turn.before }),
      });
      const habits = (needs.model ?? untried)();
      const input: PacketInput = {
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
        contract: habits.contract,
        maxBytes: leastOf(packetBytes(windowOf(config)), habits.packetBytes, maxBytes),
        maxOutputTokens: ANSWER_TOKENS,
        nowMs: needs.clock.nowMs(),
        withheld,
      };
      const built = (needs.build ?? buildPacket)(input);
      if (countUnaccounted(built, { texts: textsOf(input), labels: input.allowedLabels, contract: input.contract }) > 0) {
        throw new RuntimeError("packet_leak", "Cannot answer: the packet holds text that nothing accounts for");
      }
      return built;
    },
  };
}

/** The smallest of the bounds that are known. */
function leastOf(first: number, ...others: readonly (number | null)[]): number {
  return Math.min(first, ...others.filter((bound) => bound !== null));
}

/** The smallest window of the models that may answer; null when none is known. */
function windowOf({ models }: Config): number | null {
  const names = [models.defaultModel, ...models.fallbackModels].filter((name) => name !== null);
  const windows = names.flatMap((name) => {
    const slash = name.indexOf("/");
    return models.hosts.get(name.slice(0, slash))?.models.get(name.slice(slash + 1))?.contextTokens ?? [];
  });
  return windows.length === 0 ? null : Math.min(...windows);
}

/** All foreign text that may stand in this packet: each line is judged here once more, by its labels alone. */
function textsOf({ character, cast, visible, observed, place }: PacketInput): ReadonlySet<string> {
  const { name, aliases, description, greeting } = character;
  const ofCard = [name, aliases.join(ALIAS_SEPARATOR), description, greeting, character.private];
  const texts = new Set([...ofCard, place.name, observed.name, observed.said, observed.did, ...cast.values()]);
  const reader = readersOf(visible.destination);
  for (const { state, witnesses, audience, author, text, action } of Visible.eventsOf(visible)) {
    if (state !== "said" || !witnesses.includes(visible.character) || !mayRead(audience, reader)) continue;
    texts
      .add(author.kind === "person" ? author.name : author.character)
      .add(text)
      .add(action);
  }
  return texts;
}
