import type { JSX } from "preact";
import type { RoomView } from "../../../surfaces/room/protocol.ts";
import type { ConsolePart } from "../state/console-part.ts";
import type { Page } from "../state/page.ts";
import { serverNowMs } from "../state/page.ts";
import { isSpeaking } from "../state/stage-state.ts";
import { stretch, untilWords } from "../words/times.ts";
import { Brand } from "./brand.tsx";
import { CodeDoor, LeftDoor, NameDoor } from "./door.tsx";
import { ClosedDoor, InviteDoor } from "./guest-door.tsx";
import { KeysDialog } from "./keys-dialog.tsx";
import { Lamp } from "./lamp.tsx";
import { useLate } from "./late.ts";
import { LinkStrip } from "./notices.tsx";
import { roomLink } from "./room-link.ts";
import { Stage } from "./stage.tsx";
import { mayTry } from "./try-it.tsx";
import { LeaveDialog } from "./you.tsx";

/** The page: the stage once one is in, else what it needs first. */
export function App({ page }: { readonly page: Page }): JSX.Element {
  const { phase } = page.stage.value;
  if (phase.kind === "name") return <NameDoor page={page} phase={phase} />;
  if (phase.kind === "code") return <CodeDoor page={page} phase={phase} />;
  if (phase.kind === "invite") return <InviteDoor page={page} phase={phase} />;
  if (phase.kind === "closed") return <ClosedDoor phase={phase} />;
  if (phase.kind === "left") return <LeftDoor />;
  const room = page.room.value;
  return room === null ? <Starting page={page} /> : <Inside page={page} room={room} />;
}

const PATIENCE_MS = 300;

/** Before the first snapshot: nothing for 300 ms, then a placeholder; a strip if nobody answers. */
function Starting({ page }: { readonly page: Page }): JSX.Element {
  const isLate = useLate(PATIENCE_MS);
  return (
    <div class="door">
      <div>
        <LinkStrip page={page} />
        <Brand isLit={false} />
      </div>
      <main>
        <h1 class="vh">Stage</h1>
        {isLate && page.stage.value.link.kind !== "down" ? (
          <div class="bones" role="status">
            <p class="dim">Opening the room</p>
            <span class="bone bone--short" />
            <span class="bone" />
            <span class="bone bone--mid" />
          </div>
        ) : null}
      </main>
    </div>
  );
}

function Inside({ page, room }: { readonly page: Page; readonly room: RoomView }): JSX.Element {
  const { link, places, typing } = page.stage.value;
  const part = page.part.value;
  const isUnlit = link.kind !== "live";
  const isLit = !isUnlit && (typing.length > 0 || Object.values(places).some((held) => held.lines.some(isSpeaking)));
  return (
    <div class={isUnlit ? "app app--unlit" : "app"}>
      <a class="skip" href="#view" onClick={skip}>
        Skip to the room
      </a>
      <Brand isLit={isLit}>
        <Standing page={page} room={room} />
      </Brand>
      {part === null ? <Rail room={room} isLit={isLit} /> : <part.Rail isLit={isLit} />}
      <Me page={page} room={room} part={part} />
      <main class="view-area" id="view" tabIndex={-1}>
        <div class="above">
          <LinkStrip page={page} />
          {part === null ? null : <part.Strips />}
        </div>
        {part === null || part.isStageShown() ? <Stage page={page} room={room} /> : <part.Shown />}
      </main>
      {part === null ? null : <part.Over />}
      <KeysDialog page={page} />
      <LeaveDialog page={page} room={room} />
      <Announcer page={page} />
    </div>
  );
}

/** The address stays what it is: behind its # stands the page that is shown. */
function skip(event: Event): void {
  event.preventDefault();
  document.getElementById("view")?.focus();
}

/** Under the name: how the process stands, as far as this page knows. */
function Standing({ page, room }: { readonly page: Page; readonly room: RoomView }): JSX.Element {
  const { link } = page.stage.value;
  if (link.kind === "down") return <>{link.why === "closing" ? "stopped" : "not connected"}</>;
  if (link.kind === "connecting") return <>connecting</>;
  return <>{room.operator === null ? "connected" : `up ${stretch(serverNowMs(page) - room.operator.startedAtMs)}`}</>;
}

/** A guest's rooms, each at an address of its own; and an operator's until their pages are there. */
function Rail({ room, isLit }: { readonly room: RoomView; readonly isLit: boolean }): JSX.Element {
  return (
    <nav class="rooms rooms--one" aria-label="Rooms">
      <ul>
        <li>
          <a href="/" aria-current="page">
            <span>{room.title}</span>
            {isLit ? <Lamp shape="live" /> : null}
          </a>
        </li>
        {room.siblings.map(({ title, url }) => (
          <li key={url}>
            <a href={roomLink(url, room)}>
              <span>{title}</span>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

interface MeProps {
  readonly page: Page;
  readonly room: RoomView;
  readonly part: ConsolePart | null;
}

function Me({ page, room, part }: MeProps): JSX.Element {
  const { tryIt, isKeysOpen } = page.view;
  return (
    <footer class="me">
      <p class="me__who">
        <b>{room.self.name}</b>
        {room.self.name.includes(room.role) ? null : <span class="dim"> {room.role}</span>}
        {room.self.untilMs === null ? null : <span class="me__until"> {untilWords(room.self.untilMs, page.nowMs.value)}</span>}
      </p>
      <div class="row">
        {part === null ? null : <part.Stop />}
        {room.role === "guest" ? (
          <button
            class="link"
            type="button"
            onClick={() => {
              page.view.isLeaving.value = true;
            }}
          >
            Leave
          </button>
        ) : null}
        {tryIt.value.isOpen || !mayTry(room) ? null : (
          <button
            class="link me__try"
            type="button"
            onClick={() => {
              tryIt.value = { isOpen: true, chosen: null };
            }}
          >
            Try it
          </button>
        )}
        <button
          class="btn me__keys"
          type="button"
          aria-keyshortcuts="?"
          onClick={() => {
            isKeysOpen.value = true;
          }}
        >
          <kbd>?</kbd>
          <span class="vh">keys</span>
        </button>
      </div>
    </footer>
  );
}

/** Tells a screen reader each line of the others once, when it is whole; the script itself stays quiet while it grows. */
function Announcer({ page }: { readonly page: Page }): JSX.Element {
  return (
    <div class="vh" role="log" aria-live="polite" aria-relevant="additions" aria-label="New lines" id="announcer">
      {page.stage.value.announced.map((each) => (
        <p key={each.id}>{each.text}</p>
      ))}
    </div>
  );
}
