import type { KeptText } from "./kept-text.ts";
import type { UnsentLine } from "./stage-state.ts";
import { isRecord } from "./wire-guards.ts";

const KEY = "troupe.unsent";
/** Lines that a tab keeps over a reload. */
export const MAX_UNSENT = 50;

/** Write down what is not sent yet, so that a reload of the tab loses nothing and says nothing twice (the ids are kept). */
export function keepUnsent(tab: KeptText, unsent: readonly UnsentLine[]): void {
  if (unsent.length === 0) tab.remove(KEY);
  else tab.set(KEY, JSON.stringify(unsent.slice(-MAX_UNSENT)));
}

/** What an earlier load of the tab wrote down; whatever it was doing then, it waits now. */
export function readUnsent(tab: KeptText): readonly UnsentLine[] {
  const text = tab.get(KEY);
  if (text === null) return [];
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value.filter(isUnsent).map((line) => ({ ...line, state: { kind: "waiting" } })) : [];
  } catch {
    return [];
  }
}

function isUnsent(value: unknown): value is UnsentLine {
  return (
    isRecord(value) &&
    typeof value["clientLineId"] === "string" &&
    typeof value["text"] === "string" &&
    typeof value["atMs"] === "number" &&
    isRecord(value["place"]) &&
    (value["to"] === null || typeof value["to"] === "string")
  );
}
