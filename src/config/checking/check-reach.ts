import type { RoomConfig } from "../config.ts";
import { isLoopback } from "../rules/reach-rules.ts";

/** Something to say of a room that others reach; `key` is the one of its keys that it is about. */
export interface ReachFinding {
  readonly level: "ok" | "warn";
  readonly key: "public_url" | "listen" | "proxies" | "door";
  readonly message: string;
  readonly cure: string;
}

/** What is open to whom (TR-094), and what is missing for it to be as safe as it can be. Nothing to say of a room on loopback. */
export function checkReach({ outside, door, port }: RoomConfig): readonly ReachFinding[] {
  if (outside === null) return [];
  const { address, origin, proxies } = outside;
  const isSecure = origin.startsWith("https:");
  const who = door === "open" ? "everyone who gives a name" : "only whom you sent a link";
  const where = `${address.includes(":") ? `[${address}]` : address}:${port}`;
  const findings: ReachFinding[] = [
    {
      level: "ok",
      key: "public_url",
      message: `open at ${origin}, through ${where}: ${who}, as guests; the console and its commands stay on this computer`,
      cure: "",
    },
  ];
  const warn = (key: ReachFinding["key"], message: string, cure: string): void => void findings.push({ level: "warn", key, message, cure });
  if (door === "open")
    warn("door", "anyone who finds the address comes in, and spends model calls", "door: invited lets in only whom you sent a link");
  if (!isSecure)
    warn(
      "public_url",
      "plain http: whoever is on that network reads along, and can take a guest's key",
      "an https address, through a reverse proxy",
    );
  if (isSecure && proxies.length === 0)
    warn(
      "proxies",
      "https comes from a proxy in front, and none is named: all guests count as one address when too much comes from it",
      "name the proxy's address; it must pass the Host header on and set X-Forwarded-For",
    );
  if (isSecure && !isLoopback(address) && proxies.every(isLoopback))
    warn("listen", `the port itself is reached without https, at ${where}`, "listen: 127.0.0.1, where the proxy runs on this computer");
  return findings;
}
