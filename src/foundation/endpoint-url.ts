import { inspect } from "node:util";
import { RuntimeError } from "./errors.ts";
import { sha256Hex } from "./ids.ts";

/** The longest address that is accepted, in characters. */
export const MAX_ENDPOINT_CHARACTERS: number = 2_048;

/**
 * The address of a server the runtime sends to. It prints, serialises and inspects with user name, password and the whole
 * query hidden; only {@link EndpointUrl.target} gives them, and only the module that sends may call that (MC-105).
 */
export class EndpointUrl {
  readonly #url: URL;

  private constructor(url: URL) {
    this.#url = url;
  }

  /**
   * Check and wrap an absolute http or https address without a fragment, at most 2,048 characters.
   * @throws RuntimeError `invalid_argument` naming only `origin` (a configuration key), never the address.
   */
  static parse(text: string, origin: string): EndpointUrl {
    const refuse = (why: string): never => {
      throw new RuntimeError("invalid_argument", `Cannot use the address of ${origin}: ${why}`);
    };
    if (text.length > MAX_ENDPOINT_CHARACTERS) refuse(`it is over ${MAX_ENDPOINT_CHARACTERS} characters`);
    // `URL` repairs what people mistype (spaces, backslashes, a missing slash); an exact address is not repaired, but refused.
    if (/[\s\p{Cc}\p{Cf}\\]/u.test(text)) refuse("it holds spaces, backslashes or control characters");
    if (!/^https?:\/\/[^/?#]/i.test(text)) refuse("it must begin with http:// or https:// and name a host");
    if (text.includes("#")) refuse("it must have no fragment (#)");
    const url = URL.parse(text);
    if (url === null || url.hostname === "") return refuse("it is no valid address");
    return new EndpointUrl(url);
  }

  /** `scheme://host:port`, without credentials: what two addresses of one server have in common. */
  get origin(): string {
    return this.#url.origin;
  }

  /** The path, beginning with `/`. */
  get path(): string {
    return this.#url.pathname;
  }

  /** Whether the address itself carries a user name or a password. */
  get hasCredentials(): boolean {
    return this.#url.username !== "" || this.#url.password !== "";
  }

  /** The same server, credentials and query with another path, which must begin with `/` and hold no `?` or `#`. */
  withPath(path: string): EndpointUrl {
    if (!/^\/[^?#\\\s]*$/.test(path))
      throw new RuntimeError("invalid_argument", "Cannot change the path of an address: it must begin with / and hold no ? or #");
    const url = new URL(this.#url);
    url.pathname = path;
    return new EndpointUrl(url);
  }

  /**
   * What a request needs: the address without credentials (HTTP clients refuse them inside it), and the value of the
   * `Authorization` header they stand for, or null.
   */
  target(): { readonly href: string; readonly authorization: string | null } {
    const url = new URL(this.#url);
    url.username = "";
    url.password = "";
    if (!this.hasCredentials) return { href: url.href, authorization: null };
    const pair = `${decoded(this.#url.username)}:${decoded(this.#url.password)}`;
    return { href: url.href, authorization: `Basic ${Buffer.from(pair).toString("base64")}` };
  }

  /** The parts that must never be printed, for a redactor: user name, password and query, as they stand and decoded. */
  sensitiveParts(): readonly string[] {
    const raw = [this.#url.username, this.#url.password, this.#url.search.slice(1), ...this.#url.searchParams.values()];
    return [...new Set(raw.flatMap((part) => [part, decoded(part)]))].filter((part) => part !== "");
  }

  /** A salted digest of the whole address: tells whether it is still the same, and nothing else of it. */
  digest(salt: string): string {
    return sha256Hex(`${salt} ${this.#url.href}`);
  }

  /** The address as diagnostics show it: `https://[hidden]@host/path?[hidden]`. */
  toString(): string {
    const user = this.hasCredentials ? "[hidden]@" : "";
    const query = this.#url.search === "" ? "" : "?[hidden]";
    return `${this.#url.protocol}//${user}${this.#url.host}${this.#url.pathname}${query}`;
  }

  toJSON(): string {
    return this.toString();
  }

  static {
    Object.defineProperty(EndpointUrl.prototype, inspect.custom, {
      value(this: EndpointUrl): string {
        return this.toString();
      },
    });
  }
}

/** Percent codes resolved; what holds broken ones stays as it is. */
function decoded(text: string): string {
  return /%(?![0-9a-f]{2})/i.test(text) ? text : decodeBytes(text);
}

function decodeBytes(text: string): string {
  const bytes: Buffer[] = text
    .split(/(%[0-9a-f]{2})/i)
    .map((piece) => (/^%[0-9a-f]{2}$/i.test(piece) ? Buffer.from(piece.slice(1), "hex") : Buffer.from(piece)));
  return Buffer.concat(bytes).toString("utf8");
}
