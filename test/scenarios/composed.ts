import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Tool } from "../../src/agents/tools/tool.ts";
import type { Composed } from "../../src/compose.ts";
import { compose } from "../../src/compose.ts";
import { loadConfig } from "../../src/config/load.ts";
import { openConfigSource } from "../../src/config/reload.ts";
import { systemClock } from "../../src/foundation/clock.ts";
import { randomIds } from "../../src/foundation/ids.ts";
import { createLog } from "../../src/foundation/log.ts";
import { createRedactor } from "../../src/foundation/redact.ts";
import type { Limits } from "../../src/vocabulary/limits.ts";
import { CEILINGS } from "../../src/vocabulary/limits.ts";
import { MemorySurface } from "./road-harness.ts";

/** A whole runtime in this process, with one surface in memory beside what its configuration names. */
export interface ComposedHarness extends AsyncDisposable {
  readonly runtime: Composed;
  readonly surface: MemorySurface;
  /** Every line of the log, at the lowest level. */
  readonly log: string[];
  readonly folder: string;
}

/** Compose over `yaml`; environment values stand in for the process's. */
export async function openComposed(
  yaml: string,
  options: { environment?: Record<string, string>; limits?: Partial<Limits>; state?: string; tools?: readonly Tool[] } = {},
): Promise<ComposedHarness> {
  const folder = await mkdtemp(join(tmpdir(), "troupe-composed-"));
  await writeFile(join(folder, "troupe.yaml"), yaml);
  const clock = systemClock;
  const log: string[] = [];
  const loadOptions = {
    cwd: folder,
    environment: options.environment ?? {},
    ...(options.state === undefined ? {} : { stateDirectory: options.state }),
  };
  const first = loadConfig(loadOptions);
  const secrets = [...first.config.models.hosts.values()].flatMap(({ key }) => (key === null ? [] : [key]));
  const redactor = createRedactor(secrets);
  const surface = new MemorySurface();
  surface.profile = { ...surface.profile, pacing: { public: { burst: 1e6, everyMs: 1 }, direct: { burst: 1e6, everyMs: 1 } } };
  const stop = new AbortController();
  const runtime = await compose(
    {
      config: openConfigSource({ options: loadOptions, first, clock, notify: () => {} }),
      configName: first.name,
      floor: {
        clock,
        ids: randomIds,
        log: createLog({ clock, level: "debug", redactor, sink: (line) => log.push(line) }),
        redactor,
        limits: { ...CEILINGS, ...options.limits },
      },
      process: { version: "test", pid: process.pid, startedAtMs: clock.nowMs() },
      page: join(folder, "no-page"),
      moreSurfaces: () => Promise.resolve([surface]),
      moreTools: options.tools ?? [],
    },
    stop.signal,
  );
  return {
    runtime,
    surface,
    log,
    folder,
    async [Symbol.asyncDispose]() {
      await runtime[Symbol.asyncDispose]();
      stop.abort();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
