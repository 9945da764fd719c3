import type { KeyWords } from "../state/console-part.ts";
import type { House } from "./state/house.ts";
import { CONSOLE_PAGES } from "./state/route.ts";

/** Keys of the operators' pages, as the list of keys tells them. */
export const CONSOLE_KEYS: readonly KeyWords[] = [
  { keys: ["1", "–", String(CONSOLE_PAGES.length)], does: "go to a page" },
  { keys: ["J", "K"], does: "next, previous row" },
  { keys: ["/"], does: "find" },
  { keys: ["Shift Esc"], does: "pause, asks once" },
];

/** Take a key of the operators' pages; false when it is none. No single key changes anything but what is shown. */
export function takeKey(house: House, event: KeyboardEvent): boolean {
  if (event.key === "Escape" && event.shiftKey) {
    house.ask.value = { kind: "pause" };
    return true;
  }
  if (event.shiftKey && event.key.length > 1) return false;
  const page = CONSOLE_PAGES[Number(event.key) - 1];
  if (page !== undefined) {
    house.go({ page, item: null });
    return true;
  }
  return takePageKey(house, event);
}

function takePageKey(house: House, event: KeyboardEvent): boolean {
  const { page } = house.route.peek();
  const key = event.key.toLowerCase();
  if (key === "/" && page === "people") return focusOn("find-person");
  if (page === "stage") return false;
  if (key === "j" || key === "arrowdown") return step(1);
  if (key === "k" || key === "arrowup") return step(-1);
  if (key === "c" || key === "p") {
    // The stage's own keys: it is shown first, and then takes them.
    house.go({ page: "stage", item: null });
    return false;
  }
  return key === "w";
}

function focusOn(id: string): boolean {
  document.getElementById(id)?.focus();
  return true;
}

/** Move along the rows of the page; arrows only where a row has the focus, so that they scroll elsewhere. */
function step(by: 1 | -1): boolean {
  const rows = [...document.querySelectorAll<HTMLElement>("[data-rows] [data-row]")].filter((row) => row.checkVisibility());
  const here = rows.findIndex((row) => row === document.activeElement || row.contains(document.activeElement));
  const to = here < 0 ? (by === 1 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, here + by));
  rows[to]?.focus();
  rows[to]?.scrollIntoView({ block: "nearest" });
  return rows.length > 0;
}
