/** The rule that an address to listen on breaks, or null: a literal one, so that no name service has a say in who reaches what. */
export function addressRule(text: string): string | null {
  return isAddress(text) ? null : "must be an IP address, such as 127.0.0.1, 0.0.0.0 or ::";
}

/**
 * The rule that a public address breaks, or null (TR-094). Plain http is for networks that are one's own: guests' keys travel in
 * the clear there.
 */
export function publicUrlRule(text: string): string | null {
  const url = /^https?:\/\/[^\s\\@]+$/i.test(text) ? URL.parse(text) : null;
  if (url === null) return "must be an http or https address without a user name, such as https://inn.example.org";
  if (url.pathname !== "/" || /[?#]/.test(text)) return "must be a host alone, without a path, query or fragment";
  if (/^(?:0\.0\.0\.0|\[::\])$/.test(url.hostname)) return "must name the host that guests open, not the address that is listened on";
  if (url.protocol === "http:" && !isOwnNetwork(url.hostname)) return "must be https: over plain http anybody on the way reads along";
  return null;
}

/** Whether an address is of this computer alone. */
export function isLoopback(address: string): boolean {
  return address.startsWith("127.") || address === "::1";
}

function isAddress(text: string): boolean {
  if (/^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/.test(text)) return true;
  return /^[0-9A-Fa-f:.]+$/.test(text) && text.includes(":") && URL.canParse(`http://[${text}]/`);
}

/** Private, link-local and shared address ranges, and names that no public name service knows. */
function isOwnNetwork(host: string): boolean {
  if (/^(?:127|10)\.|^192\.168\.|^169\.254\.|^172\.(?:1[6-9]|2\d|3[01])\.|^100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./.test(host))
    return isAddress(host);
  if (host.startsWith("[")) return /^\[(?:::1\]|f[cd]|fe[89ab])/i.test(host);
  return !host.includes(".") || /\.(?:local|lan|home\.arpa|internal)$/i.test(host);
}
