import { Worker } from "node:worker_threads";
import { orAbort, throwIfAborted, whenAborted } from "../../foundation/cancellation.ts";
import { RuntimeError, codeOf } from "../../foundation/errors.ts";
import { ownFile } from "../../foundation/own-files.ts";
import type { HookAnswer, HookEvent, HookName } from "../../vocabulary/calls/hook-event.ts";
import { parseHookAnswer } from "../../vocabulary/calls/hook-event.ts";
import type { HookFault, HookLine, HookQuestion, HookStart } from "./hook-protocol.ts";
import type { AgentHook } from "./hooks.ts";

/** Threads that one hook may use up: one that hangs again and again is heard no more, and denies what it should have judged. */
const MAX_THREADS = 8;
const MAX_MEMORY_MB = 64;

/** What a hook is, beside its text. */
export interface HookFacts {
  readonly name: string;
  readonly events: ReadonlySet<HookName>;
  readonly deadlineMs: number;
}

interface Running {
  readonly worker: Worker;
  /** Why it cannot be used, or null. */
  readonly ready: Promise<HookFault | null>;
}

interface Asked {
  readonly hook: HookName;
  readonly resolve: (answer: HookAnswer) => void;
  readonly reject: (error: RuntimeError) => void;
}

/**
 * An operator's own hook in a thread of its own: whatever it does, the loop goes on, and a deadline ends it for good. The thread has
 * no environment, no imports, a bounded memory, and nothing of the runtime but copies of events.
 */
export class HookThread implements AgentHook, AsyncDisposable {
  readonly name: string;
  readonly events: ReadonlySet<HookName>;
  readonly deadlineMs: number;
  readonly #text: string;
  readonly #asked = new Map<number, Asked>();
  #running: Running | null = null;
  #threads = 0;
  #questions = 0;
  #closed = false;

  constructor({ name, events, deadlineMs }: HookFacts, text: string) {
    this.name = name;
    this.events = events;
    this.deadlineMs = deadlineMs;
    this.#text = text;
  }

  /** Load it, and say why it cannot be used, or null. @throws the signal's reason on abort. */
  async start(signal: AbortSignal): Promise<HookFault | null> {
    return await this.#ready(signal);
  }

  async hear(event: HookEvent, { steers }: { readonly steers: boolean }, signal: AbortSignal): Promise<HookAnswer> {
    if ((await this.#ready(signal)) !== null) throw new RuntimeError("closed", "Cannot ask a hook: it does not load");
    throwIfAborted(signal);
    const id = (this.#questions += 1);
    using _late = whenAborted(signal, () => this.#letGo(id, signal));
    const answer = new Promise<HookAnswer>((resolve, reject) => {
      this.#asked.set(id, { hook: event.hook, resolve, reject });
    });
    this.#running?.worker.ref();
    this.#running?.worker.postMessage({ id, event, steers } satisfies HookQuestion);
    return await orAbort(answer, signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    const worker = this.#running?.worker;
    this.#end();
    await worker?.terminate();
  }

  async #ready(signal: AbortSignal): Promise<HookFault | null> {
    const { ready } = this.#running ?? this.#begin();
    try {
      return await orAbort(ready, signal);
    } catch (error) {
      if (codeOf(error) === "deadline") this.#end();
      throw error;
    }
  }

  #begin(): Running {
    if (this.#closed || this.#threads >= MAX_THREADS)
      throw new RuntimeError("closed", "Cannot ask a hook: it hung too often, or the runtime ends");
    this.#threads += 1;
    const worker = new Worker(ownFile("agents/hooks/hook-worker"), {
      workerData: { troupeHook: this.#text } satisfies HookStart,
      name: `troupe hook ${this.name}`,
      env: {},
      argv: [],
      stdin: false,
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB, maxYoungGenerationSizeMb: MAX_MEMORY_MB / 4, stackSizeMb: 4 },
    });
    // What it prints is nobody's: words of a conversation would stand in a log.
    worker.stdout.resume();
    worker.stderr.resume();
    const ready = new Promise<HookFault | null>((resolve, reject) => {
      worker.on("message", (line: HookLine) => {
        if (line.kind === "ready") resolve(null);
        else if (line.kind === "broken") resolve(line.fault);
        else this.#settle(line);
        if (this.#asked.size === 0) worker.unref();
      });
      const gone = (): void => {
        reject(new RuntimeError("closed", "Cannot ask a hook: its thread ended"));
        this.#gone(worker);
      };
      worker.on("error", gone);
      worker.on("exit", gone);
    });
    // Whoever waits hears of it; a thread that ends while nobody does is no failure.
    ready.catch(() => undefined);
    const running = { worker, ready };
    this.#running = running;
    return running;
  }

  #settle(line: Extract<HookLine, { id: number }>): void {
    const asked = this.#asked.get(line.id);
    this.#asked.delete(line.id);
    if (asked === undefined) return;
    if (line.kind === "threw") return asked.reject(new RuntimeError("internal", "Cannot use a hook's answer: it threw, or gave none"));
    try {
      asked.resolve(parseHookAnswer(line.answer, asked.hook));
    } catch (error) {
      asked.reject(error instanceof RuntimeError ? error : new RuntimeError("internal", "Cannot use a hook's answer: it cannot be read"));
    }
  }

  /** Nobody waits for an answer any more. Only a thread that was too slow is ended: nothing else ends a loop that never lets go. */
  #letGo(id: number, signal: AbortSignal): void {
    if (codeOf(signal.reason) === "deadline") this.#end();
    else this.#asked.delete(id);
  }

  #end(): void {
    const worker = this.#running?.worker;
    if (worker === undefined) return;
    this.#gone(worker);
    worker.terminate().catch(() => undefined);
  }

  #gone(worker: Worker): void {
    if (this.#running?.worker !== worker) return;
    this.#running = null;
    const open = [...this.#asked.values()];
    this.#asked.clear();
    for (const { reject } of open) reject(new RuntimeError("closed", "Cannot ask a hook: its thread ended"));
  }
}
