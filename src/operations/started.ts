import type { Clock } from "../foundation/clock.ts";
import type { Log } from "../foundation/log.ts";
import { openLocalSocket } from "./faces/local-socket.ts";
import { socketPathOf } from "./faces/socket-path.ts";
import type { Runtime, RuntimeDoor, StartRequest } from "./runtime-face.ts";

/** What a start needs. */
export interface StartNeeds {
  readonly door: RuntimeDoor;
  readonly version: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Hear of the signal that brings everything to a stand, until the handle is disposed. */
  readonly onHalt: (told: () => void) => Disposable;
}

/** A runtime that other commands of this user reach; disposing it ends their connections, then the runtime. */
export interface Started extends AsyncDisposable {
  readonly runtime: Runtime;
}

/** Open the runtime and its local socket. @throws RuntimeError `config_*`, `state_*`, `port_in_use`; nothing stays open then. */
export async function start(needs: StartNeeds, request: StartRequest, signal: AbortSignal): Promise<Started> {
  await using opening = new AsyncDisposableStack();
  const runtime = opening.use(await needs.door.open(request, signal));
  const { stateDirectory } = runtime.startReport;
  const at = socketPathOf({ stateDirectory, temporaryDirectory: needs.door.temporaryDirectory });
  const { version, clock, log } = needs;
  const attach: Runtime["terminal"]["attach"] = (session, until) => runtime.terminal.attach(session, until);
  opening.use(await openLocalSocket({ at, version, operations: runtime.operations, attach, clock, log }, signal));
  opening.use(needs.onHalt(() => runtime.halt()));
  const opened = opening.move();
  return { runtime, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}
