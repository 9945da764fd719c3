import { registerHooks } from "node:module";
import type { MessagePort } from "node:worker_threads";
import { parentPort, workerData } from "node:worker_threads";
import { RuntimeError } from "../../foundation/errors.ts";
import type { HookFault, HookLine, HookQuestion, HookStart } from "./hook-protocol.ts";

/** What a hook has no use for: it gets events and gives answers. No wall against its author, who is the operator; a wall against slips. */
const TAKEN_AWAY = ["process", "fetch", "WebSocket", "EventSource", "XMLHttpRequest", "navigator", "localStorage", "sessionStorage"];

type Hook = (event: unknown, act: unknown) => unknown;

interface Wish {
  ask?: string;
  notify: string[];
  steer: string[];
  stopTurn: boolean;
  stopGeneration: boolean;
}

/** Load exactly this text, and nothing that it names (SE-092). */
async function load(text: string): Promise<Hook | HookFault> {
  const address = `data:text/javascript;base64,${Buffer.from(text).toString("base64")}`;
  let reached = false;
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier === address && !reached) return next(specifier, context);
      reached = true;
      throw new RuntimeError("invalid_argument", "Cannot load a hook: it imports something");
    },
  });
  for (const word of TAKEN_AWAY) Reflect.deleteProperty(globalThis, word);
  try {
    const loaded: unknown = await import(address);
    const hook = typeof loaded === "object" && loaded !== null && "default" in loaded ? loaded.default : null;
    return isHook(hook) ? hook : "no_function";
  } catch {
    return reached ? "imports" : "does_not_load";
  }
}

function isHook(value: unknown): value is Hook {
  return typeof value === "function";
}

/** What a hook may do beside answering. After its answer the words of a late call are nobody's. */
function actsFor(wish: Wish, steers: boolean): object {
  const say = (list: string[]) => (text: unknown) => void list.push(String(text));
  return Object.freeze({
    notify: say(wish.notify),
    ask_user: (text: unknown) => void (wish.ask ??= String(text)),
    stop_turn: () => void (wish.stopTurn = true),
    stop_generation: () => void (wish.stopGeneration = true),
    ...(steers ? { steer: say(wish.steer) } : {}),
  });
}

async function answerTo(hook: Hook, { id, event, steers }: HookQuestion): Promise<HookLine> {
  const wish: Wish = { notify: [], steer: [], stopTurn: false, stopGeneration: false };
  try {
    const given: unknown = await hook(frozen(event), actsFor(wish, steers));
    if (given !== undefined && given !== null && (typeof given !== "object" || Array.isArray(given))) return { kind: "threw", id };
    return { kind: "answered", id, answer: { ...given, ...wish } };
  } catch {
    return { kind: "threw", id };
  }
}

function frozen<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  for (const one of Object.values(value)) frozen(one);
  return Object.freeze(value);
}

function say(port: MessagePort, line: HookLine): void {
  try {
    port.postMessage(line);
  } catch {
    // What the hook gave cannot be copied: it is no answer.
    if (line.kind === "answered") port.postMessage({ kind: "threw", id: line.id } satisfies HookLine);
  }
}

async function serve(port: MessagePort, text: string): Promise<void> {
  const hook = await load(text);
  if (typeof hook === "string") return say(port, { kind: "broken", fault: hook });
  port.on("message", (question: HookQuestion) => {
    answerTo(hook, question).then(
      (line) => say(port, line),
      () => say(port, { kind: "threw", id: question.id }),
    );
  });
  say(port, { kind: "ready" });
}

function isOwn(value: unknown): value is HookStart {
  return typeof value === "object" && value !== null && "troupeHook" in value && typeof value.troupeHook === "string";
}

// This file is a hook's entry: loaded anywhere else it does nothing.
if (parentPort !== null && isOwn(workerData)) await serve(parentPort, workerData.troupeHook);
