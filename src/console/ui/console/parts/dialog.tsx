import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";

interface DialogProps {
  readonly id: string;
  readonly title: string;
  readonly isWide?: boolean;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A question or a paper over the page. It is shown while it exists; Esc and a press beside it close it. */
export function Dialog({ id, title, isWide = false, onClose, children }: DialogProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current;
    const before = document.activeElement;
    if (element !== null && !element.open) element.showModal();
    return () => {
      element?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      id={id}
      class={isWide ? "dialog--wide" : undefined}
      aria-labelledby={`${id}-h`}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === event.currentTarget) onClose();
      }}
    >
      <div class="dialog__body">
        <h2 id={`${id}-h`} tabIndex={-1} autofocus>
          {title}
        </h2>
        {children}
      </div>
    </dialog>
  );
}
