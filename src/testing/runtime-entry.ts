import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { Tool } from "../agents/tools/tool.ts";
import type { Composed } from "../compose.ts";
import { compose } from "../compose.ts";
import { loadConfig } from "../config/load.ts";
import { openConfigSource } from "../config/reload.ts";
import { systemClock } from "../foundation/clock.ts";
import { randomIds } from "../foundation/ids.ts";
import { createLog } from "../foundation/log.ts";
import { OWN_ROOT } from "../foundation/own-files.ts";
import { createRedactor } from "../foundation/redact.ts";
import type { Surface } from "../surfaces/surface.ts";
import { parseSurfaceName } from "../vocabulary/ids.ts";
import { CEILINGS } from "../vocabulary/limits.ts";
import { ASSURANCES } from "../vocabulary/principal.ts";
import { markingTools } from "./marking-tools.ts";
import { connectScriptedSurface } from "./scripted-surface.ts";

const timing = z.object({ quietMs: z.int(), holdMs: z.int(), fragments: z.int() });
const platforms = z.array(
  z.object({
    name: z.string(),
    port: z.int(),
    readsBack: z.boolean(),
    maxBytes: z.int(),
    timing,
    assurance: z.enum(ASSURANCES).default("platform"),
  }),
);

/**
 * A whole runtime on scripted platforms, as a process that a test can kill: everything but the surfaces and the limits is the
 * product's own. `TROUPE_TEST_PLATFORMS` is JSON; the configuration is found as always. Prints `ready` once it hears.
 * `changed` puts something before each surface, to see that a test notices a fault. With `TROUPE_TEST_MARKS`, a file, the agent has
 * the marking tools too, and `TROUPE_KILL_AT_MARK` is the body at which the process kills itself, `TROUPE_KILL_WHEN` before or after.
 */
export async function runOnScriptedPlatforms(
  environment: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
  changed: (surface: Surface) => Surface = (surface) => surface,
): Promise<Composed> {
  const clock = systemClock;
  const redactor = createRedactor([]);
  const log = createLog({ clock, level: "warn", redactor, sink: (line) => process.stderr.write(line) });
  const loadOptions = { cwd: process.cwd(), environment };
  const first = loadConfig(loadOptions);
  return compose(
    {
      config: openConfigSource({ options: loadOptions, first, clock, notify: () => {} }),
      configName: first.name,
      floor: { clock, ids: randomIds, log, redactor, limits: CEILINGS },
      process: { version: "test", pid: process.pid, startedAtMs: clock.nowMs() },
      page: fileURLToPath(new URL("ui", OWN_ROOT)),
      moreSurfaces: (ends) =>
        Promise.all(
          platforms
            .parse(JSON.parse(environment["TROUPE_TEST_PLATFORMS"] ?? "[]"))
            .map(async ({ name, ...rest }) =>
              changed(await connectScriptedSurface({ name: parseSurfaceName(name), ...rest, clock, log }, ends)),
            ),
        ),
      moreTools: toolsOf(environment),
    },
    signal,
  );
}

function toolsOf(environment: Readonly<Record<string, string | undefined>>): readonly Tool[] {
  const { TROUPE_TEST_MARKS: file, TROUPE_KILL_AT_MARK: at = "0", TROUPE_KILL_WHEN: when } = environment;
  if (file === undefined) return [];
  const die = (here: "before" | "after", n: number): void => {
    if (n === Number(at) && here === (when ?? "before")) process.kill(process.pid, "SIGKILL");
  };
  return markingTools(file, { before: (n) => die("before", n), after: (n) => die("after", n) });
}

/**
 * Say `ready`; answer each line on stdin once no turn runs, with a word, or `pending?` with the numbers of the questions that wait
 * as JSON; and the end of stdin with the orderly end.
 */
export async function serveQuestions(runtime: Composed): Promise<void> {
  process.stdout.write("ready\n");
  for await (const line of createInterface({ input: process.stdin })) {
    await runtime.idle();
    const pending = (): readonly number[] => runtime.store.read.calls.pending(systemClock.nowMs()).map(({ number }) => number);
    process.stdout.write(line === "pending?" ? `${JSON.stringify(pending())}\n` : "idle\n");
  }
  await runtime[Symbol.asyncDispose]();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await serveQuestions(await runOnScriptedPlatforms(process.env, new AbortController().signal));
}
