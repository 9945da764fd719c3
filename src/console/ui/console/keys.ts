import type { KeyWords } from "../state/console-part.ts";
import type { House } from "./state/house.ts";
import type { ConsolePage } from "./state/route.ts";
import { CONSOLE_PAGES } from "./state/route.ts";

/** Keys of the operators' pages, as the list of keys tells them. */
export const CONSOLE_KEYS: readonly KeyWords[] = [
  { keys: ["1", "–", String(CONSOLE_PAGES.length)], does: "go to a page" },
  { keys: ["J", "K"], does: "next, previous row" },
  { keys: ["/"], does: "find" },
  { keys: ["A"], does: "oldest question" },
  { keys: ["1", "–", "3"], does: "in a question: how far a yes reaches" },
  { keys: ["Ctrl Enter", "D"], does: "in a question: allow, deny" },
  { keys: ["."], does: "stop the turn that is shown" },
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
  if (key === "a") return goToQuestion(house);
  return page === "stage" ? false : takeRowKey(house, page, key);
}

function takeRowKey(house: House, page: ConsolePage, key: string): boolean {
  if (key === "." && page === "backstage") return press("[data-stop-turn]");
  if (key === "j" || key === "arrowdown") return step(1);
  if (key === "k" || key === "arrowup") return step(-1);
  if (key === "c" || key === "p") {
    // The stage's own keys: it is shown first, and then takes them.
    house.go({ page: "stage", item: null });
    return false;
  }
  return key === "w";
}

/** The oldest question that waits for this reader, wherever they are. */
function goToQuestion(house: House): boolean {
  const [oldest] = house.backstage.mine;
  if (oldest === undefined) return false;
  house.backstage.wanted.value = oldest.id;
  house.go({ page: "backstage", item: house.backstage.itemOf(oldest) });
  return true;
}

function press(selector: string): boolean {
  const button = document.querySelector<HTMLElement>(selector);
  button?.click();
  return button !== null;
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
