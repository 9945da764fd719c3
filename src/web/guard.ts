import type { IncomingHttpHeaders } from "node:http";

/** What is known of a request before anything of it is acted on. */
export interface RequestHead {
  readonly method: string;
  /** The request target as it stands on the request line. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  /** How many Host lines there are: exactly one is right. */
  readonly hostLines: number;
}

/** Whether a request may go on, and whether it asks for the data-free shell. */
export type Verdict =
  | { readonly kind: "shell" }
  | { readonly kind: "api" }
  | {
      readonly kind: "refused";
      readonly status: 400 | 401 | 403 | 405 | 415;
      readonly code: "bad_request" | "unauthorized" | "forbidden" | "method_not_allowed";
      readonly message: string;
    };

/** Which Host lines are this listener itself, and the one origin of the pages under each: a rebound name is never among them. */
export type Site = ReadonlyMap<string, string>;

/** A listener on loopback. */
export function loopbackSite(port: number): Site {
  return new Map([`127.0.0.1:${port}`, `localhost:${port}`].map((host) => [host, `http://${host}`]));
}

/** A listener that others reach: its public name and no other, whatever address it listens on. `origin` as a browser writes it. */
export function publicSite(origin: string): Site {
  const { host, port, protocol } = new URL(origin);
  // A browser leaves the standard port out; a proxy may write it.
  const written = port === "" ? [host, `${host}:${protocol === "https:" ? 443 : 80}`] : [host];
  return new Map(written.map((each) => [each, origin]));
}

/**
 * Judge a request before routing, whatever its method (SE-086). The shell and its assets need an own Host only; everything
 * else also an Origin that is this very host (absent only from a same-origin page's read, or from a program with a token),
 * `Sec-Fetch-Site: same-origin` where it is sent, and JSON where a body is. Forwarded headers and the remote address have no say.
 */
export function judge(head: RequestHead, site: Site): Verdict {
  const origin = head.hostLines === 1 ? site.get(head.headers.host?.toLowerCase() ?? "") : undefined;
  if (origin === undefined) return refuse(403, "forbidden", "This address does not answer to that host name.");
  if (!head.target.startsWith("/") || head.target.startsWith("//")) return refuse(400, "bad_request", "The request target must be a path.");
  if (!isApi(head.target) && (head.method === "GET" || head.method === "HEAD")) return { kind: "shell" };
  return judgeSource(head, origin) ?? judgeForm(head) ?? { kind: "api" };
}

/** Whether a target is an interface route; everything else is the shell. Encoded spellings of `/api` are no route at all. */
function isApi(target: string): boolean {
  return target === "/api" || target.startsWith("/api/") || target.startsWith("/api?");
}

function judgeSource(head: RequestHead, own: string): Verdict | null {
  const { origin } = head.headers;
  const site = head.headers["sec-fetch-site"];
  const foreign = refuse(403, "forbidden", "Only this address's own pages may ask for that.");
  if (origin !== undefined && origin !== own) return foreign;
  if (site !== undefined && site !== "same-origin") return foreign;
  if (origin !== undefined || site !== undefined) return null;
  const browser = Object.keys(head.headers).some((name) => name.startsWith("sec-fetch-"));
  if (browser) return foreign;
  return head.headers.authorization === undefined ? refuse(401, "unauthorized", "A program must bring its token.") : null;
}

function judgeForm(head: RequestHead): Verdict | null {
  if (head.method !== "GET" && head.method !== "POST") return refuse(405, "method_not_allowed", "Only GET and POST are answered here.");
  const length = head.headers["content-length"];
  const hasBody = head.headers["transfer-encoding"] !== undefined || (length !== undefined && length !== "0");
  if (!hasBody) return null;
  if (head.method === "GET") return refuse(400, "bad_request", "A GET has no body.");
  return /^application\/json(?:\s*;\s*charset=utf-8)?$/i.test(head.headers["content-type"] ?? "")
    ? null
    : refuse(415, "bad_request", "A body must be application/json.");
}

function refuse(
  status: 400 | 401 | 403 | 405 | 415,
  code: "bad_request" | "unauthorized" | "forbidden" | "method_not_allowed",
  message: string,
): Extract<Verdict, { kind: "refused" }> {
  return { kind: "refused", status, code, message };
}
