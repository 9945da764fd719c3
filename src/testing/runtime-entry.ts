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
import { parseSurfaceName } from "../vocabulary/ids.ts";
import { CEILINGS } from "../vocabulary/limits.ts";
import { connectScriptedSurface } from "./scripted-surface.ts";

const timing = z.object({ quietMs: z.int(), holdMs: z.int(), fragments: z.int() });
const platforms = z.array(z.object({ name: z.string(), port: z.int(), readsBack: z.boolean(), maxBytes: z.int(), timing }));

/**
 * A whole runtime on scripted platforms, as a process that a test can kill: everything but the surfaces and the limits is the
 * product's own. `TROUPE_TEST_PLATFORMS` is JSON; the configuration is found as always. Prints `ready` once it hears.
 */
export async function runOnScriptedPlatforms(
  environment: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
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
            .map(({ name, ...rest }) => connectScriptedSurface({ name: parseSurfaceName(name), ...rest, clock, log }, ends)),
        ),
    },
    signal,
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const stop = new AbortController();
  const runtime = await runOnScriptedPlatforms(process.env, stop.signal);
  process.stdout.write("ready\n");
  // Each line on stdin asks for a word once no turn runs; the end of stdin asks for the orderly end.
  for await (const _ of createInterface({ input: process.stdin })) {
    await runtime.idle();
    process.stdout.write("idle\n");
  }
  await runtime[Symbol.asyncDispose]();
}
