import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { request } from "node:http";

/** What a raw request sends; headers go out exactly as given, so that Host and Origin can be forged. */
export interface RawRequest {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** A whole answer. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Send one request to a loopback port on a connection of its own and wait for its head. */
export function rawOpen(port: number, raw: RawRequest): Promise<IncomingMessage> {
  return new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = request(
      {
        host: "127.0.0.1",
        port,
        agent: false,
        method: raw.method ?? "GET",
        path: raw.path,
        headers: { host: `127.0.0.1:${port}`, ...raw.headers },
      },
      resolve,
    );
    outgoing.on("error", reject);
    outgoing.end(raw.body);
  });
}

/** Send one request to a loopback port and read its whole answer. */
export async function rawRequest(port: number, raw: RawRequest): Promise<RawAnswer> {
  const incoming = await rawOpen(port, raw);
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) if (chunk instanceof Buffer) chunks.push(chunk);
  return { status: incoming.statusCode ?? 0, headers: incoming.headers, text: Buffer.concat(chunks).toString("utf8") };
}

/** A stream of JSON lines as it is read, one value at a time. */
export class RawLines implements Disposable {
  readonly #incoming: IncomingMessage;
  readonly #chunks: AsyncIterator<unknown>;
  #text = "";

  constructor(incoming: IncomingMessage) {
    this.#incoming = incoming;
    this.#chunks = incoming[Symbol.asyncIterator]();
  }

  /** The next value; null at the end of the stream. */
  async next(): Promise<unknown> {
    for (;;) {
      const end = this.#text.indexOf("\n");
      if (end >= 0) {
        const line = this.#text.slice(0, end);
        this.#text = this.#text.slice(end + 1);
        return JSON.parse(line);
      }
      const chunk = await this.#chunks.next();
      if (chunk.done === true) return null;
      this.#text += String(chunk.value);
    }
  }

  [Symbol.dispose](): void {
    this.#incoming.destroy();
  }
}
