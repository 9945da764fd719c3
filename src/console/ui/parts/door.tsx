import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Page } from "../state/page.ts";
import type { Phase, Trouble } from "../state/stage-state.ts";
import { stretch } from "../words/times.ts";
import { Brand } from "./brand.tsx";
import { Lamp } from "./lamp.tsx";

/** Longest name that the room takes; the server checks it too. */
const NAME_CHARACTERS = 40;

/** What stands before the stage: a frame with one heading, which gets the focus. */
export function Door({ title, children }: { readonly title: string; readonly children: ComponentChildren }): JSX.Element {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Troupe`;
    if (document.activeElement === document.body) heading.current?.focus();
  }, [title]);
  return (
    <div class="door">
      <Brand isLit={false} />
      <main class="door__main">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {children}
      </main>
    </div>
  );
}

/** First visit: one field, who will read what, and that the characters are no people. */
export function NameDoor({ page, phase }: { readonly page: Page; readonly phase: Extract<Phase, { kind: "name" }> }): JSX.Element {
  return (
    <Door title="Who is coming in?">
      <p class="door__lead">
        {phase.before === ""
          ? "Choose the name that the others will see. You need no account."
          : `You were here as ${phase.before}, and that membership has ended. Come in again under the same name or another.`}
      </p>
      <Field
        label="Your name"
        button="Come in"
        initial={phase.before === "" ? phase.offered : phase.before}
        maxLength={NAME_CHARACTERS}
        isBusy={phase.busy}
        error={nameError(page, phase.error)}
        onSubmit={(name) => page.session.join(name)}
      />
      <Facts />
    </Door>
  );
}

/** What a guest should know before coming in. `children` is said first. */
export function Facts({ children }: { readonly children?: string }): JSX.Element {
  return (
    <ul class="door__facts">
      {children === undefined ? null : <Fact>{children}</Fact>}
      <Fact>What you say in the room is read by everyone in it.</Fact>
      <Fact>What you say on a private line is read by you and that character, and by nobody else in the room.</Fact>
      <Fact>
        The characters are AI, run by the operator of this server. The operator, and the model host they chose, can read all of it. In the
        room, /privacy says what is kept and for how long, /forget erases it.
      </Fact>
    </ul>
  );
}

/** The operators' side asks for the one-time code that the terminal printed. */
export function CodeDoor({ page, phase }: { readonly page: Page; readonly phase: Extract<Phase, { kind: "code" }> }): JSX.Element {
  return (
    <Door title={phase.ended ? "This session has ended" : "Operators’ entrance"}>
      <p class="door__lead">
        {phase.ended
          ? "Sessions end with the process. Open the new link that the terminal printed, or give its code here. What you had written is kept."
          : "Open the link that the terminal printed, or give its code here. A code works once, within a minute."}
      </p>
      <Field
        label="One-time code"
        button="Open"
        initial=""
        maxLength={256}
        isBusy={phase.busy}
        error={codeError(page, phase.error)}
        onSubmit={(code) => page.session.exchange(code)}
      />
      <ul class="door__facts">
        <Fact>This side shows rules, costs and process details. Guests have a room of their own, at another address.</Fact>
      </ul>
    </Door>
  );
}

/** After leaving. */
export function LeftDoor(): JSX.Element {
  return (
    <Door title="You have left">
      <p class="door__lead">Nobody speaks under your name here any more. Load the page again to come in as somebody else.</p>
      <p>
        <a href="/">Come in again</a>
      </p>
    </Door>
  );
}

function Fact({ children }: { readonly children: string }): JSX.Element {
  return (
    <li>
      <Lamp shape="off" />
      <span>{children}</span>
    </li>
  );
}

interface FieldProps {
  readonly label: string;
  readonly button: string;
  readonly initial: string;
  readonly maxLength: number;
  readonly isBusy: boolean;
  readonly error: string;
  readonly onSubmit: (text: string) => void;
}

function Field(props: FieldProps): JSX.Element {
  const [text, setText] = useState(props.initial);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), [props.error]);
  const submit = (event: Event): void => {
    event.preventDefault();
    if (!props.isBusy && text.trim() !== "") props.onSubmit(text.trim());
  };
  return (
    <form class="door__form" onSubmit={submit} noValidate>
      <label for="door-field">{props.label}</label>
      <input
        id="door-field"
        ref={input}
        type="text"
        autocomplete="off"
        autocapitalize="words"
        spellcheck={false}
        maxLength={props.maxLength}
        value={text}
        aria-invalid={props.error !== ""}
        aria-describedby="door-error"
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <button class="btn btn--go" type="submit" aria-disabled={props.isBusy || text.trim() === ""}>
        {props.isBusy ? "One moment" : props.button}
      </button>
      <p class="error" id="door-error" role="alert">
        {props.error}
      </p>
    </form>
  );
}

const NAME_ERRORS: Readonly<Record<string, string>> = {
  name_taken: "Somebody here has that name, or one that looks like it. Names of characters and operators are kept for them.",
  name_invalid: `A name has 1 to ${NAME_CHARACTERS} letters, digits, spaces or dashes.`,
  unreachable: "No answer came. Nothing was changed; try again.",
};

function nameError(page: Page, error: Trouble | null): string {
  if (error === null) return "";
  if (error.code === "too_many") return `Too many people are coming in at once. Try again${inTime(page, error)}.`;
  return NAME_ERRORS[error.code] ?? error.message;
}

function codeError(page: Page, error: Trouble | null): string {
  if (error === null) return "";
  if (error.code === "too_many") return `Too many wrong codes. Try again${inTime(page, error)}.`;
  if (error.code === "unauthorized") return "That code is wrong, used, or too old. The terminal prints a new one.";
  return error.code === "unreachable" ? "No answer came; try again." : error.message;
}

/** ` in 4 s`, while it is not worth trying again. */
export function inTime(page: Page, error: Trouble): string {
  const leftMs = error.retryAtMs === null ? 0 : error.retryAtMs - page.nowMs.value;
  return leftMs > 0 ? ` in ${stretch(leftMs + 999)}` : "";
}
