import type { Line } from "../foundation/line.ts";
import { columns, line, text, toned } from "../foundation/line.ts";
import type { Printable } from "../foundation/printable.ts";
import { printable } from "../foundation/printable.ts";
import type { Runtime } from "./runtime-face.ts";

/** What the first lines of a start are made of. */
export interface StartFacts {
  readonly version: string;
  readonly runtime: Pick<Runtime, "addresses" | "startReport">;
  /** The console's address with its code, or the file that leads there. */
  readonly console: Printable;
  /** Milliseconds since the process began. */
  readonly readyMs: number;
}

/** The first lines of a start: addresses, model or its absence, who may trigger what, where things are kept (TR-086). */
export function renderStart({ version, runtime, console, readyMs }: StartFacts): readonly Line[] {
  const { triggers, open, stateDirectory, config, recovered } = runtime.startReport;
  const head = columns([[printable(`Troupe ${version}`), printable(`state ${stateDirectory}`), printable(`config: ${config}`)]], 0);
  const rows: Printable[][] = [
    ...runtime.addresses.room.map(({ name, url }) => [printable("room"), printable(`${url}  ${name}`)]),
    [printable("console"), console],
    [printable("model"), modelOf(runtime.startReport)],
    ...triggers.map(({ surface, who }, at) => [printable(at === 0 ? "talk" : ""), printable(`${surface}: ${who}`)]),
    ...open.map(({ surface, url, door }, at) => [printable(at === 0 ? "open" : ""), openOf(surface, url, door)]),
    [printable("outside"), outsideOf(runtime.startReport)],
  ];
  const found = recovered.messagesAgain + recovered.partsFound + recovered.expired + recovered.interrupted;
  if (found > 0) rows.push([printable("found"), foundOf(recovered)]);
  return [
    ...head.map((one) => toned("strong", one)),
    ...columns(rows),
    ...(runtime.startReport.halted ? [toned("bad", line`halted: nothing is answered until you say troupe rearm`)] : []),
    toned("good", line`ready in ${Math.round(readyMs)} ms · Ctrl-C stops, nothing is lost`),
  ];
}

function openOf(surface: string, url: string, door: "open" | "invited"): Printable {
  const who = door === "open" ? "everyone who gives a name comes in" : "only whom you sent a link: troupe invite --name NAME";
  return printable(`${surface} at ${url}: ${who}; as guests`);
}

function modelOf({ model, trial }: Runtime["startReport"]): Printable {
  if (model === null) return printable("none: the understudy stands in (fixed rules, offline); troupe init model connects one");
  if (trial === "barred")
    return text`${printable(model)}: will not speak, since its server drops part of packets; troupe check --connect tries it again`;
  return trial === "untried" ? text`${printable(model)}, not tried yet: troupe check --connect` : printable(model);
}

function outsideOf({ model, open, traces }: Runtime["startReport"]): Printable {
  const listens = open.length > 0 ? "nothing else is open" : "nothing is open";
  const sends = [
    ...(model === null ? [] : ["packets go to the model's host"]),
    ...(traces === null ? [] : [`spans of ids and numbers go to ${traces}`]),
  ];
  return printable(sends.length === 0 ? `${listens}, nothing is sent` : `${listens}; ${sends.join(", ")} and nowhere else`);
}

function foundOf({ messagesAgain, partsFound, expired, interrupted }: Runtime["startReport"]["recovered"]): Printable {
  const told = [
    messagesAgain > 0 ? `${messagesAgain} unanswered, answered now` : "",
    partsFound > 0 ? `${partsFound} parts of replies under way` : "",
    expired > 0 ? `${expired} too old` : "",
    interrupted > 0 ? `${interrupted} given up after two tries` : "",
  ];
  return printable(`after the last stop: ${told.filter((one) => one !== "").join(", ")}`);
}
