import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openAuthority } from "../../src/authority/authority.ts";
import type { Chronicle, VisibleEvents } from "../../src/chronicle/chronicle.ts";
import { openChronicle } from "../../src/chronicle/chronicle.ts";
import { loadConfig } from "../../src/config/load.ts";
import { openConfigSource } from "../../src/config/reload.ts";
import { randomIds } from "../../src/foundation/ids.ts";
import { silentLog } from "../../src/foundation/log.ts";
import { createRedactor } from "../../src/foundation/redact.ts";
import { openSpeaker } from "../../src/models/speaker.ts";
import { createUnderstudy } from "../../src/models/understudy.ts";
import { createOutcomes } from "../../src/observe/outcomes.ts";
import type { RoadNeeds } from "../../src/road/road.ts";
import { openRoad } from "../../src/road/road.ts";
import type { WriterOptions } from "../../src/store/sqlite/protocol.ts";
import { openStore } from "../../src/store/sqlite/sqlite.ts";
import type { StoreReader } from "../../src/store/store.ts";
import { InlineWriter } from "../../src/testing/inline-writer.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { scratchRoot } from "../../src/testing/scratch-root.ts";
import type { World, WorldStep } from "../../src/testing/worlds.ts";
import { WORLD_CHARACTERS, WORLD_SURFACES } from "../../src/testing/worlds.ts";
import type { CharacterId, SurfaceName } from "../../src/vocabulary/ids.ts";
import { parseSurfaceName } from "../../src/vocabulary/ids.ts";
import type { InboundEvent } from "../../src/vocabulary/inbound.ts";
import { CEILINGS } from "../../src/vocabulary/limits.ts";
import type { Model, ModelRequest } from "../../src/vocabulary/model.ts";
import type { Place } from "../../src/vocabulary/place.ts";
import { directPlace, publicPlace } from "../../src/vocabulary/place.ts";
import { roadNeeds } from "../../src/wiring/road-needs.ts";
import { MemorySurface } from "./road-harness.ts";

/** What a world came to: the bytes the model was sent for its last line, "" where it was sent none, and what was said. */
export interface Played {
  readonly request: string;
  readonly said: string;
}

/** The product's whole write path, with surfaces in memory and the understudy as its model; worlds are played one after another. */
export interface WorldPlayer extends AsyncDisposable {
  play(world: World): Promise<Played>;
}

/** A filter that stands in for the chronicle's, to see that the test can fail. */
export type Filter = (
  read: StoreReader,
  chronicle: Chronicle,
) => (character: CharacterId, destination: Place, options: { limit: number; exclude?: string }) => VisibleEvents;

/**
 * A room for each pair of surface and character: in a world each line is heard by the one character it is for, while
 * everyone in one room hears it.
 */
const roomOf = (surface: SurfaceName, character: CharacterId): SurfaceName => parseSurfaceName(`${surface}-${character}`);
const ROOMS = WORLD_SURFACES.flatMap((surface) => WORLD_CHARACTERS.map((character) => ({ name: roomOf(surface, character), character })));

/** The surfaces of those rooms. */
export const WORLD_ROOMS: readonly SurfaceName[] = ROOMS.map(({ name }) => name);

const CONFIG = [
  "characters:",
  ...WORLD_CHARACTERS.map((id) => `  ${id}: { name: ${id}, description: "Lives at the ferry." }`),
  "surfaces:",
  ...ROOMS.map(({ name, character }) => `  ${name}: { kind: room, port: 0, character: ${character} }`),
  "console: { port: 0 }",
].join("\n");

class NamedSurface extends MemorySurface {
  override readonly name: SurfaceName;

  constructor(name: SurfaceName) {
    super();
    this.name = name;
    this.profile = {
      ...this.profile,
      limits: { maxCodePoints: 8_000 },
      pacing: { public: { burst: 1e9, everyMs: 1 }, direct: { burst: 1e9, everyMs: 1 } },
    };
  }
}

/** A clock whose wall shows whatever a world says, while waiting goes by its own time. */
class WorldClock extends ManualClock {
  wallMs = 0;

  override nowMs(): number {
    return this.wallMs;
  }
}

/** Time between two lines, longer than any rule about lines that come close together remembers. */
const PAUSE_MS = 11 * 60_000;

