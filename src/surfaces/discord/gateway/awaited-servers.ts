import { z } from "zod";
import type { Clock } from "../../../foundation/clock.ts";
import { isSnowflake } from "../snowflake.ts";

/** Servers describe themselves right after a session began; nobody waits longer for them. */
const SERVERS_MS = 5_000;

const ready = z.object({ guilds: z.array(z.object({ id: z.string().refine(isSnowflake) })).nullish() });

/** Servers that a new session named and that have not described themselves yet. */
export class AwaitedServers {
  readonly #clock: Clock;
  readonly #silent = new Set<string>();
  #allDescribed: () => void = () => {};

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A session began; gives the ids of the servers it named. */
  begin(data: unknown): readonly string[] {
    this.#silent.clear();
    for (const { id } of ready.safeParse(data).data?.guilds ?? []) this.#silent.add(id);
    return [...this.#silent];
  }

  /** A server described itself. */
  described(data: unknown): void {
    const parsed = z.object({ id: z.string() }).safeParse(data);
    if (parsed.success && this.#silent.delete(parsed.data.id) && this.#silent.size === 0) this.#allDescribed();
  }

  /** Resolves once all have, or after a few seconds. */
  async all(signal: AbortSignal): Promise<void> {
    if (this.#silent.size === 0) return;
    const described = new Promise<void>((resolve) => {
      this.#allDescribed = resolve;
    });
    const late = this.#clock.sleep(SERVERS_MS, signal);
    late.catch(() => undefined);
    await Promise.race([described, late]);
  }
}
