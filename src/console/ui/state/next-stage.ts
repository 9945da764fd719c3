import type { LineView, LinesPage, OwnLineView, PartView, PlaceView, StreamEvent } from "../../../surfaces/room/protocol.ts";
import { isSpeaking, keyOf } from "./stage-state.ts";
import type { Announcement, Link, Phase, PlaceKey, PlaceState, StageState, Trouble, UnsentLine, WhyState } from "./stage-state.ts";

/** Lines of one place that the page holds at most: while new ones come in the oldest go. The server still has them. */
export const MAX_HELD_LINES = 2_000;
/** Announcements kept for a screen reader: enough for a burst, too few to read history again. */
export const MAX_ANNOUNCED = 4;
/** Outcomes kept for lines that have not come yet. */
export const MAX_EARLY = 32;

/** What can happen to the page's state. `nowMs` is this machine's clock. */
export type StageAction =
  | { readonly type: "phase"; readonly phase: Phase }
  | { readonly type: "link"; readonly link: Link }
  | { readonly type: "stream"; readonly event: StreamEvent; readonly nowMs: number }
  | { readonly type: "older"; readonly place: PlaceView; readonly older: PlaceState["older"] }
  | { readonly type: "older_came"; readonly page: LinesPage }
  | { readonly type: "unsent"; readonly line: UnsentLine }
  | { readonly type: "unsent_gone"; readonly clientLineId: string }
  | { readonly type: "why"; readonly lineId: string; readonly why: WhyState | null }
  | { readonly type: "forget" };

/**
 * The page's state after one action: pure, so that order, repeats and reconnects can be tested without a browser.
 *
 * N1  A line stands once, however often it comes; a part of it likewise.
 * N2  A snapshot replaces what was held: it is the whole truth from then on.
 * N3  An unsent line goes as soon as the script has it, told by its id or by the id this page gave it.
 * N4  An outcome belongs to the line of its id. It says nothing of the id this page gave the line, and may come before the line.
 * N5  A line is announced once, when it is whole, and only if it came after the snapshot and from somebody else.
 */
export function nextStage(state: StageState, action: StageAction): StageState {
  switch (action.type) {
    case "phase":
      return { ...state, phase: action.phase };
    case "link":
      return { ...state, link: action.link };
    case "stream":
      return onEvent(state, action.event, action.nowMs);
    case "older":
      return withPlace(state, action.place, (held) => ({ ...held, older: action.older }));
    case "older_came":
      return withPlace(state, action.page.place, (held) => prepend(held, action.page));
    case "unsent":
      return { ...state, unsent: putUnsent(state, action.line) };
    case "unsent_gone":
      return { ...state, unsent: state.unsent.filter((line) => line.clientLineId !== action.clientLineId) };
    case "why":
      return { ...state, whys: putWhy(state.whys, action.lineId, action.why) };
    case "forget":
      return { ...state, room: null, people: [], typing: [], places: {}, early: {}, unsent: [], whys: {}, announced: [] };
  }
}

function onEvent(state: StageState, event: StreamEvent, nowMs: number): StageState {
  switch (event.type) {
    case "snapshot":
      return onSnapshot(state, event, nowMs);
    case "line":
      return withoutArrived(announce(putLine(state, event.line), event.line, state));
    case "part":
      return onPart(state, event.head, event.part);
    case "outcome":
      return onOutcome(state, event.lineId, event.own);
    case "people":
      return { ...state, people: event.people };
    case "typing":
      return { ...state, typing: event.typing };
    case "room":
      return { ...state, room: event.room, offsetMs: event.room.nowMs - nowMs };
    case "beat":
      return { ...state, offsetMs: event.nowMs - nowMs };
    case "end":
      return state;
  }
}

function onSnapshot(state: StageState, event: Extract<StreamEvent, { type: "snapshot" }>, nowMs: number): StageState {
  const places: Record<PlaceKey, PlaceState> = {};
  for (const page of event.pages) {
    places[keyOf(page.place)] = { place: page.place, lines: page.lines.map(tidy), mark: page.older, cut: false, older: { kind: "idle" } };
  }
  return withoutArrived({
    ...state,
    phase: { kind: "stage" },
    link: { kind: "live" },
    room: event.room,
    offsetMs: event.room.nowMs - nowMs,
    people: event.people,
    typing: event.typing,
    places,
    early: {},
  });
}

/** The state with a line in it: in its old place when it is known, else last. */
function putLine(before: StageState, incoming: LineView): StageState {
  const { [incoming.id]: told, ...early } = before.early;
  const state = told === undefined ? before : { ...before, early };
  const line = withEarly(tidy(incoming), told);
  return withPlace(state, line.place, (held) => {
    const at = held.lines.findIndex((each) => each.id === line.id);
    if (at >= 0) return { ...held, lines: held.lines.with(at, line) };
    const lines = [...held.lines, line];
    return lines.length <= MAX_HELD_LINES ? { ...held, lines } : { ...held, lines: lines.slice(-MAX_HELD_LINES), mark: null, cut: true };
  });
}

