import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { Composed } from "../compose.ts";
import { compose } from "../compose.ts";
import { loadConfig } from "../config/load.ts";
import { openConfigSource } from "../config/reload.ts";
import { systemClock } from "../foundation/clock.ts";
import { randomIds } from "../foundation/ids.ts";
import { createLog } from "../foundation/log.ts";
import { createRedactor } from "../foundation/redact.ts";
import type { Surface } from "../surfaces/surface.ts";
import { parseSurfaceName } from "../vocabulary/ids.ts";
import { CEILINGS } from "../vocabulary/limits.ts";
import { connectScriptedSurface } from "./scripted-surface.ts";

const timing = z.object({ quietMs: z.int(), holdMs: z.int(), fragments: z.int() });
const platforms = z.array(z.object({ name: z.string(), port: z.int(), readsBack: z.boolean(), maxBytes: z.int(), timing }));

/**
 * A whole runtime on scripted platforms, as a process that a test can kill: everything but the surfaces and the limits is the
 * product's own. `TROUPE_TEST_PLATFORMS` is JSON; the configuration is found as always. Prints `ready` once it hears.
 * `changed` puts something before each surface, to see that a test notices a fault.
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
      page: fileURLToPath(new URL("../ui", import.meta.url)),
      moreSurfaces: (ends) =>
        Promise.all(
          platforms
            .parse(JSON.parse(environment["TROUPE_TEST_PLATFORMS"] ?? "[]"))
            .map(async ({ name, ...rest }) =>
              changed(await connectScriptedSurface({ name: parseSurfaceName(name), ...rest, clock, log }, ends)),
            ),
        ),
    },
    signal,
  );
}

/** Say `ready`; answer each line on stdin with a word once no turn runs, and the end of stdin with the orderly end. */
export async function serveQuestions(runtime: Composed): Promise<void> {
  process.stdout.write("ready\n");
  for await (const _ of createInterface({ input: process.stdin })) {
    await runtime.idle();
    process.stdout.write("idle\n");
  }
  await runtime[Symbol.asyncDispose]();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await serveQuestions(await runOnScriptedPlatforms(process.env, new AbortController().signal));
}
