import { browserClock } from "../state/browser-clock.ts";
import type { Page } from "../state/page.ts";

/**
 * Note whether somebody writes to the room, by where the focus is. While a button of the mouse is down nothing changes: what
 * depends on it moves the page about, and a press would end beside what it began on.
 */
export function listenToWriting(current: () => Page): void {
  let isPressed = false;
  const look = (): void => {
    if (!isPressed) current().view.isWriting.value = document.activeElement?.closest(".stage > .say") instanceof HTMLElement;
  };
  // The focus is nowhere while it moves.
  const lookSoon = (): void => queueMicrotask(look);
  const release = (): void => {
    // After the click that belongs to the press.
    browserClock.after(0, () => {
      isPressed = false;
      look();
    });
  };
  document.addEventListener("pointerdown", () => {
    isPressed = true;
  });
  document.addEventListener("pointerup", release);
  document.addEventListener("pointercancel", release);
  document.addEventListener("focusin", lookSoon);
  document.addEventListener("focusout", lookSoon);
}
