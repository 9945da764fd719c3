import { linkSignals, throwIfAborted } from "../foundation/cancellation.ts";
import type { Clock } from "../foundation/clock.ts";
import { RuntimeError } from "../foundation/errors.ts";
import type { Log } from "../foundation/log.ts";
import type { Operations } from "../operations/operations.ts";
import { LOCAL_OWNER } from "../vocabulary/principal.ts";
import type { Assets } from "../web/assets.ts";
import { openListener } from "../web/web.ts";
import type { ConsoleRoom, ConsoleViewer, LineAsked } from "./console-routes.ts";
import { createConsoleRoutes } from "./console-routes.ts";
import type { Explained } from "./explanation.ts";
import { Sessions } from "./sessions.ts";

/** What the console stands on. */
export interface ConsoleNeeds {
  readonly rooms: () => readonly ConsoleRoom[];
  readonly operations: Operations;
  /** Both faces of what became of a message, or of the one that a turn answered; null when there is none. */
  readonly why: (line: LineAsked) => Explained | null;
  /** What speaks now, `host/model`; null while no model is configured. */
  readonly model: () => { readonly model: string; readonly firstTokenMs: number | null } | null;
  readonly clock: Clock;
  readonly log: Log;
}

/** Where the console listens, and what it says of the process. */
export interface ConsoleOptions {
  /** 0 takes any free port. */
  readonly port: number;
  readonly assets: Assets;
  /** The owner's name in the rooms. */
  readonly ownerName: string;
  readonly version: string;
  readonly pid: number;
  readonly startedAtMs: number;
  /** Whether all is well: answered under `/healthz` to whoever can reach the port. */
  readonly isHealthy: () => boolean;
}

/** The operator's listener. */
export interface Console extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /**
   * Make a link that opens one session. Its code stands in the fragment, which no server and no log gets; print it to a
   * terminal only. Good once within 60 s; with `untilUsed` until it is used: only for the link a start prints, since people
   * open that one when they get to it, and whoever reads that terminal could ask for a new one anyway.
   */
  issueLink(options: { readonly untilUsed: boolean }): string;
}

/**
 * Open the console on loopback: a second origin with handlers of its own, the only ones that hold operations and explanations
 * (SE-086). Whoever has exchanged a code is `local:owner` with assurance `local` (SE-081).
 * @throws RuntimeError `port_in_use`, `forbidden`
 */
export async function openConsole(needs: ConsoleNeeds, options: ConsoleOptions, signal: AbortSignal): Promise<Console> {
  throwIfAborted(signal);
  const sessions = new Sessions(needs.clock);
  const work = linkSignals(signal);
  const viewer = (): ConsoleViewer => ownerView(needs, options);
  const handler = createConsoleRoutes(
    { sessions, rooms: needs.rooms, operations: needs.operations, why: needs.why, viewer, log: needs.log },
    work.signal,
  );
  try {
    const listener = await openListener(
      needs,
      {
        reach: { kind: "loopback", handler },
        port: options.port,
        key: "console.port",
        assets: options.assets,
        isHealthy: options.isHealthy,
      },
      signal,
    );
    return {
      url: listener.url,
      port: listener.port,
      issueLink: (issue) => `${listener.url}/#code=${sessions.issue(issue)}`,
      async [Symbol.asyncDispose]() {
        work.abort(new RuntimeError("closed", "Cannot go on: the console is closing"));
        work[Symbol.dispose]();
        await listener[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    work[Symbol.dispose]();
    throw error;
  }
}

function ownerView(needs: ConsoleNeeds, options: ConsoleOptions): ConsoleViewer {
  const { version, pid, startedAtMs } = options;
  const rooms = needs.rooms().flatMap(({ name, title, url }) => (url === null ? [] : [{ name, title, url }]));
  return {
    principal: LOCAL_OWNER,
    name: options.ownerName,
    role: "operator",
    assurance: "local",
    untilMs: null,
    operator: { view: { version, pid, startedAtMs, rooms }, model: needs.model() },
    keep: () => Promise.resolve("stays"),
  };
}
