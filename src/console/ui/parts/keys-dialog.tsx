import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { KeyWords } from "../state/console-part.ts";
import type { Page } from "../state/page.ts";

const KEYS: readonly KeyWords[] = [
  { keys: ["C"], does: "write to the room" },
  { keys: ["P"], does: "write on the private line" },
  { keys: ["T"], does: "choose who should answer, where there are several" },
  { keys: ["J", "K"], does: "next, previous line" },
  { keys: ["W"], does: "why, for the chosen line" },
  { keys: ["Enter"], does: "in a box: say it" },
  { keys: ["Shift Enter"], does: "in a box: new line" },
  { keys: ["?"], does: "this list" },
  { keys: ["Esc"], does: "close, or leave the box" },
];

/** All keys, and the switch that turns single ones off. */
export function KeysDialog({ page }: { readonly page: Page }): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const isOpen = page.view.isKeysOpen.value;
  useEffect(() => {
    const element = dialog.current;
    if (element === null || element.open === isOpen) return;
    if (isOpen) element.showModal();
    else element.close();
  }, [isOpen]);
  const close = (): void => {
    page.view.isKeysOpen.value = false;
  };
  return (
    <dialog ref={dialog} aria-labelledby="keys-h" onClose={close}>
      <h2 id="keys-h">Keys</h2>
      <dl class="keys">
        {[...KEYS, ...(page.part.value?.keys ?? [])].map(({ keys, does }) => (
          <div key={does}>
            <dt>
              {keys.map((key) => (
                <span key={key}>
                  <kbd>{key}</kbd>{" "}
                </span>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <div class="row row--apart">
        <label class="row">
          <input
            type="checkbox"
            checked={page.view.singleKeys.value}
            onChange={(event) => {
              page.view.singleKeys.value = event.currentTarget.checked;
            }}
          />
          <span>Single keys work outside text boxes</span>
        </label>
        <button class="btn btn--go" type="button" onClick={close}>
          Close
        </button>
      </div>
    </dialog>
  );
}
