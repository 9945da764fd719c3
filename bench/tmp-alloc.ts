import { Session } from "node:inspector/promises";
import { openBenchRoad, benchPerson } from "./open-road.ts";
import { writeFileSync } from "node:fs";
const PEOPLE = Array.from({ length: 1_000 }, (_, number) => benchPerson(number));
await using road = await openBenchRoad({ thinkMs: 0 });
const s = new Session(); s.connect();
const N = 12000, FROM = 4000;
let heard = 0, answered = 0;
const ended = Promise.withResolvers<void>();
const next = () => { road.surface.whisper(PEOPLE[heard++ % 1000]!).catch(ended.reject); };
let started: Promise<unknown> | null = null;
road.surface.onPart = (part) => {
  if (part.index + 1 < part.count) return;
  answered++;
  if (answered === FROM) started = s.post("HeapProfiler.startSampling", { samplingInterval: 4096, includeObjectsCollectedByMajorGC: true, includeObjectsCollectedByMinorGC: true });
  if (heard < N) next(); else if (answered === heard) ended.resolve();
};
for (let i = 0; i < 256; i++) next();
await ended.promise; await started;
const { profile } = await s.post("HeapProfiler.stopSampling") as any;
const self = new Map<string, number>(), incl = new Map<string, number>(); let total = 0;
const walk = (n: any, up: string[]) => {
  const c = n.callFrame; const k = `${c.functionName || "(anon)"} ${c.url.split("/").slice(-2).join("/")}:${c.lineNumber + 1}`;
  self.set(k, (self.get(k) ?? 0) + n.selfSize); total += n.selfSize;
  const path = [...up, k];
  for (const p of new Set(path)) incl.set(p, (incl.get(p) ?? 0) + n.selfSize);
  for (const ch of n.children) walk(ch, path);
};
walk(profile.head, []);
const M = N - FROM;
console.log("bytes a message", Math.round(total / M));
for (const [t, m] of [["self", self], ["incl", incl]] as const) { console.log("--", t); for (const [k, v] of [...m].sort((a, b) => b[1] - a[1]).slice(0, t === "self" ? 70 : 90)) console.log(Math.round(v / M).toString().padStart(7), k); }
