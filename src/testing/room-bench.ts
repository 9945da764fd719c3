import type { IdSource } from "../foundation/ids.ts";
import { randomIds } from "../foundation/ids.ts";
import { silentLog } from "../foundation/log.ts";
import type { RoomConfig } from "../surfaces/room/ports.ts";
import type { Room } from "../surfaces/room/room.ts";
import { openRoom } from "../surfaces/room/room.ts";
import { isRecord } from "../web/answers.ts";
import { FakeRoad, FakeRoomStore, FakeVoices, fakeRoomConfig } from "./fake-room.ts";
import { ManualClock } from "./manual-clock.ts";
import type { RawAnswer, RawRequest } from "./raw-request.ts";
import { rawRequest } from "./raw-request.ts";

const NEVER = new AbortController().signal;

/** What a member's page holds. */
export interface RoomMember {
  readonly id: string;
  readonly secret: string;
}

/** A room over real sockets, and what a test asks of it. */
export interface RoomBench extends AsyncDisposable {
  readonly room: Room;
  readonly road: FakeRoad;
  readonly store: FakeRoomStore;
  readonly config: RoomConfig;
  readonly clock: ManualClock;
  readonly port: number;
  /** Ask as an own page does. */
  readonly page: (raw: RawRequest, member?: RoomMember) => Promise<RawAnswer>;
  /** Ask with a body, and give the answer's object. */
  readonly post: (path: string, body: object, headers?: Readonly<Record<string, string>>) => Promise<Readonly<Record<string, unknown>>>;
  readonly join: (name: string) => Promise<RoomMember>;
}

/** What a bench begins with; whatever is left out is fresh. */
export interface RoomBenchOptions {
  readonly road?: FakeRoad;
  readonly store?: FakeRoomStore;
  readonly clock?: ManualClock;
  readonly ids?: IdSource;
  readonly config?: Partial<RoomConfig>;
}

/** Open a room on a port of its own. */
export async function makeRoomBench(kept: RoomBenchOptions = {}): Promise<RoomBench> {
  const road = kept.road ?? new FakeRoad();
  const store = kept.store ?? new FakeRoomStore();
  const clock = kept.clock ?? new ManualClock();
  const config: RoomConfig = { ...fakeRoomConfig(), ...kept.config };
  const room = openRoom(
    {
      config,
      store,
      lines: road.lines,
      outcomes: road.outcomes,
      voices: new FakeVoices(),
      floor: { clock, ids: kept.ids ?? randomIds, log: silentLog },
    },
    NEVER,
  );
  await room.open(road, NEVER);
  const port = room.port ?? 0;
  const origin = room.url ?? "";
  const page = (raw: RawRequest, member?: RoomMember): Promise<RawAnswer> =>
    rawRequest(port, { ...raw, headers: { ...pageHeaders(origin, member, raw), ...raw.headers } });
  const post: RoomBench["post"] = async (path, body, headers = {}) =>
    objectOf(await page({ method: "POST", path, body: JSON.stringify(body), headers }));
  const join = async (name: string): Promise<RoomMember> => {
    const { id, secret } = await post("/api/members", { name });
    return { id: String(id), secret: String(secret) };
  };
  return { room, road, store, config, clock, port, page, post, join, [Symbol.asyncDispose]: () => room[Symbol.asyncDispose]() };
}

/** What a browser's own page sends. */
export function pageHeaders(origin: string, member: RoomMember | undefined, raw: RawRequest): Readonly<Record<string, string>> {
  return {
    host: new URL(origin).host,
    origin,
    "sec-fetch-site": "same-origin",
    ...(member === undefined ? {} : { authorization: `Bearer ${member.secret}` }),
    ...(raw.body === undefined ? {} : { "content-type": "application/json" }),
  };
}

/** An answer's body as an object; an empty one where it is none. */
export function objectOf(answer: RawAnswer): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(answer.text);
  return isRecord(value) ? value : {};
}
