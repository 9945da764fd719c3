import type { ComponentChildren, JSX } from "preact";
import type { LineView } from "../../../surfaces/room/protocol.ts";
import type { Page } from "../state/page.ts";
import { isSpeaking, keyOf } from "../state/stage-state.ts";
import { outcomeWords } from "../words/outcome-words.ts";
import { clockTime, isoTime } from "../words/times.ts";
import { toggleWhy } from "./keys.ts";
import { Lamp } from "./lamp.tsx";
import { WhyPanel } from "./road.tsx";

interface LineProps {
  readonly page: Page;
  readonly line: LineView;
  /** False where the line before has the same minute; a screen reader still hears it. */
  readonly showsTime: boolean;
  /** Whether it holds the one tab stop of its list. */
  readonly isCurrent: boolean;
}

/** One line of the script. */
export function Line({ page, line, showsTime, isCurrent }: LineProps): JSX.Element {
  const isNow = isSpeaking(line) && page.isLive.value;
  const key = keyOf(line.place);
  const isOpen = page.view.openWhys.value.has(line.id);
  return (
    <li
      class={isNow ? "line line--live" : "line"}
      id={`line-${line.id}`}
      data-line={line.id}
      tabIndex={isCurrent ? 0 : -1}
      aria-busy={isNow}
      onFocus={() => {
        page.view.currentLines.value = { ...page.view.currentLines.peek(), [key]: line.id };
      }}
    >
      <LineTime atMs={line.atMs} isShown={showsTime} />
      <Who line={line} />
      <Said action={line.action} text={line.parts.map((part) => part.body).join("")} />
      <Cue page={page} line={line} isNow={isNow} isOpen={isOpen} isCurrent={isCurrent} />
      {isOpen ? <WhyPanel page={page} line={line} id={`why-${line.id}`} /> : null}
    </li>
  );
}

/** When a line was said. */
export function LineTime({ atMs, isShown }: { readonly atMs: number; readonly isShown: boolean }): JSX.Element {
  return (
    <time class={isShown ? "line__time" : "line__time vh"} dateTime={isoTime(atMs)}>
      {clockTime(atMs)}
    </time>
  );
}

function Who({ line }: { readonly line: LineView }): JSX.Element {
  const { author } = line;
  if (author.kind === "person") return <p class="line__who">{author.name}</p>;
  return (
    <p class="line__who line__who--character">
      {author.name}
      {author.understudy ? <small> understudy</small> : null}
    </p>
  );
}

/** What was said, as text and nothing else: markup in it is shown, never run (SE-103). */
export function Said({ action, text }: { readonly action: string; readonly text: string }): JSX.Element {
  const paragraphs = text.trim() === "" ? [""] : text.trim().split(/\n{2,}/);
  return (
    <div class="line__said">
      {paragraphs.map((paragraph, index) => (
        <p key={index}>
          {index === 0 && action !== "" ? <span class="move">{`(${bare(action)}) `}</span> : null}
          {paragraph}
        </p>
      ))}
    </div>
  );
}

/** A model may have put its own brackets or stars around what it does. */
function bare(action: string): string {
  return action.replace(/^[(*]+|[)*]+$/g, "");
}

interface CueProps {
  readonly page: Page;
  readonly line: LineView;
  readonly isNow: boolean;
  readonly isOpen: boolean;
  readonly isCurrent: boolean;
}

/** The margin: what came of the line, and the way to ask why. */
function Cue({ page, line, isNow, isOpen, isCurrent }: CueProps): JSX.Element | null {
  const told = line.author.kind === "character" ? speakingWords(page, line, isNow) : ownWords(page, line);
  // What a character says is the end of a road: an operator may ask for it from there too.
  const mayAsk = page.room.value?.role === "operator" || (line.author.kind === "person" && line.own !== null);
  if (told === null && !mayAsk) return null;
  return (
    <p class="line__cue">
      {told?.first} {mayAsk ? <WhyButton page={page} line={line} isOpen={isOpen} isStop={isCurrent || isOpen} /> : null}
      {told?.rest}
    </p>
  );
}

interface WhyButtonProps {
  readonly page: Page;
  readonly line: LineView;
  readonly isOpen: boolean;
  /** Whether it is in the tab order: only in the line that holds its list's tab stop, and where it is open. */
  readonly isStop: boolean;
}

function WhyButton({ page, line, isOpen, isStop }: WhyButtonProps): JSX.Element {
  return (
    <button
      class="why"
      type="button"
      tabIndex={isStop ? 0 : -1}
      aria-expanded={isOpen}
      aria-controls={isOpen ? `why-${line.id}` : undefined}
      onClick={() => toggleWhy(page, line.id)}
    >
      why
      <span class="vh">
        : {line.author.name}, {clockTime(line.atMs)}
      </span>
    </button>
  );
}

interface Told {
  readonly first: JSX.Element | null;
  readonly rest: JSX.Element | null;
}

function ownWords(page: Page, line: LineView): Told | null {
  if (line.own === null) return null;
  const names = page.room.value?.characters.map((each) => each.name) ?? [];
  const optedOut = page.room.value?.self.optedOut ?? false;
  const words = outcomeWords(line.own, { place: line.place, names, isLive: page.isLive.value, optedOut });
  return { first: <First shape={words.lamp}>{words.first}</First>, rest: <Reason text={`${words.reason} ${words.cure}`.trim()} /> };
}

function speakingWords(page: Page, line: LineView, isNow: boolean): Told | null {
  const { length } = line.parts;
  const parts = `part ${length} of ${line.partCount}`;
  if (isNow) return { first: <First shape="live">speaking now</First>, rest: <Reason text={parts} /> };
  if (isSpeaking(line)) return { first: <First shape="off">was speaking</First>, rest: <Reason text={parts} /> };
  if (page.room.value?.role !== "operator") return null;
  return { first: <>{length === 1 ? "1 part" : `${length} parts`}</>, rest: null };
}

/** The first words of a margin, beside their lamp. */
export function First({
  shape,
  children,
}: {
  readonly shape: "on" | "off" | "half" | "bar" | "cue" | "live";
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <span class="first">
      <Lamp shape={shape} /> {children}
    </span>
  );
}

function Reason({ text }: { readonly text: string }): JSX.Element | null {
  return text === "" ? null : <span class="reason">{text}</span>;
}
