import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { CharacterView, RoomView } from "../../../surfaces/room/protocol.ts";
import type { Page } from "../state/page.ts";

/** Id of the group, for the key that leads to it. */
export const RECIPIENTS: string = "say-to";

const STEPS: Readonly<Record<string, (at: number, last: number) => number>> = {
  ArrowRight: (at, last) => (at === last ? 0 : at + 1),
  ArrowDown: (at, last) => (at === last ? 0 : at + 1),
  ArrowLeft: (at, last) => (at === 0 ? last : at - 1),
  ArrowUp: (at, last) => (at === 0 ? last : at - 1),
  Home: () => 0,
  End: (_, last) => last,
};

/**
 * Whom the public line is for, when there is more than one who could answer (TR-020). One tab stop, arrows choose; the box is the
 * next stop. A name at the front of the line chooses too.
 */
export function Recipients({ page, room }: { readonly page: Page; readonly room: RoomView }): JSX.Element | null {
  const { characters } = room;
  useFirstChoice(page, characters);
  if (characters.length < 2) return null;
  const chosen = page.view.recipient.value;
  const choices = [{ id: null, name: "anyone named" }, ...characters];
  const at = Math.max(
    0,
    choices.findIndex(({ id }) => id === chosen),
  );
  return (
    <div class="to">
      <span id={`${RECIPIENTS}-label`}>Answer by</span>
      <div
        class="to__choices"
        role="radiogroup"
        id={RECIPIENTS}
        aria-labelledby={`${RECIPIENTS}-label`}
        onKeyDown={(event) => {
          const next = STEPS[event.key]?.(at, choices.length - 1);
          if (next === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
          event.preventDefault();
          choose(page, choices[next]?.id ?? null);
          const button = event.currentTarget.querySelectorAll<HTMLElement>("[role=radio]")[next];
          button?.focus();
          button?.scrollIntoView({ block: "nearest", inline: "nearest" });
        }}
      >
        {choices.map((choice, index) => (
          <button
            key={choice.id ?? ""}
            type="button"
            role="radio"
            aria-checked={index === at}
            tabIndex={index === at ? 0 : -1}
            onClick={() => choose(page, choice.id)}
          >
            {choice.name}
          </button>
        ))}
      </div>
    </div>
  );
}

function choose(page: Page, id: string | null): void {
  page.view.recipient.value = id;
}

/** Somebody who comes in and finds nobody else talks to the first character; nothing is chosen anew under their hands later. */
function useFirstChoice(page: Page, characters: readonly CharacterView[]): void {
  useEffect(() => {
    const [first, ...others] = characters;
    const isAlone = page.stage.peek().people.every(({ you, here }) => you || !here);
    if (first !== undefined && others.length > 0 && isAlone && page.view.recipient.peek() === null) choose(page, first.id);
  }, []);
}
