const MAX_CHARACTERS = 300;
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Which servers a bot may connect to: Discord's own, or those of another server that the operator named. */
export interface AddressRule {
  /** Where the REST interface is. */
  readonly base: string;
  /** Whether that is another server than Discord's own. */
  readonly other: boolean;
}

/**
 * The address of a gateway if the token may be sent there, else null: the REST interface and each session name one, and the token goes
 * wherever they say. Discord's own are secure hosts under `discord.gg`; another server's lie under the same domain as its interface.
 */
export function gatewayAddress(text: unknown, { base, other }: AddressRule): string | null {
  const url = typeof text === "string" && text.length <= MAX_CHARACTERS && !text.includes("@") ? URL.parse(text) : null;
  if (url === null) return null;
  const home = new URL(base).hostname;
  const local = LOOPBACK.test(home) && url.hostname === home;
  if (url.protocol !== "wss:" && !(local && url.protocol === "ws:")) return null;
  const allowed = other ? isUnder(url.hostname, parentOf(home)) : isUnder(url.hostname, "discord.gg");
  return allowed || local ? `${url.protocol}//${url.host}${url.pathname}` : null;
}

function isUnder(host: string, domain: string): boolean {
  return host === domain || host.endsWith(`.${domain}`);
}

/** `api.chat.example.org` → `chat.example.org`; a name of two words stays as it is. */
function parentOf(host: string): string {
  const words = host.split(".");
  return words.length > 2 ? words.slice(1).join(".") : host;
}
