import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { RESPONSE_SCHEMAS, SCHEMA_LINE, SECTIONS, dataLine, talkLine } from "../vocabulary/packet-lines.ts";
import { lastWords, simpleReply } from "./scripted-model-server.ts";
import { leanSpeech, startScriptedModel } from "./scripted-model.ts";

interface Whole {
  readonly choices: ReadonlyArray<{ readonly message: { readonly content: string } }>;
}
interface Chunk {
  readonly choices: ReadonlyArray<{ readonly delta: { readonly content?: string }; readonly finish_reason: string | null }>;
}
/** As much of a packet as makes one. */
const PACKET: string = [
  SECTIONS.card,
  dataLine({ name: "Mirelle" }),
  SECTIONS.context,
  dataLine({ place: "public", name: "parlour" }),
  SECTIONS.observed,
  talkLine({ event: "e1", who: "p1", name: "Ann", ago: "now", said: "the sea is calm", did: "" }),
  SECTIONS.contract,
  `${SCHEMA_LINE}${RESPONSE_SCHEMAS.lean}`,
].join("\n");

const ask = (url: string, body: object): Promise<Response> =>
  fetch(`${url}/chat/completions`, { method: "POST", body: JSON.stringify(body), headers: { authorization: "Bearer x" } });
const hello = { model: "m", messages: [{ role: "user", content: "Ann: hi" }] };

test("MC-080 the scripted model records each request's bytes and answers whole or streamed", async () => {
  await using server = await startScriptedModel();
  const whole = (await (await ask(server.url, hello)).json()) as Whole;
  assert.equal(whole.choices[0]?.message.content, leanSpeech("Hello from the script."));
  server.script(({ prompt, stream }) => ({ text: `${prompt} ${stream}`, finish: "length" }));
  const events = (await (await ask(server.url, { ...hello, stream: true })).text()).split("\n\n").filter((event) => event !== "");
  assert.equal(events.at(-1), "data: [DONE]");
  const chunks = events.slice(0, -1).map((event) => JSON.parse(event.slice("data: ".length)) as Chunk);
  assert.equal(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? "").join(""), "Ann: hi true");
  assert.deepEqual(
    chunks.map((chunk) => chunk.choices[0]?.finish_reason).filter((reason) => typeof reason === "string"),
    ["length"],
  );
  assert.equal(server.requests[1]?.body.toString(), JSON.stringify({ ...hello, stream: true }));
  assert.equal(server.requests[0]?.headers.authorization, "Bearer x");
});

test("MC-080 a held answer comes after its release, and closing ends what is held", async () => {
  const server = await startScriptedModel();
  server.fault("hanging_headers");
  const first = ask(server.url, hello);
  await server.received(1, AbortSignal.timeout(5_000));
  server.release();
  assert.equal((await first).status, 200);
  const second = ask(server.url, hello);
  await server.received(2, AbortSignal.timeout(5_000));
  const ended = second.then(
    () => "ended",
    () => "ended",
  );
  await server.close();
  assert.equal(await ended, "ended");
});

test("MC-080 other paths are not found, and a body that is no JSON is recorded all the same", async () => {
  await using server = await startScriptedModel();
  assert.equal((await fetch(`${server.url}/engines`)).status, 404);
  await fetch(`${server.url}/chat/completions`, { method: "POST", body: "no json" });
  assert.deepEqual([server.requests[1]?.body.toString(), server.requests[1]?.prompt], ["no json", ""]);
});

test("MC-080 it runs as a process of its own, prints its address and answers by simple rules", async () => {
  const script = fileURLToPath(new URL("./scripted-model-server.ts", import.meta.url));
  const child = spawn(process.execPath, [script], { stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit");
  try {
    const [line] = (await once(child.stdout, "data")) as [Buffer];
    const answer = (await (await ask(line.toString().trim(), hello)).json()) as Whole;
    assert.match(answer.choices[0]?.message.content ?? "", /^Hello! I am a script/);
    const packet = { ...hello, messages: [{ role: "user", content: PACKET }] };
    const said = (await (await ask(line.toString().trim(), packet)).json()) as Whole;
    assert.deepEqual(JSON.parse(said.choices[0]?.message.content ?? ""), {
      action_label: "speak",
      visible_action: "",
      spoken_text: "You said: the sea is calm",
    });
  } finally {
    child.kill("SIGTERM");
  }
  assert.deepEqual((await exited).slice(0, 1), [0]);
});

test("MC-080 the simple rules answer what was said last", () => {
  assert.equal(lastWords("Scene: a room\nAnn: are you there?\n---\n"), "are you there?");
  assert.match(simpleReply("are you there?"), /question/);
  assert.equal(simpleReply("the sea is calm"), "You said: the sea is calm");
  assert.match(simpleReply(lastWords("")), /nothing/);
});
