/** From where a request came. It bounds how much may come from there and gives nobody any right (SE-086). */
export interface Caller {
  /** The client's address; "" when it is not known. */
  readonly address: string;
}

/** Hops of a forwarded header that are looked at. */
const MAX_HOPS = 16;
/** Longest forwarded header that is looked at, in characters. */
const MAX_FORWARDED_CHARACTERS = 1_024;

/**
 * Who calls: the connection's own address, or, where that is a named proxy, the last address in `X-Forwarded-For` that is none.
 * Whatever a client writes into that header itself stands further left, so it is never reached; a header that can't be read
 * counts as the proxy itself.
 */
export function callerOf(peer: string | undefined, forwarded: string | readonly string[] | undefined, proxies: readonly string[]): Caller {
  const own = addressKey(peer ?? "");
  const named = new Set(proxies.map(addressKey));
  if (!named.has(own)) return { address: own };
  const header = typeof forwarded === "string" ? forwarded : (forwarded?.join(",") ?? "");
  if (header.length > MAX_FORWARDED_CHARACTERS) return { address: own };
  for (const hop of header.split(",").toReversed().slice(0, MAX_HOPS)) {
    const address = addressKey(withoutPort(hop.trim()));
    if (address === "") break;
    if (!named.has(address)) return { address };
  }
  return { address: own };
}

/** One spelling for each address: an IPv4 one that was mapped into IPv6 is itself again; "" for what is none. */
export function addressKey(text: string): string {
  const bare = text.replace(/%.*$/, "");
  const four = /^(?:::ffff:)?(\d{1,3}(?:\.\d{1,3}){3})$/i.exec(bare)?.[1];
  if (four !== undefined) return four.split(".").every((part) => Number(part) <= 255) ? four.split(".").map(Number).join(".") : "";
  const six = bare.includes(":") && /^[0-9a-f:.]+$/i.test(bare) ? URL.parse(`http://[${bare}]/`) : null;
  if (six === null) return "";
  const mapped = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(six.hostname);
  return mapped === null ? six.hostname.slice(1, -1) : dotted(Number.parseInt(`${mapped[1]}`, 16), Number.parseInt(`${mapped[2]}`, 16));
}

/** What addresses of one household or provider's customer have in common: /24, or /56 of IPv6 (SE-090); "" for no address. */
export function networkOf(address: string): string {
  const key = addressKey(address);
  if (!key.includes(":")) return key === "" ? "" : key.split(".").slice(0, 3).join(".");
  const [head = "", tail = ""] = key.split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === "" ? [] : tail.split(":");
  const middle = key.includes("::") ? Array.from({ length: 8 - left.length - right.length }, () => "0") : [];
  const groups = [...left, ...middle, ...right].map((group) => group.padStart(4, "0"));
  return groups.join("").slice(0, 14);
}

function dotted(high: number, low: number): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

/** A proxy may write the client's port too. */
function withoutPort(hop: string): string {
  return /^\[([^\]]+)\](?::\d{1,5})?$/.exec(hop)?.[1] ?? (/^\d+\.\d+\.\d+\.\d+:\d{1,5}$/.test(hop) ? hop.replace(/:\d+$/, "") : hop);
}
