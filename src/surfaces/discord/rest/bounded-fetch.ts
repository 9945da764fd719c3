import { request as plainRequest } from "node:http";
import type { IncomingMessage } from "node:http";
import { request as secureRequest } from "node:https";
import type { REST } from "@discordjs/rest";
import { RuntimeError } from "../../../foundation/errors.ts";

type MakeRequest = REST["options"]["makeRequest"];
type Answer = Awaited<ReturnType<MakeRequest>>;

/** Bytes of one answer, at most: a page of a hundred long messages has less than a tenth of it. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
/** What stands in place of a redirect: nobody asked for it, and nothing was done. */
const REDIRECTED = { status: 400, type: "application/json", body: '{"code":0,"message":"redirect"}' };

/**
 * One request by the plain client that is loaded anyway; the first use of `fetch` would take 16 MB: no redirect is
 * followed, so the token goes nowhere else, and no answer is read beyond its bound.
 * @throws RuntimeError `capacity` beyond it, `invalid_argument` without a signal; what the client throws when there is no answer.
 */
export const boundedFetch: MakeRequest = (url, init) => {
  if (init.signal instanceof AbortSignal) return ask(url, init, init.signal);
  return Promise.reject(new RuntimeError("invalid_argument", "Cannot ask: nothing would end the request"));
};

async function ask(...[url, init, signal]: [...Parameters<MakeRequest>, AbortSignal]): Promise<Answer> {
  const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = url.startsWith("https:") ? secureRequest : plainRequest;
    const headers = Object.fromEntries(Object.entries(init.headers ?? {}).map(([name, value]) => [name, String(value)]));
    const asked = request(url, { method: init.method ?? "GET", headers, signal }, resolve);
    asked.on("error", reject);
    asked.end(typeof init.body === "string" ? init.body : undefined);
  });
  const { statusCode = 0, headers } = incoming;
  if (statusCode >= 300 && statusCode < 400) {
    incoming.destroy();
    return answer(REDIRECTED.status, Buffer.from(REDIRECTED.body), (name) => (name === "content-type" ? REDIRECTED.type : null));
  }
  const bytes = await readAll(incoming);
  return answer(statusCode, bytes, (name) => {
    const value = headers[name];
    return value === undefined ? null : String(value);
  });
}

/** What the library looks at of an answer. */
function answer(status: number, bytes: Buffer, header: (name: string) => string | null): Answer {
  const get = (name: string): string | null => header(name.toLowerCase());
  const text = (): string => bytes.toString("utf8");
  return {
    body: null,
    bodyUsed: true,
    // oxlint-disable-next-line no-unsafe-type-assertion -- the whole type would load `fetch`; the library only reads single headers
    headers: { get, has: (name: string) => get(name) !== null } as Answer["headers"],
    ok: status >= 200 && status < 300,
    status,
    statusText: "",
    arrayBuffer: () => Promise.resolve(Uint8Array.from(bytes).buffer),
    json: () => Promise.resolve().then((): unknown => JSON.parse(text())),
    text: () => Promise.resolve(text()),
  };
}

async function readAll(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of incoming) {
    if (!(chunk instanceof Buffer)) continue;
    length += chunk.length;
    if (length > MAX_ANSWER_BYTES) throw new RuntimeError("capacity", `Cannot read an answer: it is over ${MAX_ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
