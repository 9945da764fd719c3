import { z } from "zod";
import { withDeadline } from "../foundation/cancellation.ts";
import type { Clock } from "../foundation/clock.ts";
import { abortReason } from "../foundation/clock.ts";
import type { EndpointUrl } from "../foundation/endpoint-url.ts";
import type { Secret } from "../foundation/secret.ts";

/** A server that may stand on a port of this computer: where it is asked for its models, and how it is spoken to then. */
interface Likely {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly api: "openai" | "ollama";
}

/** The ports that such servers take when nobody tells them another (TR-072: looked at on a person's word only). */
const LIKELY: readonly Likely[] = [
  { name: "Ollama", host: "ollama", port: 11_434, api: "ollama" },
  { name: "llama.cpp", host: "llama", port: 8_080, api: "openai" },
  { name: "LM Studio", host: "lmstudio", port: 1_234, api: "openai" },
  { name: "vLLM", host: "vllm", port: 8_000, api: "openai" },
  { name: "KoboldCpp", host: "kobold", port: 5_001, api: "openai" },
];

/** Milliseconds a server of this computer has to list its models, and one elsewhere. */
const NEAR_MS = 1_500;
const FAR_MS = 10_000;
/** Bytes of a list: a hosted server with hundreds of models has some hundred KiB. */
const MAX_LIST_BYTES = 4_194_304;
const MAX_MODELS = 1_000;

/** A server that listed its models. */
export interface LocalServer {
  readonly name: string;
  readonly host: string;
  readonly api: "openai" | "ollama";
  readonly url: string;
  /** Names as the server wrote them: foreign text. */
  readonly models: readonly string[];
}

/** The ports, in the order in which they are looked at. */
export const LIKELY_PORTS: readonly number[] = LIKELY.map(({ port }) => port);

/** Ask each likely port of this computer for its models; those that answer with a list are there. `at` moves the ports, for tests. */
export async function findLocalServers(
  clock: Clock,
  signal: AbortSignal,
  at: (port: number) => number = (port) => port,
): Promise<readonly LocalServer[]> {
  const asked = LIKELY.map(async ({ name, host, port, api }): Promise<LocalServer | null> => {
    const origin = `http://127.0.0.1:${at(port)}`;
    const models = await getList(api === "ollama" ? `${origin}/api/tags` : `${origin}/v1/models`, {}, within(clock, NEAR_MS), signal);
    return models === null ? null : { name, host, api, url: api === "ollama" ? origin : `${origin}/v1`, models };
  });
  return (await Promise.all(asked)).filter((one) => one !== null);
}

/** The models that one named server lists; null when it does not say. Nothing is sent beyond the key that it wants. */
export async function listModels(
  server: { readonly api: "openai" | "ollama" | "anthropic"; readonly url: EndpointUrl; readonly key: Secret | null },
  clock: Clock,
  signal: AbortSignal,
): Promise<readonly string[] | null> {
  const { href, authorization } = listAddress(server.api, server.url).target();
  const bearer = server.key === null ? authorization : `Bearer ${server.key.reveal()}`;
  const headers: Record<string, string> =
    server.api === "anthropic" && server.key !== null
      ? { "x-api-key": server.key.reveal(), "anthropic-version": "2023-06-01" }
      : bearer === null
        ? {}
        : { authorization: bearer };
  return await getList(href, headers, within(clock, FAR_MS), signal);
}

function listAddress(api: "openai" | "ollama" | "anthropic", url: EndpointUrl): EndpointUrl {
  const path = url.path.replace(/\/+$/, "").replace(/\/(?:chat\/completions|messages|api\/chat)$/, "");
  if (api === "ollama") return url.withPath(`${path.replace(/\/(?:api|v1)$/, "")}/api/tags`);
  return url.withPath(`${path === "" ? "/v1" : path}/models`);
}

const listSchema = z.union([
  z.object({ data: z.array(z.object({ id: z.string() })).max(MAX_MODELS) }).transform(({ data }) => data.map(({ id }) => id)),
  z.object({ models: z.array(z.object({ name: z.string() })).max(MAX_MODELS) }).transform(({ models }) => models.map(({ name }) => name)),
]);

type Within = (signal: AbortSignal) => ReturnType<typeof withDeadline>;

function within(clock: Clock, ms: number): Within {
  return (signal) => withDeadline(clock, ms, signal);
}

/** One GET without redirects, its body bounded; null for whatever is no list. */
async function getList(
  href: string,
  headers: Readonly<Record<string, string>>,
  deadlineOf: Within,
  signal: AbortSignal,
): Promise<readonly string[] | null> {
  using deadline = deadlineOf(signal);
  try {
    const response = await fetch(href, {
      redirect: "error",
      headers: { accept: "application/json", "accept-encoding": "identity", ...headers },
      signal: deadline.signal,
    });
    if (!response.ok) await response.body?.cancel();
    const text = response.ok ? await readText(response) : null;
    if (text === null) return null;
    const parsed = listSchema.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch {
    // Nothing answers there, or something that is no list: both mean that there is no such server.
    if (signal.aborted) throw abortReason(signal);
    return null;
  }
}

async function readText(response: Response): Promise<string | null> {
  if (response.body === null) return null;
  const decoder = new TextDecoder();
  let bytes = 0;
  let text = "";
  const body: ReadableStream<Uint8Array> = response.body;
  const reader = body.getReader();
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    bytes += piece.value.byteLength;
    if (bytes > MAX_LIST_BYTES) {
      await reader.cancel();
      return null;
    }
    text += decoder.decode(piece.value, { stream: true });
  }
  return text + decoder.decode();
}
