import type { Clock } from "../../foundation/clock.ts";
import type { BotGroup } from "./room-script.ts";
import type { PlatformLine, SimulatedPlatform } from "./simulated-platform.ts";

/** What bots act through. */
export interface BotWorld {
  /** Tells one ring from another. */
  readonly ring: string;
  readonly clock: Clock;
  readonly deliver: (platform: string, line: PlatformLine) => void;
}

/**
 * Let bots answer whatever a character says in public: each speaks to the next of the ring, the last one to the character. They
 * never stop by themselves before `maxRounds`; the first round begins when somebody else has made the character speak.
 */
export function playBots(bots: BotGroup, platform: SimulatedPlatform | undefined, world: BotWorld): void {
  if (platform === undefined) return;
  const group = world.ring;
  let rounds = 0;
  const speak = (number: number, speaksTo: string): void => {
    world.deliver(platform.name, {
      delivery: `${group}-${rounds}-${number}`,
      from: `${group}bot${number}`,
      kind: bots.marked ? "bot" : "person",
      text: `${speaksTo}, and what then? (${rounds})`,
    });
  };
  const pass = (number: number): void => {
    world.clock.after(bots.afterMs, () => {
      const last = number === bots.ring;
      speak(number, last ? "Mirelle" : `${group}bot${number + 1}`);
      if (!last) pass(number + 1);
    });
  };
  platform.onTaken(({ place, index, count }) => {
    if (!place.startsWith("public:") || index !== count - 1 || rounds >= bots.maxRounds) return;
    rounds += 1;
    pass(1);
  });
}
