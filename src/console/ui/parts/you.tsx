import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { RoomView } from "../../../surfaces/room/protocol.ts";
import type { Page } from "../state/page.ts";
import { writeDraft } from "../state/view-state.ts";
import { untilWords } from "../words/times.ts";
import { goToPrivate, openCharacter } from "./keys.ts";
import { Lamp } from "./lamp.tsx";

/** Put a command about oneself into the private line's box; it is said when its writer says so. */
function offer(page: Page, command: string): void {
  const character = openCharacter(page);
  if (character === null) return;
  writeDraft(page.view, `direct:${character}`, command);
  goToPrivate(page);
}

/** What a guest is here, and what they can do about their own words (TR-091). */
export function You({ page, room }: { readonly page: Page; readonly room: RoomView }): JSX.Element | null {
  if (room.role !== "guest") return null;
  const { untilMs, optedOut } = room.self;
  const acts = [
    { command: "/privacy", name: "What is kept of me" },
    { command: "/forget", name: "Erase it" },
    optedOut ? { command: "/hear me", name: "Hear me again" } : { command: "/ignore me", name: "Don’t hear me" },
  ];
  return (
    <div class="you" role="group" aria-labelledby="you-h">
      <h3 id="you-h">You and your words</h3>
      <p>
        {room.self.name}, a guest{untilMs === null ? "" : ` ${untilWords(untilMs, page.nowMs.value)}`}. These write a line for you to send.
      </p>
      <p class="row">
        {acts.map(({ command, name }) => (
          <button key={command} class="link" type="button" onClick={() => offer(page, command)}>
            {name}
          </button>
        ))}
      </p>
    </div>
  );
}

/** In the room's head while no character hears the reader. */
export function UnheardStrip({ page, room }: { readonly page: Page; readonly room: RoomView }): JSX.Element | null {
  if (!room.self.optedOut) return null;
  return (
    <div class="strip" role="status">
      <Lamp shape="off" />
      <p>
        <strong>No character hears you.</strong> You asked for it. People here still read what you say.
      </p>
      <button class="btn" type="button" onClick={() => offer(page, "/hear me")}>
        Hear me again
      </button>
    </div>
  );
}

/** Asks before a guest leaves: whoever was invited can't come back by the same link. */
export function LeaveDialog({ page, room }: { readonly page: Page; readonly room: RoomView }): JSX.Element | null {
  const dialog = useRef<HTMLDialogElement>(null);
  const isOpen = page.view.isLeaving.value;
  useEffect(() => {
    const element = dialog.current;
    if (element === null || element.open === isOpen) return;
    if (isOpen) element.showModal();
    else element.close();
  }, [isOpen]);
  if (room.role !== "guest") return null;
  const close = (): void => {
    page.view.isLeaving.value = false;
  };
  return (
    <dialog class="ask" ref={dialog} aria-labelledby="leave-h" onClose={close}>
      <h2 id="leave-h">Leave {room.title}?</h2>
      <p>
        {room.self.untilMs === null
          ? "Your name is free for others then, and this browser keeps no key of it."
          : "Your link was used, and this browser keeps no key: to come back you need a new one."}
      </p>
      <p class="dim">What you said runs out by itself. To have it erased now, say /forget on a private line before you leave.</p>
      <div class="row row--apart">
        <button class="btn" type="button" onClick={close}>
          Stay
        </button>
        <button
          class="btn btn--go"
          type="button"
          onClick={() => {
            close();
            page.session.leave();
          }}
        >
          Leave
        </button>
      </div>
    </dialog>
  );
}
