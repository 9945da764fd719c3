import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { test } from "node:test";
import { systemClock } from "../foundation/clock.ts";
import { EndpointUrl } from "../foundation/endpoint-url.ts";
import { isRuntimeError } from "../foundation/errors.ts";
import { Secret } from "../foundation/secret.ts";
import { ManualClock } from "../testing/manual-clock.ts";
import { LIKELY_PORTS, findLocalServers, listModels } from "./local-servers.ts";

const NEVER = new AbortController().signal;
const KEY = Secret.parse("k-0123456789-abcdefghij", "a test");

interface Listing extends AsyncDisposable {
  readonly port: number;
  readonly seen: IncomingMessage[];
}

async function listing(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<Listing> {
  const seen: IncomingMessage[] = [];
  const server: Server = createServer((request, response) => {
    seen.push(request);
    answer(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const json = (response: ServerResponse, value: unknown): void =>
  void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
const openAiList = (_request: IncomingMessage, response: ServerResponse): void =>
  json(response, { object: "list", data: [{ id: "org/tiny", object: "model" }, { id: "b" }] });

/** Where nothing listens: a port that was free a moment ago. */
async function nobody(): Promise<number> {
  await using gone = await listing(() => {});
  return gone.port;
}

test("TR-072 the likely ports are asked for their lists and for nothing else; what lists no models is no model server", async () => {
  await using ollama = await listing((_request, response) => json(response, { models: [{ name: "qwen3:8b", size: 5 }] }));
  await using llama = await listing(openAiList);
  await using page = await listing((_request, response) => void response.writeHead(200, { "content-type": "text/html" }).end("<p>hello"));
  await using far = await listing(
    (_request, response) => void response.writeHead(307, { location: `http://127.0.0.1:${llama.port}/v1/models` }).end(),
  );
  const closed = await nobody();
  const ports: Readonly<Record<number, number>> = {
    11_434: ollama.port,
    8_080: llama.port,
    1_234: page.port,
    8_000: far.port,
    5_001: closed,
  };
  assert.deepEqual(
    LIKELY_PORTS.toSorted((a, b) => a - b),
    Object.keys(ports)
      .map(Number)
      .toSorted((a, b) => a - b),
  );
  const found = await findLocalServers(systemClock, NEVER, (port) => ports[port] ?? assert.fail(String(port)));
  assert.deepEqual(found, [
    { name: "Ollama", host: "ollama", api: "ollama", url: `http://127.0.0.1:${ollama.port}`, models: ["qwen3:8b"] },
    { name: "llama.cpp", host: "llama", api: "openai", url: `http://127.0.0.1:${llama.port}/v1`, models: ["org/tiny", "b"] },
  ]);
  assert.deepEqual(
    ollama.seen.map(({ method, url }) => [method, url]),
    [["GET", "/api/tags"]],
  );
  assert.deepEqual(
    llama.seen.map(({ method, url }) => [method, url]),
    [["GET", "/v1/models"]],
    "a redirect is not followed here",
  );
  for (const { headers } of [...ollama.seen, ...llama.seen]) assert.equal(headers.authorization, undefined);
});

test("TR-072 a port that never answers, floods or talks nonsense holds nobody up and takes no memory", async () => {
  await using hangs = await listing(() => {});
  const closed = Promise.withResolvers<void>();
  await using floods = await listing((_request, response) => {
    response.once("close", () => closed.resolve());
    response.writeHead(200, { "content-type": "application/json" });
    const piece = "x".repeat(65_536);
    const more = (): void => {
      if (!response.destroyed && response.write(piece)) setImmediate(more);
      else response.once("drain", more);
    };
    more();
  });
  await using many = await listing((_request, response) =>
    json(response, { data: Array.from({ length: 2_000 }, (_, at) => ({ id: `m${at}` })) }),
  );
  const ports: readonly number[] = [hangs.port, floods.port, many.port, many.port, many.port];
  const began = performance.now();
  const found = await findLocalServers(systemClock, NEVER, (port) => ports[LIKELY_PORTS.indexOf(port)] ?? 0);
  assert.deepEqual(found, []);
  assert.ok(performance.now() - began < 5_000);
  // On a clock that stands still no deadline ends it: only the bound does.
  const inTime = new AbortController();
  const late = systemClock.sleep(4_000, inTime.signal).then(
    () => "late",
    () => "in time",
  );
  assert.deepEqual(await Promise.race([late, findLocalServers(new ManualClock(), NEVER, () => floods.port)]), []);
  assert.equal(await Promise.race([late, closed.promise.then(() => "let go")]), "let go");
  inTime.abort();
  const stop = new AbortController();
  const looking = findLocalServers(systemClock, stop.signal, () => hangs.port);
  stop.abort();
  await assert.rejects(looking, (error) => isRuntimeError(error, "aborted"));
});

test("TR-072 a named server is asked at its own address, with its key in the header it wants", async () => {
  await using server = await listing(openAiList);
  const at = (api: "openai" | "ollama" | "anthropic", path: string, key: Secret | null = KEY): Promise<readonly string[] | null> =>
    listModels({ api, url: EndpointUrl.parse(`http://127.0.0.1:${server.port}${path}`, "a test"), key }, systemClock, NEVER);
  assert.deepEqual(await at("openai", ""), ["org/tiny", "b"]);
  await at("openai", "/v1/");
  await at("openai", "/gateway/v1/chat/completions?tenant=north", null);
  await at("ollama", "/");
  await at("ollama", "/v1");
  await at("anthropic", "/v1");
  assert.deepEqual(
    server.seen.map(({ url }) => url),
    ["/v1/models", "/v1/models", "/gateway/v1/models?tenant=north", "/api/tags", "/api/tags", "/v1/models"],
  );
  assert.deepEqual(
    server.seen.map(({ headers }) => headers.authorization ?? headers["x-api-key"] ?? null),
    [`Bearer ${KEY.reveal()}`, `Bearer ${KEY.reveal()}`, null, `Bearer ${KEY.reveal()}`, `Bearer ${KEY.reveal()}`, KEY.reveal()],
  );
  assert.equal(server.seen[5]?.headers.authorization, undefined);
});
