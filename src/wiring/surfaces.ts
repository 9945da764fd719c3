import type { Authority } from "../authority/authority.ts";
import type { Chronicle } from "../chronicle/chronicle.ts";
import type { ComposeOptions } from "./compose-options.ts";
import { orAbort } from "../foundation/cancellation.ts";
import type { Speaker } from "../models/speaker.ts";
import type { Notices } from "../observe/notices.ts";
import type { Outcomes } from "../observe/outcomes.ts";
import type { Store } from "../store/store.ts";
import type { Room } from "../surfaces/room/room.ts";
import type { Surface } from "../surfaces/surface.ts";
import type { TerminalSurface } from "../surfaces/terminal/terminal.ts";
import { TERMINAL, createTerminal } from "../surfaces/terminal/terminal.ts";
import { directPlace } from "../vocabulary/place.ts";
import { LOCAL_OWNER } from "../vocabulary/principal.ts";
import { openBots } from "./bots.ts";
import { openRooms } from "./pages.ts";

/** Where people are: the configured rooms and bots, and the terminal. */
export interface OpenedSurfaces extends AsyncDisposable {
  readonly rooms: readonly Room[];
  readonly terminal: TerminalSurface;
  /** All of them, in the order in which the road opens them. */
  readonly all: readonly Surface[];
}

/** Make every surface of the configuration; each hears nothing before the road opens it. On a failure those already made are ended. */
export async function openSurfaces(
  options: ComposeOptions,
  floors: {
    store: Store;
    chronicle: Chronicle;
    authority: Authority;
    speaker: Speaker;
    outcomes: Outcomes;
    notices: Notices;
    key: Uint8Array;
  },
  signal: AbortSignal,
): Promise<OpenedSurfaces> {
  await using opening = new AsyncDisposableStack();
  const { clock, ids } = options.floor;
  const rooms = await openRooms(options, floors, signal);
  for (const room of rooms) opening.use(room);
  const bots = await openBots(options, floors, signal);
  for (const bot of bots) opening.use(bot);
  const terminal = opening.use(
    createTerminal({
      clock,
      ids,
      outcomes: floors.outcomes,
      characters: () => options.config.current().characters,
      missed: (character, waits) => orAbort(floors.store.conversations.catchUp(directPlace(TERMINAL, character, LOCAL_OWNER).id), waits),
      understudy: () => floors.speaker.model.understudy,
    }),
  );
  const more = (await options.moreSurfaces?.(signal)) ?? [];
  for (const surface of more) opening.use(surface);
  const owned = opening.move();
  return { rooms, terminal, all: [...rooms, ...bots, terminal, ...more], [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
