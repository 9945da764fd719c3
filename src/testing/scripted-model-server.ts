import { readPacket } from "../vocabulary/packet-lines.ts";
import { leanSpeech, startScriptedModel } from "./scripted-model.ts";
import type { ScriptedRequest } from "./scripted-model.ts";

const DEFAULT_PORT = 0;

/**
 * A few rules for people who try things out without a model: greet back, say that a question was heard, mirror the rest.
 * `words` is what was said last.
 */
export function simpleReply(words: string): string {
  if (/^(hi|hello|hey|good (morning|evening|day))\b/i.test(words)) return "Hello! I am a script, not a model, but I can hear you.";
  if (/\b(bye|good night|farewell)\b/i.test(words)) return "Good night. I will be here, as scripts are.";
  if (words.includes("?")) return "A good question. I am only a script, so I leave the answer to you.";
  if (words === "") return "I hear nothing at all.";
  return `You said: ${words}`;
}

/** What was said last in a request: the end of its last line with letters, without the speaker's name in front. */
export function lastWords(prompt: string): string {
  const line = prompt.split("\n").findLast((each) => /\p{L}/u.test(each)) ?? "";
  return line
    .replace(/^.*?:\s+/, "")
    .trim()
    .slice(0, 200);
}

/** The answer to one request: to what a packet says was said, in the form it asks for; to any other text as it is. */
export function simpleAnswer(request: ScriptedRequest): string {
  const packet = readPacket(request.system, request.prompt);
  const reply = simpleReply(packet === null ? lastWords(request.prompt) : packet.observed.said);
  return packet === null || packet.plain ? reply : leanSpeech(reply);
}

// `node src/testing/scripted-model-server.ts [port]` runs it until Ctrl-C; imported, the file does nothing.
if (import.meta.main) {
  const port = Number(process.argv[2] ?? DEFAULT_PORT);
  const model = await startScriptedModel({ script: simpleAnswer, port });
  console.log(model.url);
  const stop = (): void => {
    model.close().catch(() => process.exit(1));
  };
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
}
