import { keyOf } from "../state/stage-state.ts";
import { RECIPIENTS } from "./recipients.tsx";
import type { Page } from "../state/page.ts";

/** Open or close the answer under a line. An answer that came is kept; one that failed is asked for again. */
export function toggleWhy(page: Page, lineId: string): void {
  const open = new Set(page.view.openWhys.peek());
  if (open.delete(lineId)) {
    page.view.openWhys.value = open;
    return;
  }
  page.view.openWhys.value = open.add(lineId);
  const known = page.stage.peek().whys[lineId];
  if ((known === undefined || known.kind === "failed") && page.isLive.peek()) page.session.askWhy(lineId);
}

/** The character of the open private line: the chosen one, else the first; null in a room without any. */
export function openCharacter(page: Page): string | null {
  const characters = page.room.value?.characters ?? [];
  const chosen = characters.find((each) => each.id === page.view.character.value);
  return chosen?.id ?? characters[0]?.id ?? null;
}

/** Show the private line and put the cursor into its composer. */
export function goToPrivate(page: Page): void {
  page.view.pane.value = "line";
  focusSoon("say-private");
}

/** Show the room and put the cursor into its composer. */
export function goToPublic(page: Page): void {
  page.view.pane.value = "room";
  focusSoon("say-public");
}

/** Show the room and go to the choice of who should answer. */
function goToRecipients(page: Page): void {
  page.view.pane.value = "room";
  queueMicrotask(() => document.querySelector<HTMLElement>(`#${RECIPIENTS} [aria-checked="true"]`)?.focus());
}

/** Listen to keys for the whole page. They never work in a text box, and single ones can be switched off. */
export function listenToKeys(current: () => Page): void {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (takeKey(current(), event)) event.preventDefault();
  });
}

/** Do what a key stands for; false when it stands for nothing here. */
function takeKey(page: Page, event: KeyboardEvent): boolean {
  const at = document.activeElement;
  const part = page.part.peek();
  if (event.key === "Escape" && event.shiftKey) return part !== null && isOpen(page) && part.onKey(event);
  if (event.key === "Escape") leaveBox(at);
  if (!mayAct(page, event, at)) return false;
  return part?.onKey(event) === true || act(page, event.key);
}

function act(page: Page, key: string): boolean {
  const known = ACTS[key.length === 1 ? key.toLowerCase() : key];
  known?.(page);
  return known !== undefined;
}

function leaveBox(at: Element | null): void {
  if (at instanceof HTMLElement && isTextBox(at)) at.blur();
}

function mayAct(page: Page, event: KeyboardEvent, at: Element | null): boolean {
  if (!isOpen(page) || isTextBox(event.target)) return false;
  const isArrow = event.key === "ArrowDown" || event.key === "ArrowUp";
  return isArrow ? at?.matches("[data-line], [data-row]") === true : page.view.singleKeys.peek();
}

/** Whether one is in, and no question stands over the page. */
function isOpen(page: Page): boolean {
  return page.stage.peek().phase.kind === "stage" && document.querySelector("dialog[open]") === null;
}

const ACTS: Readonly<Record<string, (page: Page) => void>> = {
  c: goToPublic,
  p: goToPrivate,
  t: goToRecipients,
  j: (page) => step(page, 1),
  k: (page) => step(page, -1),
  ArrowDown: (page) => step(page, 1),
  ArrowUp: (page) => step(page, -1),
  w: askAboutCurrent,
  "?": (page) => {
    page.view.isKeysOpen.value = true;
  },
};

/** Which list `J` and `K` walk: the one that has the focus, else the private line where only it is shown, else the room. */
function listInHand(page: Page): Element | null {
  const focused = document.activeElement?.closest("[data-log]");
  if (focused !== undefined && focused !== null) return focused;
  const character = openCharacter(page);
  const hasOnlyLine = page.view.pane.peek() === "line" && document.querySelector(".stage > .script")?.checkVisibility() === false;
  return document.querySelector(
    hasOnlyLine && character !== null ? `[data-log="${keyOf({ kind: "direct", character })}"]` : '[data-log="public"]',
  );
}

function step(page: Page, by: 1 | -1): void {
  const lines = [...(listInHand(page)?.querySelectorAll<HTMLElement>("[data-line]") ?? [])];
  if (lines.length === 0) return;
  const here = lines.findIndex((line) => line === document.activeElement || line.contains(document.activeElement));
  const start = by === 1 ? lines.findIndex((line) => line.tabIndex === 0) : lines.length - 1;
  const to = here < 0 ? Math.max(0, start) : Math.min(lines.length - 1, Math.max(0, here + by));
  lines[to]?.focus();
  lines[to]?.scrollIntoView({ block: "nearest" });
}

function askAboutCurrent(page: Page): void {
  const line = document.activeElement?.closest<HTMLElement>("[data-line]");
  const lineId = line?.dataset["line"];
  if (lineId !== undefined && line?.querySelector(".why") instanceof HTMLElement) toggleWhy(page, lineId);
}

function isTextBox(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input:not([type="checkbox"]), textarea, select, [contenteditable]');
}

/**
 * At once where the box is shown; else right after the page has shown the pane it stands in, which it does in a microtask: so
 * that a key pressed next goes into the box.
 */
function focusSoon(id: string): void {
  const focus = (): boolean => {
    const box = document.getElementById(id);
    box?.focus();
    return document.activeElement === box;
  };
  if (!focus()) queueMicrotask(() => (focus() ? undefined : requestAnimationFrame(focus)));
}
