import type { ExplanationView, OperatorWhyView, TurnView } from "../../../surfaces/room/protocol.ts";
import { CURES } from "./cures.ts";
import { exactDuration, exactTime } from "./times.ts";

/** A piece of a station's text: plain, weighty, or to the letter. */
export interface Phrase {
  readonly voice: "plain" | "strong" | "exact";
  readonly text: string;
}

/** One station of the road: what happened there, how long it took, and whether the message got that far. */
export interface Station {
  readonly name: string;
  readonly state: "passed" | "stopped" | "not_reached";
  readonly what: readonly Phrase[];
  readonly time: string;
}

/** Where the time went, in milliseconds. */
export interface RoadTimes {
  readonly waitMs: number;
  readonly voiceMs: number;
  readonly sendMs: number;
}

/** A message's whole road, ready to be shown. */
export interface Road {
  readonly summary: string;
  readonly rest: string;
  readonly command: string;
  readonly stations: readonly Station[];
  /** Null while it is under way or when it got off before a voice. */
  readonly times: RoadTimes | null;
  /** What would have led elsewhere; "" where it was answered. */
  readonly cure: string;
  /** Whether asking again may tell more. */
  readonly isOpen: boolean;
}

const plain = (text: string): Phrase => ({ voice: "plain", text });
const strong = (text: string): Phrase => ({ voice: "strong", text });
const exact = (text: string): Phrase => ({ voice: "exact", text });

/** Lay out what an operator is told of a message (SE-094): six stations, where it got off, the rule, the key, the cure. */
export function roadOf(why: OperatorWhyView, nameOf: (character: string) => string): Road {
  const told = why.explanation;
  const isOpen = told.admission === "admitted" && told.state !== "ended";
  const reached = [surface(told), admission(told), lane(told), turn(told), voice(told), delivery(told)];
  const stations = foldUnreached(reached);
  return { ...summary(why, nameOf), command: why.command, stations, times: timesOf(told), cure: cureOf(told), isOpen };
}

function summary(why: OperatorWhyView, nameOf: (character: string) => string): { readonly summary: string; readonly rest: string } {
  const told = why.explanation;
  if (told.admission === "suppressed")
    return { summary: `Not answered: ${spaced(told.reason ?? "suppressed")}.`, rest: "No voice saw it." };
  const who = told.character === null ? "a character" : nameOf(told.character);
  if (told.state !== "ended") return { summary: "Admitted", rest: `and on its way to ${who}.` };
  const times = timesOf(told);
  const tookMs = times === null ? why.tookMs : times.waitMs + times.voiceMs + times.sendMs;
  const took = tookMs === null ? "" : `${exactDuration(tookMs)} after it arrived.`;
  if (told.end === "answered") return { summary: `Admitted, and answered by ${by(told, who)}`, rest: took };
  if (told.end === "silent") return { summary: `Admitted; ${who} chose silence`, rest: took };
  return {
    summary: `Admitted, and ended as ${spaced(told.end ?? "unknown")}`,
    rest: told.endReason === null ? "" : `Reason: ${told.endReason}.`,
  };
}

function by(told: ExplanationView, who: string): string {
  return told.turn?.by === "understudy" ? `${who}’s understudy` : who;
}

function surface(told: ExplanationView): Station {
  const many = told.count > 1 ? [plain(`. Stands for ${told.count} messages`)] : [];
  return {
    name: "Surface",
    state: "passed",
    what: [plain(`${told.surface}, `), exact(told.person), plain(" in "), exact(told.place), ...many],
    time: exactTime(told.atMs),
  };
}

function admission(told: ExplanationView): Station {
  const isIn = told.admission === "admitted";
  const verdict = isIn ? [strong("admitted")] : [strong("suppressed"), plain(": "), exact(told.reason ?? "")];
  const kind = told.class === null ? [] : [plain(` as ${told.class}`)];
  const gate = [plain(". Gate "), exact(told.gate), plain(", rule "), exact(told.rule)];
  const key = told.key === "" ? [] : [plain(", from "), exact(told.key)];
  return { name: "Admission", state: isIn ? "passed" : "stopped", what: [...verdict, ...kind, ...gate, ...key], time: "" };
}

function lane(told: ExplanationView): Station {
  if (told.admission === "suppressed" || told.state === null) return unreached("Lane");
  if (told.turn !== null) {
    return { name: "Lane", state: "passed", what: [plain("waited for its turn")], time: exactDuration(told.turn.startedAtMs - told.atMs) };
  }
  if (told.state === "ended") {
    return { name: "Lane", state: "stopped", what: [strong(spaced(told.end ?? "ended")), ...reason(told.endReason)], time: "" };
  }
  return { name: "Lane", state: "passed", what: [plain("waits for its turn")], time: "" };
}

function turn(told: ExplanationView): Station {
  if (told.turn === null) return unreached("Turn");
  const again = told.attempts > 1 ? [plain(`. Run ${told.attempts} times: the process ended in between`)] : [];
  const packet = told.turn.packet;
  const seen =
    packet === null
      ? []
      : [plain(", packet "), exact(packet.id), plain(`: ${packet.bytes.toLocaleString("en-GB")} bytes, ${withheld(packet.withheld)}`)];
  return { name: "Turn", state: "passed", what: [exact(told.turn.id), ...seen, ...again], time: "" };
}

