import { monitorEventLoopDelay } from "node:perf_hooks";
import { openBenchRoad } from "./open-road.ts";

const MESSAGES = Number(process.argv[2] ?? "20000");
const PEOPLE = 1_000;
const OUTSTANDING = 512;

/** Messages a second through the whole road, each durable and answered, with so many always under way. */
async function closedLoop(): Promise<number> {
  await using one = await openBenchRoad(0);
  let sent = 0;
  let done = 0;
  const started = performance.now();
  await new Promise<void>((resolve) => {
    const next = (): void => {
      if (sent >= MESSAGES) return;
      const at = sent++;
      void one.hear(at % PEOPLE, `d${at}`);
    };
    one.surface.onPart = () => {
      done += 1;
      if (done === MESSAGES) resolve();
      else next();
    };
    for (let n = 0; n < OUTSTANDING; n += 1) next();
  });
  const seconds = (performance.now() - started) / 1_000;
  await one.road.idle();
  return MESSAGES / seconds;
}

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
for (let round = 0; round < 3; round += 1) {
  delay.reset();
  const rate = await closedLoop();
  console.log(`${Math.round(rate)} msg/s, event loop p99 ${(delay.percentile(99) / 1e6).toFixed(1)} ms`);
}
