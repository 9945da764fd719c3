import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import type { House } from "../state/house.ts";
import type { Told } from "../state/operations-client.ts";
import { Dialog } from "./dialog.tsx";

interface ConfirmProps<T> {
  readonly house: House;
  readonly id: string;
  readonly title: string;
  readonly children: ComponentChildren;
  /** The act's own name on its button; red when it cannot be taken back. */
  readonly act: string;
  readonly isFinal?: boolean;
  readonly keep: string;
  /** The same as a command, for whoever would rather type it. */
  readonly command: string;
  readonly call: { readonly name: string; readonly args: object };
  readonly isAnswer: (value: unknown) => value is T;
  /** What is told when it is done. */
  readonly done: (value: T) => string;
  /** Whether something is still to be filled in. */
  readonly isBlocked?: boolean;
  /** Called once it is done. */
  readonly onDone?: () => void;
}

/** Asks once, does it, and says what came of it. No single key does anything here. */
export function Confirm<T>(props: ConfirmProps<T>): JSX.Element {
  const { house, id, title, children, act, keep, command, call, isAnswer } = props;
  const [state, setState] = useState<"asking" | "doing" | Extract<Told<T>, { kind: "failed" }>>("asking");
  const close = (): void => {
    house.ask.value = null;
  };
  const isOff = state === "doing" || !house.isLive || props.isBlocked === true;
  const submit = (event: Event): void => {
    event.preventDefault();
    if (isOff) return;
    setState("doing");
    house.act(call, isAnswer, (told) => {
      house.lookAgain();
      if (told.kind === "failed") return setState(told);
      house.said.value = props.done(told.value);
      props.onDone?.();
      close();
    });
  };
  return (
    <Dialog id={id} title={title} onClose={close}>
      <form onSubmit={submit}>
        {children}
        <p class="dialog__cli">
          <code>{command}</code>
        </p>
        <p class="error" role="alert">
          {typeof state === "string" ? "" : `${state.message} `}
          {typeof state === "string" ? null : <code>{state.code}</code>}
        </p>
        <div class="row">
          <button class={props.isFinal === true ? "btn btn--final" : "btn btn--go"} type="submit" aria-disabled={isOff}>
            {state === "doing" ? "One moment" : house.isLive ? act : "Not connected"}
          </button>
          <button class="btn" type="button" onClick={close}>
            {keep}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
