import type { Log } from "../foundation/log.ts";
import type { HaltVia } from "../operations/halt.ts";
import { LOCAL_ACTOR } from "../operations/local-actor.ts";
import type { Operations } from "../operations/operations.ts";

const NEVER = new AbortController().signal;

/** Bring everything to a stand for something that is no command: a file that was laid there, a signal of the process (TR-073). */
export function haltBy(operations: Pick<Operations, "run">, via: Exclude<HaltVia, "command">, log: Log): void {
  operations.run("halt", { via }, LOCAL_ACTOR, NEVER).then(
    () => log.write("error", "halted"),
    (error: unknown) => log.failure("halt_failed", error),
  );
}
