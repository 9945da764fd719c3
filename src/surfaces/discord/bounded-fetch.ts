import type { REST } from "@discordjs/rest";
import { RuntimeError } from "../../foundation/errors.ts";

type MakeRequest = REST["options"]["makeRequest"];

/** Bytes of one answer, at most: a page of a hundred long messages has less than a tenth of it. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/**
 * One request over the platform's own `fetch`: no redirect is followed, so the token goes nowhere else, and no answer is read beyond
 * its bound. @throws RuntimeError `capacity` beyond it, `invalid_argument` without a signal; what `fetch` throws when there is no answer.
 */
export const boundedFetch: MakeRequest = (url, init) => {
  if (init.signal instanceof AbortSignal) return request(url, init, init.signal);
  return Promise.reject(new RuntimeError("invalid_argument", "Cannot ask: nothing would end the request"));
};

async function request(...[url, init, signal]: [...Parameters<MakeRequest>, AbortSignal]): ReturnType<MakeRequest> {
  const response = await fetch(url, {
    method: init.method ?? "GET",
    headers: Object.entries(init.headers ?? {}).map(([name, value]): [string, string] => [name, String(value)]),
    body: typeof init.body === "string" ? init.body : null,
    signal,
    redirect: "manual",
  });
  const bytes = await readAll(response);
  // A redirect is an answer nobody asked for: taken for a refusal, since nothing was done.
  const status = response.status >= 300 && response.status < 400 ? 400 : response.status;
  const kept = new Response(status === 204 ? null : bytes, { status, headers: status === response.status ? response.headers : REDIRECTED });
  return {
    body: null,
    bodyUsed: true,
    headers: kept.headers,
    ok: kept.ok,
    status,
    statusText: "",
    arrayBuffer: () => kept.arrayBuffer(),
    json: () => kept.json(),
    text: () => kept.text(),
  };
}

const REDIRECTED = { "content-type": "application/json" };

async function* nothing(): AsyncGenerator<Uint8Array, void, undefined> {}

async function readAll(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  if (response.status >= 300 && response.status < 400) {
    await response.body?.cancel();
    return new TextEncoder().encode('{"code":0,"message":"redirect"}');
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  const body: AsyncIterable<Uint8Array> | null = response.body;
  for await (const chunk of body ?? nothing()) {
    length += chunk.length;
    if (length > MAX_ANSWER_BYTES) throw new RuntimeError("capacity", `Cannot read an answer: it is over ${MAX_ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  const all = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}
