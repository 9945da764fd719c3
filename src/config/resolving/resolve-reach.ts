import type { OutsideConfig } from "../config.ts";
import type { ConfigPath } from "../problem.ts";
import type { RawRoom } from "../schema/raw-config.ts";

/**
 * How a room is reached from outside; null for one that is not. Both keys or neither (TR-094): one alone is half a decision, and
 * the other half would be guessed.
 */
export function resolveReach(
  path: ConfigPath,
  { listen, public_url, proxies, port }: RawRoom,
  report: (path: ConfigPath, rule: string) => void,
): OutsideConfig | null {
  if (listen === undefined && public_url === undefined) {
    if (proxies.length > 0) report([...path, "proxies"], "says nothing without `listen` and `public_url`: nobody comes in from outside");
    return null;
  }
  if (public_url === undefined) {
    report([...path, "listen"], "needs `public_url` too: the address that guests open");
    return null;
  }
  if (listen === undefined) {
    report([...path, "public_url"], "needs `listen` too: 127.0.0.1 behind a proxy on this computer, 0.0.0.0 for every network it is in");
    return null;
  }
  if (port === 0) report([...path, "port"], "must be a fixed one where others come in");
  return { address: listen, origin: new URL(public_url).origin, proxies: [...proxies] };
}
