import type { Chronicle } from "../chronicle/chronicle.ts";
import type { ComposeOptions } from "./compose-options.ts";
import type { RoomDoor } from "../config/config.ts";
import { roomsOf } from "../config/config.ts";
import { openConsole } from "../console/console.ts";
import type { Console } from "../console/console.ts";
import { byUnderstudy } from "../models/availability.ts";
import type { Speaker } from "../models/speaker.ts";
import type { Outcomes } from "../observe/outcomes.ts";
import { outcomeOf } from "../observe/outcomes.ts";
import type { Operations } from "../operations/operations.ts";
import type { Runtime } from "../operations/runtime-face.ts";
import type { Store } from "../store/store.ts";
import { isHealthy } from "./health.ts";
import type { Voices } from "../surfaces/room/ports.ts";
import type { Room } from "../surfaces/room/room.ts";
import { openRoom } from "../surfaces/room/room.ts";
import type { SurfaceName } from "../vocabulary/ids.ts";
import { loadAssets } from "../web/assets.ts";

/** Make the configured rooms, each with its port. The road lets people in, once what an earlier process left is settled. */
export async function openRooms(
  options: ComposeOptions,
  floors: { store: Store; chronicle: Chronicle; outcomes: Outcomes; speaker: Speaker },
  signal: AbortSignal,
): Promise<readonly Room[]> {
  const { store, chronicle, outcomes, speaker } = floors;
  const config = options.config.current();
  const assets = await loadAssets(options.page, signal);
  const operator = config.delivery.disclosure.operator;
  const voices: Voices = {
    state: () => speaker.state(),
    byUnderstudy: (turn) => byUnderstudy((one) => store.read.spokenBy(one), turn),
    subscribe: (listener) => speaker.subscribe(listener),
  };
  await using opening = new AsyncDisposableStack();
  const rooms: Room[] = [];
  for (const surface of roomsOf(config)) {
    const characters = surface.characters.flatMap((id) => {
      const character = config.characters.get(id);
      return character === undefined ? [] : [{ id, name: character.name }];
    });
    const aliases = surface.characters.flatMap((id) => config.characters.get(id)?.aliases ?? []);
    const { name, title, port, outside } = surface;
    const door = (): RoomDoor => roomsOf(options.config.current()).find((one) => one.name === name)?.door ?? "invited";
    const siblings = (): readonly { title: string; url: string }[] => siblingsOf(name, rooms);
    const room = { name, title, port, outside, door, siblings, characters, reservedNames: [operator, ...aliases], assets };
    const opened = opening.use(openRoom({ config: room, store, lines: chronicle, outcomes, voices, floor: options.floor }, signal));
    await opened.takePort(signal);
    rooms.push(opened);
  }
  opening.move();
  return rooms;
}

/** Rooms that anybody may walk into from one: their door is open, and they are reached from the same side. */
function siblingsOf(name: SurfaceName, rooms: readonly Room[]): readonly { title: string; url: string }[] {
  const isOutside = rooms.find((room) => room.name === name)?.config.outside !== null;
  return rooms.flatMap(({ name: other, title, url, config }) => {
    const isNear = other !== name && url !== null && config.door() === "open" && (config.outside !== null) === isOutside;
    return isNear ? [{ title, url }] : [];
  });
}

/** Open the owner's console over the rooms: its own port, its own handlers (SE-086). */
export async function openOwnersConsole(
  options: ComposeOptions,
  floors: { rooms: readonly Room[]; operations: Operations; speaker: Speaker; store: Store; outcomes: Outcomes },
  signal: AbortSignal,
): Promise<Console> {
  const { rooms, operations, speaker, store } = floors;
  const config = options.config.current();
  const { model } = speaker;
  return openConsole(
    {
      rooms: () => rooms,
      operations,
      why: (line) => {
        const id = "message" in line ? line.message : store.read.deliveryOf(line.turn)?.inbox;
        const explanation = id === undefined ? null : store.read.explain(id);
        return explanation === null ? null : { outcome: outcomeOf(explanation), explanation };
      },
      model: () => (model.understudy ? null : { model: model.name, firstTokenMs: speaker.firstTokenMs() }),
      clock: options.floor.clock,
      log: options.floor.log,
    },
    {
      port: config.console.port,
      assets: await loadAssets(options.page, signal),
      ownerName: config.delivery.disclosure.operator,
      isHealthy: () => isHealthy(store),
      ...options.process,
    },
    signal,
  );
}

/** Where people come in. */
export function addressesOf(rooms: readonly Room[], console: Console | null): Runtime["addresses"] {
  return {
    room: rooms.flatMap(({ title, url, port }) => (url === null || port === null ? [] : [{ name: title, url, port }])),
    console: console?.url ?? "",
  };
}
