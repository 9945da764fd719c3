import type { Line } from "../foundation/line.ts";
import { columns, line, text, toned } from "../foundation/line.ts";
import type { Printable } from "../foundation/printable.ts";
import { printable } from "../foundation/printable.ts";
import type { HostStatus, StatusAnswer, SurfaceStatus } from "./status.ts";

/** States in which a surface is as it should be, or is brought back by itself. */
const FINE = new Set<SurfaceStatus["state"]>(["online", "connecting", "stopped"]);

/** `troupe status` for people: the process, then what is connected, then what it does. */
export function renderStatus(answer: StatusAnswer): readonly Line[] {
  return [
    toned("strong", line`Troupe ${printable(answer.version)}, process ${answer.pid}, up ${stretch(answer.upMs)}`),
    ...(answer.halted === true ? [toned("bad", line`  Halted: nothing is answered and nothing runs; to go on: troupe rearm`)] : []),
    ...answer.paused.map(({ character, place, untilMs }) =>
      toned(
        "bad",
        line`  Paused: ${printable(character ?? "everyone", 60)}, ${printable(place ?? "everywhere", 200)}, ${
          untilMs === null ? printable("until you resume") : printable(`until ${moment(untilMs)}`)
        }`,
      ),
    ),
    ...columns([
      ...answer.rooms.map(({ name, url }) => [printable("room"), printable(url), printable(name)]),
      [printable("console"), printable(answer.console), printable("troupe console opens it")],
      [printable("state"), printable(answer.stateDirectory), text``],
    ]),
    ...section(
      "Surfaces",
      answer.surfaces.map(surfaceRow),
      answer.surfaces.map(({ state }) => (FINE.has(state) ? "plain" : "bad")),
    ),
    ...section(
      "Models",
      answer.hosts.map(hostRow),
      answer.hosts.map(({ state }) => (state === "down" ? "bad" : "plain")),
    ),
    ...section("Work", workRows(answer), []),
  ];
}

function section(title: string, rows: readonly (readonly Printable[])[], tones: readonly Line["tone"][]): readonly Line[] {
  return [toned("strong", line`${printable(title)}`), ...columns(rows).map((row, at) => toned(tones[at] ?? "plain", row))];
}

function surfaceRow({ name, title, state, sinceMs, reason, retryAtMs, people, admittedToday }: SurfaceStatus): readonly Printable[] {
  const again = retryAtMs === null ? "" : `, tries again at ${moment(retryAtMs)}`;
  return [
    printable(name),
    printable(title, 80),
    text`${printable(state)} since ${printable(moment(sinceMs))}${printable(reason === "" ? "" : ` (${reason})`, 80)}${printable(again)}`,
    text`${people} here, ${admittedToday} let in today`,
  ];
}

function hostRow({ by, state, reason, sinceMs, firstTokenMs }: HostStatus): readonly Printable[] {
  const since = sinceMs === null ? "" : ` since ${moment(sinceMs)}`;
  const first = firstTokenMs === null ? "" : `first word after ${Math.round(firstTokenMs)} ms`;
  const words = { up: "answers", down: `down${since} (${reason})`, standing_in: "stands in: no model is configured" }[state];
  return [printable(by, 200), printable(words, 120), printable(first)];
}

function workRows(answer: StatusAnswer): readonly (readonly Printable[])[] {
  const { messages, parts, queues, today, store, memoryBytes, notices } = answer;
  const sync =
    store.commitP50Ms === null || store.commitP99Ms === null
      ? "no commit yet"
      : `half within ${store.commitP50Ms.toFixed(1)} ms, 99 of 100 within ${store.commitP99Ms.toFixed(1)} ms`;
  return [
    [printable("waiting"), text`${queues.waiting} of ${queues.maxWaiting}, in ${queues.lanes} lanes; ${queues.thinking} think`],
    [printable("messages"), listed(messages)],
    [printable("parts"), listed(parts)],
    [printable("today"), text`${today.admitted} let in, ${today.suppressed} suppressed; ${listed(today.ends)}`],
    [printable("sent today"), listed(today.parts)],
    [printable("database"), text`${megabytes(store.databaseBytes)}, journal ${megabytes(store.walBytes)}`],
    [printable("commits"), text`${store.commits}: ${printable(sync)}`],
    [printable("memory"), megabytes(memoryBytes)],
    [
      printable("notices"),
      text`${notices.kept}: troupe notices${printable(notices.dropped === 0 ? "" : `, ${notices.dropped} not sent on`)}`,
    ],
    ...((answer.endorsed ?? 0) === 0
      ? []
      : [[printable("endorsed"), text`${answer.endorsed ?? 0} imports count as your own words: troupe endorse`]]),
    ...outputRows(answer),
  ];
}

/** Log file and traces, where there are any. */
function outputRows({ log, traces }: Pick<StatusAnswer, "log" | "traces">): readonly (readonly Printable[])[] {
  return [
    ...(log === null ? [] : [[printable("log"), text`put aside ${log.rotations} times, ${log.dropped} lines not written`]]),
    ...(traces === null ? [] : [[printable("traces"), text`${traces.sent} spans sent, ${traces.dropped} dropped`]]),
  ];
}

function listed(counted: Readonly<Record<string, number>>): Printable {
  const words = Object.entries(counted).map(([name, count]) => `${count} ${name}`);
  return printable(words.join(", ") || "none");
}

function megabytes(bytes: number): Printable {
  return printable(`${(bytes / 1_000_000).toFixed(1)} MB`);
}

function moment(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 19)}Z`;
}

function stretch(ms: number): Printable {
  const s = Math.floor(ms / 1_000);
  if (s < 120) return printable(`${s} s`);
  return printable(s < 7_200 ? `${Math.floor(s / 60)} min` : `${Math.floor(s / 3_600)} h ${Math.floor((s % 3_600) / 60)} min`);
}