function onPart(state: StageState, head: LineView, part: PartView): StageState {
  const known = state.places[keyOf(head.place)]?.lines.find((line) => line.id === head.id) ?? head;
  if (known.parts.some((each) => each.id === part.id)) return state;
  const line = { ...known, partCount: head.partCount, parts: [...known.parts, part] };
  return announce(putLine(state, line), line, state);
}

/** Parts once each and in order (N1). */
function tidy(line: LineView): LineView {
  const byId = new Map(line.parts.map((part) => [part.id, part]));
  return { ...line, parts: [...byId.values()].toSorted((a, b) => a.index - b.index) };
}

function prepend(held: PlaceState, page: LinesPage): PlaceState {
  const known = new Set(held.lines.map((line) => line.id));
  const older = page.lines.filter((line) => !known.has(line.id)).map(tidy);
  return { ...held, lines: [...older, ...held.lines], mark: page.older, older: { kind: "idle" } };
}

function withPlace(state: StageState, place: PlaceView, change: (held: PlaceState) => PlaceState): StageState {
  const key = keyOf(place);
  const held = state.places[key] ?? { place, lines: [], mark: null, cut: false, older: { kind: "idle" } };
  return { ...state, places: { ...state.places, [key]: change(held) } };
}

/** N4. What comes before its line waits for it. */
function onOutcome(state: StageState, lineId: string, own: OwnLineView): StageState {
  const isHeld = Object.values(state.places).some((held) => held.lines.some((line) => line.id === lineId));
  if (isHeld) return mapLine(state, lineId, (line) => ({ ...line, own: joined(line.own, own) }));
  const others = Object.entries(state.early).filter(([id]) => id !== lineId);
  return { ...state, early: Object.fromEntries([...others, [lineId, own] as const].slice(-MAX_EARLY)) };
}

/** The line with the outcome that came before it, unless its own tells more. */
function withEarly(line: LineView, early: OwnLineView | undefined): LineView {
  if (early === undefined || (line.own !== null && line.own.outcome !== "waiting")) return line;
  return { ...line, own: joined(line.own, early) };
}

function joined(known: OwnLineView | null, told: OwnLineView): OwnLineView {
  return { ...told, clientLineId: told.clientLineId ?? known?.clientLineId ?? null };
}

function mapLine(state: StageState, lineId: string, change: (line: LineView) => LineView): StageState {
  const places: Record<PlaceKey, PlaceState> = {};
  for (const [key, held] of Object.entries(state.places)) {
    places[key] = held.lines.some((line) => line.id === lineId)
      ? { ...held, lines: held.lines.map((line) => (line.id === lineId ? change(line) : line)) }
      : held;
  }
  return { ...state, places };
}

/** N5. `before` is the state without the line's news. */
function announce(state: StageState, line: LineView, before: StageState): StageState {
  if (isSpeaking(line) || (line.author.kind === "person" && line.author.you)) return state;
  const old = before.places[keyOf(line.place)]?.lines.find((each) => each.id === line.id);
  if (old !== undefined && !isSpeaking(old)) return state;
  const news: Announcement = { id: line.id, text: readAloud(line) };
  return { ...state, announced: [...state.announced.filter((each) => each.id !== line.id), news].slice(-MAX_ANNOUNCED) };
}

function readAloud(line: LineView): string {
  const words = line.parts.map((part) => part.body).join(" ");
  const who = line.place.kind === "direct" ? `${line.author.name}, privately` : line.author.name;
  return `${who}: ${line.action === "" ? words : `(${line.action}) ${words}`}`.trim();
}

/** N3. */
function withoutArrived(state: StageState): StageState {
  if (state.unsent.length === 0) return state;
  const unsent = state.unsent.filter((line) => !hasArrived(state, line));
  return unsent.length === state.unsent.length ? state : { ...state, unsent };
}

function hasArrived(state: StageState, unsent: UnsentLine): boolean {
  const lines = state.places[keyOf(unsent.place)]?.lines ?? [];
  const lineId = unsent.state.kind === "kept" ? unsent.state.lineId : null;
  return lines.some((line) => line.id === lineId || line.own?.clientLineId === unsent.clientLineId);
}

function putUnsent(state: StageState, line: UnsentLine): readonly UnsentLine[] {
  if (hasArrived(state, line)) return state.unsent.filter((each) => each.clientLineId !== line.clientLineId);
  const at = state.unsent.findIndex((each) => each.clientLineId === line.clientLineId);
  return at >= 0 ? state.unsent.with(at, line) : [...state.unsent, line];
}

function putWhy(whys: StageState["whys"], lineId: string, why: WhyState | null): StageState["whys"] {
  const kept = Object.entries(whys).filter(([id]) => id !== lineId);
  return Object.fromEntries(why === null ? kept : [...kept, [lineId, why]]);
}

/** What failed, as the page keeps it. `retryAfterMs` counts from `nowMs`. */
export function troubleOf(
  answer: { readonly code: string; readonly message: string; readonly retryAfterMs?: number },
  nowMs: number,
): Trouble {
  return { code: answer.code, message: answer.message, retryAtMs: answer.retryAfterMs === undefined ? null : nowMs + answer.retryAfterMs };
}
