import { HookThread } from "../../agents/hooks/hook-thread.ts";
import type { HookFault } from "../../agents/hooks/hook-protocol.ts";
import type { Hooks } from "../../agents/hooks/hooks.ts";
import { createHooks } from "../../agents/hooks/hooks.ts";
import type { Vote } from "../../authority/gateway/votes.ts";
import { readHook } from "../../config/resolving/read-hook.ts";
import type { HookConfig } from "../../config/resolving/resolve-hooks.ts";
import { withDeadline } from "../../foundation/cancellation.ts";
import { codeOf } from "../../foundation/errors.ts";
import { printable } from "../../foundation/printable.ts";
import type { Notices } from "../../observe/notices.ts";
import type { HooksDesk } from "../../operations/hooks.ts";
import type { ComposeOptions } from "../compose-options.ts";

/** Milliseconds that a hook may take to load. */
const LOAD_MS = 5_000;
/** Words of one hook that are kept for the operator, in memory alone. */
const MAX_WORDS = 20;

/** The operator's own hooks. Disposing it ends their threads. */
export interface OpenHooks extends AsyncDisposable {
  readonly hooks: Hooks;
  /** Every call is denied while a hook that is required cannot be loaded (CH-084). */
  votes(): readonly Vote[];
  /** Tell the operator, once, of hooks that could not be loaded: at the first turn. */
  tellUnusable(): void;
  /** Let go of what hooks said: it may hold words of whoever is forgotten now, and nobody can tell (TR-043). */
  forget(): void;
  /** What `troupe hooks` shows. */
  readonly desk: HooksDesk;
}

interface Loaded {
  readonly config: HookConfig;
  readonly thread: HookThread | null;
  /** Why it is not heard; null while it is. */
  readonly why: string | null;
  readonly words: string[];
}

const FAULTS: Readonly<Record<HookFault, string>> = {
  imports: "it imports something; a hook is one file that imports nothing",
  no_function: "it has no default export that is a function",
  does_not_load: "it does not load: it is no JavaScript module, or fails while it is loaded",
};

/** Load the hooks of the configuration, each in a thread of its own. None of them can end the start. @throws the signal's reason on abort. */
export async function openHooks(options: ComposeOptions, notices: Pick<Notices, "note">, signal: AbortSignal): Promise<OpenHooks> {
  const { clock, log } = options.floor;
  await using opening = new AsyncDisposableStack();
  const all: Loaded[] = [];
  for (const config of options.config.current().hooks) {
    const loaded = await load(config, options, signal);
    if (loaded.thread !== null) opening.use(loaded.thread);
    if (loaded.why !== null)
      log.write("warn", "hook_unusable", { hook: printable(config.name), required: printable(String(config.required)) });
    all.push(loaded);
  }
  const unusable = all.filter(({ why }) => why !== null);
  let isTold = unusable.length === 0;
  const hooks = createHooks(
    all.flatMap(({ thread, why }) => (thread === null || why !== null ? [] : [thread])),
    {
      clock,
      log,
      asks: () => options.config.current().guardrails.enabled,
      // Only a turn that an operator began by a line takes words of a hook (SE-100).
      steers: ({ author, starter }) => author === undefined && starter !== "schedule",
      notify(name, text) {
        const words = all.find(({ config }) => config.name === name)?.words ?? [];
        words.push(text);
        if (words.length > MAX_WORDS) words.shift();
        notices.note("hook", { ids: [name] });
      },
    },
  );
  const owned = opening.move();
  return {
    hooks,
    votes: () =>
      unusable.flatMap(({ config: { name, required }, why }): readonly Vote[] =>
        required
          ? [{ verdict: "deny", rule: `hook:${name}`, code: "hook", reason: `it is required and cannot be used: ${why ?? ""}` }]
          : [],
      ),
    tellUnusable() {
      if (isTold) return;
      isTold = true;
      notices.note("hook", { ids: unusable.map(({ config }) => config.name) });
    },
    forget() {
      for (const { words } of all) words.length = 0;
    },
    desk: { view: () => all.map(viewOf) },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function load(config: HookConfig, { floor }: ComposeOptions, signal: AbortSignal): Promise<Loaded> {
  const file = readHook(config);
  const unusable = (why: string): Loaded => ({ config, thread: null, why, words: [] });
  if (file.kind === "unusable") return unusable(file.why);
  const thread = new HookThread({ ...config, events: new Set(config.events) }, file.text);
  try {
    using time = withDeadline(floor.clock, LOAD_MS, signal);
    const fault = await thread.start(time.signal);
    if (fault === null) return { config, thread, why: null, words: [] };
    await thread[Symbol.asyncDispose]();
    return unusable(FAULTS[fault]);
  } catch (error) {
    await thread[Symbol.asyncDispose]();
    if (signal.aborted) throw error;
    return unusable(codeOf(error) === "deadline" ? "it takes too long to load" : FAULTS.does_not_load);
  }
}

function viewOf({ config, why, words }: Loaded): ReturnType<HooksDesk["view"]>[number] {
  const { name, file, sha256, events, required, deadlineMs } = config;
  return { name, file, sha256, events: [...events], required, deadlineMs, why, words: [...words] };
}