/** Open a player; `filter` replaces the chronicle's filter. */
export async function openWorldPlayer(filter: Filter | null): Promise<WorldPlayer> {
  const folder = await mkdtemp(join(scratchRoot(), "troupe-worlds-"));
  const stop = new AbortController();
  await writeFile(join(folder, "troupe.yaml"), CONFIG);
  const clock = new WorldClock();
  const loadOptions = { cwd: folder, environment: {} };
  const first = loadConfig(loadOptions);
  const config = openConfigSource({ options: loadOptions, first, clock, notify: () => {} });
  const writer = (options: WriterOptions): InlineWriter => new InlineWriter(options);
  const store = await openStore({ directory: join(folder, ".troupe"), clock, log: silentLog, forTests: { writer } }, stop.signal);
  const real = openChronicle({ store, clock, log: silentLog });
  const chronicle: Chronicle =
    filter === null ? real : Object.assign(Object.create(real), delegated(real), { visibleFor: filter(store.read, real) });
  const requests: ModelRequest[] = [];
  const understudy = createUnderstudy(clock);
  const model: Model = {
    ...understudy,
    generate(request, signal) {
      requests.push(request);
      return understudy.generate(request, signal);
    },
  };
  const redactor = createRedactor([]);
  const floor = { clock, ids: randomIds, log: silentLog, redactor, limits: CEILINGS };
  const authority = openAuthority({
    store,
    clock,
    accounts: { operators: () => new Set() },
    budgets: { limits: () => config.current().budgets, notice: () => {} },
    log: silentLog,
    hides: () => false,
  });
  const needs: RoadNeeds = roadNeeds(
    { config, configName: first.name, floor, process: { version: "test", pid: 1, startedAtMs: 0 }, page: folder },
    {
      store,
      chronicle,
      speaker: openSpeaker({ config: config.current().models, clock, limits: CEILINGS, model }, stop.signal),
      // The clock stands still, so a budget of a minute would be used up by the first worlds.
      authority: { ...authority, reserve: () => ({ kind: "reserved", charges: [], release: () => {} }) },
      outcomes: createOutcomes({ reader: store.read, capacity: 16, log: silentLog }),
      key: new Uint8Array(32).fill(7),
    },
  );
  // Told once, people are told no more, so the second world of a pair would differ from the first by what came before both.
  // And a line for nobody is for nobody: no conversation goes on without a name.
  const engagement = (): { windowMs: number; people: number } => ({ windowMs: 0, people: 0 });
  const road = openRoad({ ...needs, policy: { ...needs.policy, disclosure: () => null, engagement } });
  const surfaces = new Map(ROOMS.map(({ name }) => [name, new NamedSurface(name)]));
  await road.open([...surfaces.values()], stop.signal);
  let deliveries = 0;

  const say = async (
    line: Pick<WorldStep, "place" | "heardBy" | "text"> & {
      person: { id: WorldAskPerson; name: string };
      asked: CharacterId;
      atMs: number;
    },
  ): Promise<void> => {
    const character = line.place.kind === "direct" ? line.place.character : (line.heardBy[0] ?? null);
    // A line for nobody stands in the room where the question will be asked: there it could do most harm.
    const home = roomOf(line.place.surface, character ?? line.asked);
    const surface = surfaces.get(home);
    assert.ok(surface?.inbox);
    deliveries += 1;
    clock.wallMs = line.atMs;
    const event: InboundEvent = {
      surface: home,
      deliveryId: `d${deliveries}`,
      atMs: line.atMs,
      sender: { principal: line.person.id, displayName: line.person.name, kind: "person", assurance: "anonymous" },
      place: line.place.kind === "direct" ? directPlace(home, line.place.character, line.person.id) : publicPlace(home),
      ...(line.place.kind === "public" && character !== null ? { to: character } : {}),
      alone: false,
      text: line.text,
    };
    await surface.inbox.hear(event, stop.signal);
    await clock.leap(PAUSE_MS);
    await road.idle();
  };

  return {
    async play(world) {
      for (const step of world.steps) {
        if (step.author.kind !== "person") continue;
        const { place, heardBy, text } = step;
        await say({
          place,
          heardBy,
          text,
          person: step.author.person,
          asked: world.ask.character,
          atMs: world.nowMs - step.minutesAgo * 60_000,
        });
      }
      for (const surface of surfaces.values()) surface.sent.length = 0;
      requests.length = 0;
      const { ask } = world;
      await say({
        place: ask.place,
        heardBy: [ask.character],
        text: ask.text,
        person: ask.person,
        asked: ask.character,
        atMs: world.nowMs,
      });
      const request = requests.at(-1);
      const said = [...surfaces.values()].flatMap(({ sent }) => sent.map(({ body }) => body)).join("");
      await store.retain({
        decisionsBeforeMs: FOREVER,
        publicBeforeMs: FOREVER,
        directBeforeMs: FOREVER,
        deliveriesBeforeMs: FOREVER,
        membersBeforeMs: FOREVER,
        toldBeforeMs: FOREVER,
        sessionsBeforeMs: FOREVER,
      });
      return { request: request === undefined ? "" : JSON.stringify(request), said };
    },
    async [Symbol.asyncDispose]() {
      await road[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
      stop.abort();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

type WorldAskPerson = World["ask"]["person"]["id"];
const FOREVER = Number.MAX_SAFE_INTEGER;
function delegated(chronicle: Chronicle): Partial<Chronicle> {
  return {
    hear: (row) => chronicle.hear(row),
    answer: (row) => chronicle.answer(row),
    settle: (row, place) => chronicle.settle(row, place),
    history: (place, reader, range) => chronicle.history(place, reader, range),
    subscribe: (listener) => chronicle.subscribe(listener),
  };
}
