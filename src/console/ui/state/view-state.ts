import type { Signal } from "@preact/signals";
import { signal } from "@preact/signals";
import type { KeptText } from "./kept-text.ts";
import type { PlaceKey } from "./stage-state.ts";

/** Which part of the stage a narrow window shows. */
export type Pane = "room" | "line" | "here";

/** One of the four things to try, by its number. */
export type Thing = 1 | 2 | 3 | 4;

/** What only this page knows: what is open, what is being written, what was chosen. The server is told none of it. */
export interface ViewState {
  readonly pane: Signal<Pane>;
  /** The character whose private line is open; null for the first. */
  readonly character: Signal<string | null>;
  /** Whom the public composer is set to; null for whoever is named. */
  readonly recipient: Signal<string | null>;
  /** Whether the cursor stands in the room's composer: a low window shows less beside it then. */
  readonly isWriting: Signal<boolean>;
  readonly drafts: Signal<Readonly<Record<PlaceKey, string>>>;
  readonly openWhys: Signal<ReadonlySet<string>>;
  /** The line that holds the one tab stop of its list. */
  readonly currentLines: Signal<Readonly<Record<PlaceKey, string>>>;
  readonly isKeysOpen: Signal<boolean>;
  /** Whether a guest is being asked about leaving. */
  readonly isLeaving: Signal<boolean>;
  readonly singleKeys: Signal<boolean>;
  /** Whether the four things to try are shown, and which one was chosen last. */
  readonly tryIt: Signal<{ readonly isOpen: boolean; readonly chosen: Thing | null }>;
}

const SINGLE_KEYS = "troupe.single-keys";
const TRY_IT = "troupe.try-it";
const DRAFTS = "troupe.drafts";
const OFF = "off";

/** Make the view's state; drafts outlive a reload of the tab, choices outlive the tab. */
export function createViewState(lasting: KeptText, tab: KeptText): ViewState {
  const view: ViewState = {
    pane: signal("room"),
    character: signal(null),
    recipient: signal(null),
    isWriting: signal(false),
    drafts: signal(readDrafts(tab)),
    openWhys: signal(new Set()),
    currentLines: signal({}),
    isKeysOpen: signal(false),
    isLeaving: signal(false),
    singleKeys: signal(lasting.get(SINGLE_KEYS) !== OFF),
    tryIt: signal({ isOpen: lasting.get(TRY_IT) !== OFF, chosen: null }),
  };
  view.drafts.subscribe((drafts) => tab.set(DRAFTS, JSON.stringify(drafts)));
  view.singleKeys.subscribe((isOn) => (isOn ? lasting.remove(SINGLE_KEYS) : lasting.set(SINGLE_KEYS, OFF)));
  view.tryIt.subscribe(({ isOpen }) => (isOpen ? lasting.remove(TRY_IT) : lasting.set(TRY_IT, OFF)));
  return view;
}

/** Put a text into a composer. */
export function writeDraft(view: ViewState, key: PlaceKey, text: string): void {
  view.drafts.value = { ...view.drafts.value, [key]: text };
}

/** Forget drafts: the tab becomes another person. */
export function dropDrafts(tab: KeptText): void {
  tab.remove(DRAFTS);
}

function readDrafts(tab: KeptText): Readonly<Record<PlaceKey, string>> {
  try {
    const value: unknown = JSON.parse(tab.get(DRAFTS) ?? "{}");
    if (typeof value !== "object" || value === null) return {};
    const texts = Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string");
    return Object.fromEntries(texts);
  } catch {
    return {};
  }
}
