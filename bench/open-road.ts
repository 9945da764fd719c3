import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openAuthority } from "../src/authority/authority.ts";
import { openChronicle } from "../src/chronicle/chronicle.ts";
import { loadConfig } from "../src/config/load.ts";
import { openConfigSource } from "../src/config/reload.ts";
import { systemClock } from "../src/foundation/clock.ts";
import { randomIds } from "../src/foundation/ids.ts";
import { silentLog } from "../src/foundation/log.ts";
import { createRedactor } from "../src/foundation/redact.ts";
import { watchModel } from "../src/models/availability.ts";
import { createOutcomes } from "../src/observe/outcomes.ts";
import type { Road } from "../src/road/road.ts";
import { openRoad } from "../src/road/road.ts";
import { openStore } from "../src/store/sqlite/sqlite.ts";
import type { Store } from "../src/store/store.ts";
import type { Inbox, Surface, SurfaceProfile } from "../src/surfaces/surface.ts";
import type { SurfaceName } from "../src/vocabulary/ids.ts";
import { parseCharacterId, parseSurfaceName } from "../src/vocabulary/ids.ts";
import type { InboundEvent } from "../src/vocabulary/inbound.ts";
import { CEILINGS } from "../src/vocabulary/limits.ts";
import type { Model } from "../src/vocabulary/model.ts";
import type { Part, SendOutcome } from "../src/vocabulary/part.ts";
import { directPlace } from "../src/vocabulary/place.ts";
import { parsePrincipalId } from "../src/vocabulary/principal.ts";
import { roadNeeds } from "../src/wiring/road-needs.ts";

const CONFIG = `
characters:
  mirelle: { name: Mirelle, description: "Keeps the inn at the ferry and knows everybody who crosses." }
surfaces:
  inn: { kind: room, port: 0, character: mirelle }
console: { port: 0 }
`;
const HARBOUR = parseSurfaceName("harbour");
const MIRELLE = parseCharacterId("mirelle");

/** A surface that takes every part at once, and tells who waits for it. */
class InstantSurface implements Surface {
  readonly name: SurfaceName = HARBOUR;
  readonly kind = "bench";
  readonly profile: SurfaceProfile = {
    limits: { maxCodePoints: 2_000 },
    readsBack: true,
    pacing: { public: { burst: 1e9, everyMs: 1 }, direct: { burst: 1e9, everyMs: 1 } },
    understudyForStrangers: true,
    timing: { quietMs: 0, holdMs: 0, fragments: 1 },
    keepsAmbient: false,
  };
  inbox: Inbox | null = null;
  onPart: (part: Part) => void = () => {};

  open(inbox: Inbox): Promise<void> {
    this.inbox = inbox;
    return Promise.resolve();
  }

  send(part: Part): Promise<SendOutcome> {
    this.onPart(part);
    return Promise.resolve({ kind: "delivered", platformId: part.id });
  }

  readBack(): Promise<{ kind: "absent" }> {
    return Promise.resolve({ kind: "absent" });
  }

  typing(): void {}

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }
}

/** The product's road with everything below it, on a folder of its own, and a model that answers after `thinkMs`. */
export interface BenchRoad extends AsyncDisposable {
  readonly store: Store;
  readonly road: Road;
  readonly surface: InstantSurface;
  readonly folder: string;
  /** Hand in one line of person `who`, in the direct line to the character. Resolves once it is durable. */
  hear(who: number, delivery: string, text?: string): Promise<unknown>;
}

/** Open it. `budgets` are off: what is measured is the road, not its limits. */
export async function openBenchRoad(thinkMs: number): Promise<BenchRoad> {
  const folder = await mkdtemp(join(tmpdir(), "troupe-bench-"));
  const stop = new AbortController();
  await writeFile(join(folder, "troupe.yaml"), CONFIG);
  const clock = systemClock;
  const loadOptions = { cwd: folder, environment: {} };
  const first = loadConfig(loadOptions);
  const config = openConfigSource({ options: loadOptions, first, clock, notify: () => {} });
  const store = await openStore({ directory: join(folder, ".troupe"), clock, log: silentLog }, stop.signal);
  const chronicle = openChronicle({ store, clock, log: silentLog });
  const answer = { text: JSON.stringify({ action_label: "speak", visible_action: "", spoken_text: "The ferry runs at six, if the fog allows." }), usage: { promptTokens: 800, completionTokens: 20 }, firstTokenMs: thinkMs, finish: "stop" } as const;
  const model: Model = {
    name: "bench/model",
    understudy: false,
    price: null,
    async generate(_request, signal) {
      if (thinkMs > 0) await clock.sleep(thinkMs, signal);
      return answer;
    },
  };
  const authority = openAuthority({ store, clock, operators: () => new Set(), budgets: () => config.current().budgets });
  const redactor = createRedactor([]);
  const road = openRoad(
    roadNeeds(
      { config, configName: first.name, floor: { clock, ids: randomIds, log: silentLog, redactor, limits: CEILINGS }, process: { version: "bench", pid: process.pid, startedAtMs: 0 }, page: folder },
      {
        store,
        chronicle,
        speaker: { ...watchModel(model, clock), [Symbol.dispose]: () => {} },
        authority: { ...authority, reserve: (person, space) => ({ kind: "reserved", charges: [{ scope: `calls:person:${person}`, windowStartMs: 0, amount: 1 }, { scope: `calls:space:${space}`, windowStartMs: 0, amount: 1 }] }) },
        outcomes: createOutcomes({ reader: store.read, capacity: 8_192, log: silentLog }),
        key: new Uint8Array(32).fill(7),
      },
    ),
  );
  const surface = new InstantSurface();
  await road.open([surface], stop.signal);
  return {
    store,
    road,
    surface,
    folder,
    hear(who, delivery, text = "Mirelle, when does the ferry run this evening?") {
      const person = parsePrincipalId(`scripted:p${who}`);
      const event: InboundEvent = {
        surface: HARBOUR,
        deliveryId: delivery,
        atMs: clock.nowMs(),
        sender: { principal: person, displayName: `Person ${who}`, kind: "person", assurance: "platform" },
        place: directPlace(HARBOUR, MIRELLE, person),
        alone: false,
        text,
      };
      return surface.inbox?.hear(event, stop.signal) ?? Promise.resolve();
    },
    async [Symbol.asyncDispose]() {
      await road[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
      stop.abort();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
