import { z } from "zod";
import { linkSignals, throwIfAborted } from "../foundation/cancellation.ts";
import type { Clock } from "../foundation/clock.ts";
import { printable } from "../foundation/printable.ts";
import { consoleAddress, writeRedirect } from "./console-link.ts";
import type { Screen } from "./faces/screen.ts";
import type { Declared, Operation } from "./operation.ts";
import { OWNER_ONLY, declare } from "./operation.ts";
import type { StartRequest } from "./runtime-face.ts";
import { renderStart } from "./start-report.ts";
import type { StartNeeds } from "./started.ts";
import { start } from "./started.ts";

/** Arguments of `run`. */
export interface RunArguments {
  readonly restored?: boolean | undefined;
}

/** Result of `run`: it ends when it is told to. */
export interface RunAnswer {
  readonly stopped: true;
}

/** `troupe run`, and `troupe` alone. */
export const run: Declared<RunArguments, RunAnswer> = declare<RunArguments, RunAnswer>({
  name: "run",
  summary: "start the characters and stay up until Ctrl-C; this is what troupe alone does",
  arguments: z.strictObject({
    restored: z.boolean().optional().describe("take an older copy of the database; all authority in it is void"),
  }),
  positional: [],
  who: OWNER_ONLY,
  result: z.object({ stopped: z.literal(true) }),
  render: () => [],
});

/** What `run` needs beside a start. */
export interface RunNeeds extends StartNeeds {
  readonly screen: Screen;
  readonly json: boolean;
  /** Milliseconds since the process began. */
  uptimeMs(): number;
  /** Called once when everything is up. */
  onReady(): void;
}

/** Bind `run`: start, say what is up, wait for the signal, and shut down in order; fail once nothing can be kept any more (TR-085). */
export function bindRun(needs: RunNeeds, request: StartRequest): Operation {
  return run.bind(async ({ restored }, { signal }) => {
    await using started = await start(needs, { ...request, restored: restored === true }, signal);
    await announce(started.runtime, needs);
    needs.onReady();
    using ending = linkSignals(signal, started.runtime.failed);
    await aborted(ending.signal, needs.clock);
    if (!signal.aborted) throwIfAborted(started.runtime.failed);
    return { stopped: true };
  });
}

async function announce(runtime: Awaited<ReturnType<typeof start>>["runtime"], needs: RunNeeds): Promise<void> {
  const { addresses, startReport } = runtime;
  const way = { url: addresses.console, code: runtime.issueConsoleCode() };
  const shown = needs.screen.interactive && !needs.json;
  const console = shown ? consoleAddress(way) : printable(`${way.url}  open ${await writeRedirect(startReport.stateDirectory, way)}`);
  const readyMs = needs.uptimeMs();
  if (needs.json)
    needs.screen.printJson({ version: needs.version, addresses, ...startReport, pid: process.pid, readyMs: Math.round(readyMs) });
  else needs.screen.print(renderStart({ version: needs.version, runtime, console, readyMs }));
}

/** Wait for the end of the signal. The long sleep keeps the process alive whatever else is open. */
async function aborted(signal: AbortSignal, clock: Clock): Promise<void> {
  const A_DAY_MS = 86_400_000;
  while (!signal.aborted) await clock.sleep(A_DAY_MS, signal).catch(() => undefined);
}