function voice(told: ExplanationView): Station {
  const run = told.turn;
  if (run === null) return unreached("Voice");
  const failed = told.state === "ended" && told.end !== "answered" && told.end !== "silent" && told.parts.length === 0;
  const who = run.by === null ? [plain("no answer yet")] : [plain(`${run.voice ?? "voice"} `), exact(run.by)];
  const verdict = failed ? [strong(spaced(told.end ?? "failed")), ...reason(told.endReason), plain(". ")] : [];
  return {
    name: "Voice",
    state: failed ? "stopped" : "passed",
    what: [...verdict, ...who, ...passedOver(run), ...usage(run), ...wishes(run)],
    time: run.endedAtMs === null ? "" : exactDuration(run.endedAtMs - run.startedAtMs),
  };
}

/** Who could not answer before, and why. */
function passedOver(run: TurnView): readonly Phrase[] {
  return run.skipped.map(({ by, reason: why }) => plain(`, instead of ${by} (${spaced(why)})`));
}

function usage(run: TurnView): readonly Phrase[] {
  if (run.by === "understudy") return [plain(", built in. No model was called")];
  if (run.usage === null) return [];
  const { promptTokens, completionTokens, costMicros } = run.usage;
  const cost = costMicros === null ? "price unknown" : (costMicros / 1_000_000).toFixed(4);
  const first = run.firstTokenMs === null ? "" : `, first word after ${exactDuration(run.firstTokenMs)}`;
  return [plain(`, ${promptTokens.toLocaleString("en-GB")} in, ${completionTokens.toLocaleString("en-GB")} out, ${cost}${first}`)];
}

/** What a reply proposed besides words is kept for review and never applied. */
function wishes(run: TurnView): readonly Phrase[] {
  return run.candidates === 0 ? [] : [plain(`. ${run.candidates} proposed, 0 applied`)];
}

function delivery(told: ExplanationView): Station {
  const { parts } = told;
  if (parts.length === 0) return unreached("Delivery");
  const there = parts.filter((part) => part.state === "delivered").length;
  const odd = parts.filter((part) => part.state !== "delivered" && part.state !== "queued" && part.state !== "sending");
  const gate = told.turn?.gate.map((each) => `${each.code} ${each.count}×`) ?? [];
  const settledAtMs = Math.max(...parts.map((part) => part.settledAtMs ?? 0));
  const endedAtMs = told.turn?.endedAtMs ?? null;
  return {
    name: "Delivery",
    state: there === 0 && odd.length > 0 ? "stopped" : "passed",
    what: [
      plain(`${there} of ${parts.length} ${parts.length === 1 ? "part" : "parts"} delivered`),
      ...odd.flatMap((part) => [plain(", "), exact(part.id), plain(` ${part.state}`), ...reason(part.reason === "" ? null : part.reason)]),
      ...(gate.length === 0 ? [] : [plain(". The gate changed: "), exact(gate.join(", "))]),
    ],
    time: settledAtMs === 0 || endedAtMs === null ? "" : exactDuration(settledAtMs - endedAtMs),
  };
}

function reason(code: string | null): readonly Phrase[] {
  return code === null ? [] : [plain(": "), exact(code)];
}

function withheld(classes: readonly { readonly class: string; readonly count: number }[]): string {
  if (classes.length === 0) return "nothing withheld";
  const all = classes.reduce((sum, { count }) => sum + count, 0);
  return `${all} withheld (${classes.map((one) => `${one.count} ${spaced(one.class)}`).join(", ")})`;
}

function unreached(name: string): Station {
  return { name, state: "not_reached", what: [plain("not reached")], time: "" };
}

/** Stations that were not reached stand in one row: `Lane to Delivery`. */
function foldUnreached(stations: readonly Station[]): readonly Station[] {
  const first = stations.findIndex((each) => each.state === "not_reached");
  if (first < 0) return stations;
  const rest = stations.slice(first).filter((each) => each.state === "not_reached");
  const from = rest[0]?.name ?? "";
  const to = rest.at(-1)?.name ?? "";
  return [...stations.slice(0, first), unreached(from === to ? from : `${from} to ${to.toLowerCase()}`)];
}

function timesOf(told: ExplanationView): RoadTimes | null {
  const run = told.turn;
  if (run === null || run.endedAtMs === null) return null;
  const settledAtMs = Math.max(0, ...told.parts.map((part) => part.settledAtMs ?? 0));
  if (settledAtMs === 0) return null;
  return {
    waitMs: Math.max(0, run.startedAtMs - told.atMs),
    voiceMs: Math.max(0, run.endedAtMs - run.startedAtMs),
    sendMs: Math.max(0, settledAtMs - run.endedAtMs),
  };
}

function cureOf(told: ExplanationView): string {
  if (told.admission === "suppressed") return (CURES[told.reason ?? ""] ?? "").replace("%", told.key);
  if (told.state !== "ended" || told.end === "answered" || told.end === "silent") return "";
  if (told.end === "interrupted") return "Say it again: the process ended while it was being answered.";
  return told.end === "failed" ? "If the model’s host did not answer: is it running? Its address stands in models.hosts." : "";
}

function spaced(code: string): string {
  return code.replaceAll("_", " ");
}
