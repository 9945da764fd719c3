import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { PlaceView } from "../../../surfaces/room/protocol.ts";
import type { Page } from "../state/page.ts";
import { keyOf } from "../state/stage-state.ts";
import { writeDraft } from "../state/view-state.ts";

const NEARLY_FULL = 0.8;

interface ComposerProps {
  readonly page: Page;
  readonly place: PlaceView;
  readonly id: string;
  /** "Say in the Foyer". */
  readonly label: string;
  /** Who reads it. */
  readonly audience: string;
  readonly button: string;
  readonly placeholder: string;
  /** Whom it is for, as it stands when it is said. */
  readonly to: () => string | null;
  readonly children?: JSX.Element | null;
  /** Told what stands in the box after each change. */
  readonly onText?: (text: string) => void;
}

/** Where one writes. The button names its audience; the text stays until the page has taken it over. */
export function Composer(props: ComposerProps): JSX.Element {
  const { page, place, id } = props;
  const key = keyOf(place);
  const text = page.view.drafts.value[key] ?? "";
  const [isTried, setIsTried] = useState(false);
  const limit = page.room.value?.limits.lineBytes ?? Number.POSITIVE_INFINITY;
  const bytes = bytesOf(text.trim());
  const isLong = bytes > limit;
  const isOn = page.isLive.value;
  // What counts is what stands in the box at this moment, not what was last drawn: Enter may come before the drawing.
  const say = (written: string): void => {
    const words = written.trim();
    setIsTried(true);
    if (words === "" || bytesOf(words) > limit || !page.session.say({ place, to: props.to(), text: words })) return;
    writeDraft(page.view, key, "");
    setIsTried(false);
  };
  return (
    <form
      class="say"
      onSubmit={(event) => {
        event.preventDefault();
        say(page.view.drafts.peek()[key] ?? "");
      }}
    >
      <p class="say__label">
        <label for={id}>{props.label}</label>
        <span>{props.audience}</span>
      </p>
      {props.children}
      <textarea
        id={id}
        rows={1}
        placeholder={props.placeholder}
        value={text}
        aria-invalid={isLong}
        aria-describedby={`${id}-foot`}
        onInput={(event) => {
          writeDraft(page.view, key, event.currentTarget.value);
          props.onText?.(event.currentTarget.value);
        }}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          say(event.currentTarget.value);
        }}
      />
      <button class={isOn && place.kind === "public" ? "btn btn--go" : "btn"} type="submit" aria-disabled={!isOn || isLong}>
        {isOn ? props.button : "Not connected"}
      </button>
      <Foot id={`${id}-foot`} bytes={bytes} limit={limit} isBlocked={isTried && !isOn} isPublic={place.kind === "public"} />
    </form>
  );
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

interface FootProps {
  readonly id: string;
  readonly bytes: number;
  readonly limit: number;
  readonly isBlocked: boolean;
  readonly isPublic: boolean;
}

function Foot({ id, bytes, limit, isBlocked, isPublic }: FootProps): JSX.Element {
  if (bytes > limit) {
    return (
      <p class="say__foot error" id={id} role="status">
        Too long by {(bytes - limit).toLocaleString("en-GB")} bytes. One line holds {limit.toLocaleString("en-GB")}.
      </p>
    );
  }
  if (bytes > limit * NEARLY_FULL) {
    return (
      <p class="say__foot" id={id}>
        {(limit - bytes).toLocaleString("en-GB")} bytes left in this line.
      </p>
    );
  }
  if (isBlocked) {
    return (
      <p class="say__foot" id={id} role="status">
        Not connected. Your words stay here until the connection is back.
      </p>
    );
  }
  return (
    <p class={isPublic ? "say__foot say__hint" : "vh"} id={id}>
      <kbd class="key">Enter</kbd> says it, <kbd class="key">Shift Enter</kbd> starts a line. <kbd class="key">C</kbd> brings you here,{" "}
      <kbd class="key">P</kbd> to the private line.
    </p>
  );
}
