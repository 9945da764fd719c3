import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { LineView } from "../../../surfaces/room/protocol.ts";

/** Lines in the document at first, and how many come with each step back or forth. */
const FIRST = 120;
const STEP = 60;
/** Lines in the document at most. */
export const MAX_SHOWN = 240;
/** How near to an end counts as there, in pixels. */
const NEAR = 160;

/** The slice of a place's lines that stands in the document, and how to move it. */
export interface LineWindow {
  readonly shown: readonly LineView[];
  /** Whether older lines are held that are not shown. */
  readonly hasOlder: boolean;
  /** How many newer lines are held that are not shown. */
  readonly newer: number;
  readonly onScroll: () => void;
  readonly showOlder: () => void;
  readonly goToNow: () => void;
}

/**
 * Keeps the document small however long a talk gets. At the end of the talk the window follows it; once somebody scrolls back it
 * stays where it is, and what they read does not move when lines are added at either side.
 */
export function useLineWindow(lines: readonly LineView[], box: RefObject<HTMLElement | null>, readOlder: () => void): LineWindow {
  const [size, setSize] = useState(FIRST);
  const [lastId, setLastId] = useState<string | null>(null);
  const follows = useRef(true);
  const wantsOlder = useRef(false);
  const anchor = useRef<Anchor | null>(null);

  const pinned = lastId === null ? -1 : lines.findIndex((line) => line.id === lastId);
  const end = pinned < 0 ? lines.length : pinned + 1;
  const start = Math.max(0, end - size);

  const pinAt = (index: number): void => setLastId(lines[index]?.id ?? null);
  const showOlder = (): void => {
    follows.current = false;
    if (start === 0) {
      wantsOlder.current = true;
      if (lastId === null) pinAt(end - 1);
      readOlder();
    } else if (size < MAX_SHOWN) {
      if (lastId === null) pinAt(end - 1);
      setSize(Math.min(MAX_SHOWN, size + STEP));
    } else pinAt(Math.max(size, end - STEP) - 1);
  };
  const goToNow = (): void => {
    follows.current = true;
    setLastId(null);
    setSize(FIRST);
  };
  const onScroll = (): void => {
    const element = box.current;
    if (element === null) return;
    const below = element.scrollHeight - element.scrollTop - element.clientHeight;
    follows.current = below < NEAR && end === lines.length;
    if (below < NEAR && end < lines.length) pinAt(Math.min(lines.length, end + STEP) - 1);
    else if (follows.current && lastId !== null) setLastId(null);
    else if (!follows.current && lastId === null) pinAt(end - 1);
    if (element.scrollTop < NEAR && below >= NEAR) showOlder();
    anchor.current = anchorIn(element);
  };
  useSteady(box, follows, anchor);
  useLayoutEffect(() => {
    if (!wantsOlder.current || start === 0) return;
    wantsOlder.current = false;
    showOlder();
  });
  return { shown: lines.slice(start, end), hasOlder: start > 0, newer: lines.length - end, onScroll, showOlder, goToNow };
}

/** After each drawing: at the end stay at the end, elsewhere keep the topmost line where it was; the same when the box is resized. */
function useSteady(box: RefObject<HTMLElement | null>, follows: RefObject<boolean>, anchor: RefObject<Anchor | null>): void {
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    if (follows.current) element.scrollTop = element.scrollHeight;
    else restore(element, anchor.current);
    anchor.current = anchorIn(element);
  });
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => {
      if (follows.current) element.scrollTop = element.scrollHeight;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [box]);
}

/** The topmost line in view and where it stands. */
interface Anchor {
  readonly id: string;
  readonly top: number;
}

function anchorIn(box: HTMLElement): Anchor | null {
  for (const line of box.querySelectorAll<HTMLElement>("[data-line]")) {
    if (line.offsetTop + line.offsetHeight > box.scrollTop) return { id: line.dataset["line"] ?? "", top: line.offsetTop - box.scrollTop };
  }
  return null;
}

function restore(box: HTMLElement, anchor: Anchor | null): void {
  if (anchor === null) return;
  const line = box.querySelector<HTMLElement>(`[data-line="${CSS.escape(anchor.id)}"]`);
  if (line !== null) box.scrollTop = line.offsetTop - anchor.top;
}
