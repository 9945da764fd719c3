import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { LineView, PlaceView, TypingView } from "../../../surfaces/room/protocol.ts";
import type { Page } from "../state/page.ts";
import { serverNowMs } from "../state/page.ts";
import { isSpeaking, keyOf } from "../state/stage-state.ts";
import type { PlaceState } from "../state/stage-state.ts";
import { clockTime, dayName, stretch } from "../words/times.ts";
import { Lamp } from "./lamp.tsx";
import { useLate } from "./late.ts";
import { First, Line } from "./line.tsx";
import { useLineWindow } from "./line-window.ts";
import { Unsent } from "./unsent.tsx";

/** After this a placeholder stands where lines will be. */
const PATIENCE_MS = 300;

interface ScriptProps {
  readonly page: Page;
  readonly place: PlaceView;
  readonly label: string;
  readonly empty: { readonly lead: string; readonly cure: string };
}

/** What is said in one place, oldest first, with what is on its way at the end. */
export function Script({ page, place, label, empty }: ScriptProps): JSX.Element {
  const key = keyOf(place);
  const held = page.stage.value.places[key];
  const unsent = page.stage.value.unsent.filter((line) => keyOf(line.place) === key);
  const lines = held?.lines ?? [];
  const box = useRef<HTMLDivElement>(null);
  const view = useLineWindow(lines, box, () => page.session.readOlder(place));
  useEffect(() => {
    if (unsent.length > 0) view.goToNow();
  }, [unsent.length]);
  const typing = answeringIn(page, key, lines);
  const isEmpty = held !== undefined && lines.length === 0 && unsent.length === 0 && typing.length === 0;
  const hasNow = view.newer === 0;
  const current = currentOf(page, key, view.shown);
  return (
    <div
      class="script"
      role="log"
      aria-live="off"
      aria-label={label}
      data-log={key}
      tabIndex={view.shown.length === 0 ? 0 : undefined}
      ref={box}
      onScroll={view.onScroll}
    >
      {held === undefined ? <Bones /> : <Older page={page} held={held} hasOlder={view.hasOlder} onMore={view.showOlder} />}
      {isEmpty ? <Empty lead={empty.lead} cure={empty.cure} /> : null}
      <ol class="lines">
        {view.shown.flatMap((line, index) => rows(page, line, view.shown[index - 1], line.id === current))}
        {hasNow ? unsent.map((line) => <Unsent key={line.clientLineId} page={page} line={line} />) : null}
        {hasNow
          ? typing.map((each) => <Thinking key={each.character} page={page} character={each.character} sinceMs={each.sinceMs} />)
          : null}
      </ol>
      {hasNow ? null : <ToNow newer={view.newer} onClick={view.goToNow} />}
    </div>
  );
}

/** A line, under its day's name where the day changes. */
function rows(page: Page, line: LineView, before: LineView | undefined, isCurrent: boolean): readonly JSX.Element[] {
  const showsTime = before === undefined || clockTime(before.atMs) !== clockTime(line.atMs);
  const drawn = <Line key={line.id} page={page} line={line} showsTime={showsTime} isCurrent={isCurrent} />;
  return startsDay(line, before) ? [<Day key={`day-${line.id}`} atMs={line.atMs} />, drawn] : [drawn];
}

function Empty({ lead, cure }: ScriptProps["empty"]): JSX.Element {
  return (
    <div class="empty">
      <p class="empty__lead">{lead}</p>
      <p>{cure}</p>
    </div>
  );
}

function ToNow({ newer, onClick }: { readonly newer: number; readonly onClick: () => void }): JSX.Element {
  return (
    <div class="script__now">
      <button class="btn" type="button" onClick={onClick}>
        {newer === 1 ? "1 newer line" : `${newer} newer lines`}
      </button>
    </div>
  );
}

/** The line that holds the list's one tab stop: the one last visited, else the newest. */
function currentOf(page: Page, key: string, shown: readonly LineView[]): string | null {
  const visited = page.view.currentLines.value[key];
  return shown.find((line) => line.id === visited)?.id ?? shown.at(-1)?.id ?? null;
}

/** Characters whose answer is on its way here and has not begun; none while that can't be known. */
function answeringIn(page: Page, key: string, lines: readonly LineView[]): readonly TypingView[] {
  if (!page.isLive.value) return [];
  return page.stage.value.typing.filter((each) => keyOf(each.place) === key && !isSpeakingIn(lines, each.character));
}

function isSpeakingIn(lines: readonly LineView[], character: string): boolean {
  return lines.some((line) => line.author.kind === "character" && line.author.id === character && isSpeaking(line));
}

/** A day is named where it changes, and at the start unless it is today. */
function startsDay(line: LineView, before: LineView | undefined): boolean {
  const day = dayName(line.atMs);
  return before === undefined ? day !== dayName(Date.now()) : day !== dayName(before.atMs);
}

function Day({ atMs }: { readonly atMs: number }): JSX.Element {
  return (
    <li class="line line--day">
      <p class="line__said">{dayName(atMs)}</p>
    </li>
  );
}

/** A sign of life while a character's answer is on its way (TR-096). */
function Thinking({
  page,
  character,
  sinceMs,
}: {
  readonly page: Page;
  readonly character: string;
  readonly sinceMs: number;
}): JSX.Element {
  const name = page.room.value?.characters.find((each) => each.id === character)?.name ?? character;
  return (
    <li class="line line--live line--thinking">
      <p class="line__who line__who--character">{name}</p>
      <p class="line__said">asked {stretch(serverNowMs(page) - sinceMs)} ago</p>
      <p class="line__cue">
        <First shape="live">answering</First>
      </p>
    </li>
  );
}

function Bones(): JSX.Element | null {
  if (!useLate(PATIENCE_MS)) return null;
  return (
    <div class="bones" role="status">
      <p class="dim">Reading the last lines</p>
      <span class="bone bone--short" />
      <span class="bone" />
      <span class="bone bone--mid" />
    </div>
  );
}

interface OlderProps {
  readonly page: Page;
  readonly held: PlaceState;
  readonly hasOlder: boolean;
  readonly onMore: () => void;
}

/** The way to earlier lines. Scrolling up does the same. */
function Older({ page, held, hasOlder, onMore }: OlderProps): JSX.Element | null {
  if (held.cut && !hasOlder) return <p class="lines__more">Load the page again to read further back.</p>;
  if (held.mark === null && !hasOlder) return null;
  if (held.older.kind === "reading") {
    return (
      <p class="lines__more" role="status">
        Reading earlier lines
      </p>
    );
  }
  return (
    <p class="lines__more">
      {held.older.kind === "failed" ? (
        <span>
          <Lamp shape="bar" /> <strong>Can’t read earlier lines.</strong> What stands here is right. <code>{held.older.trouble.code}</code>
        </span>
      ) : null}
      <button class="btn" type="button" aria-disabled={!page.isLive.value} onClick={() => (page.isLive.value ? onMore() : undefined)}>
        {held.older.kind === "failed" ? "Read again" : "Show earlier lines"}
      </button>
    </p>
  );
}
