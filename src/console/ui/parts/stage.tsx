import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { RoomView } from "../../../surfaces/room/protocol.ts";
import type { Page } from "../state/page.ts";
import type { Pane } from "../state/view-state.ts";
import { frontName } from "../words/front-name.ts";
import { Composer } from "./composer.tsx";
import { VoiceSide, VoiceStrip } from "./notices.tsx";
import { Recipients } from "./recipients.tsx";
import { Script } from "./script.tsx";
import { TryIt } from "./try-it.tsx";
import { Wings } from "./wings.tsx";
import { UnheardStrip } from "./you.tsx";

/** The room: what everyone may see, and in the wings what only the reader may. */
export function Stage({ page, room }: { readonly page: Page; readonly room: RoomView }): JSX.Element {
  const heading = useRef<HTMLHeadingElement>(null);
  const part = page.part.value;
  useEffect(() => {
    document.title = `${room.title} · Troupe`;
    if (document.activeElement === document.body) heading.current?.focus();
  }, [room.title]);
  return (
    <section class="view stage" data-pane={page.view.pane.value} data-writing={page.view.isWriting.value} aria-labelledby="stage-h">
      <div class="head">
        <div>
          <h1 id="stage-h" ref={heading} tabIndex={-1}>
            {room.title}
          </h1>
          <p class="head__sub">Public room. Everyone here reads everything said here.{room.role === "guest" ? ` ${whoIsAi(room)}` : ""}</p>
        </div>
        <VoiceSide room={room} />
      </div>
      <Panes page={page} />
      <div class="notices">
        {part === null ? null : <part.StageNotice />}
        <VoiceStrip room={room} />
        <UnheardStrip page={page} room={room} />
        <TryIt page={page} room={room} />
      </div>
      <Script
        page={page}
        place={{ kind: "public" }}
        label={`Said in ${room.title}`}
        empty={{ lead: "The room is open and nothing has been said in it.", cure: emptyCure(room) }}
      />
      <Composer
        page={page}
        place={{ kind: "public" }}
        id="say-public"
        label={`Say in ${room.title}`}
        audience="everyone here reads it"
        button="Say to everyone"
        placeholder={placeholder(room, page.view.recipient.value)}
        to={() => page.view.recipient.peek()}
        onText={(text) => {
          const called = frontName(text, room.characters);
          if (called !== null && room.characters.length > 1) page.view.recipient.value = called;
        }}
      >
        <Recipients page={page} room={room} />
      </Composer>
      <Wings page={page} room={room} />
    </section>
  );
}

function whoIsAi(room: RoomView): string {
  const names = room.characters.map((each) => each.name);
  if (names.length === 0) return "";
  return names.length === 1
    ? `${names[0] ?? ""} is an AI character.`
    : `${names.slice(0, -1).join(", ")} and ${names.at(-1) ?? ""} are AI characters.`;
}

function emptyCure(room: RoomView): string {
  const name = room.characters[0]?.name;
  return name === undefined ? "No character is in it yet." : `Say something below, with ${name}’s name in it.`;
}

function placeholder(room: RoomView, chosen: string | null): string {
  if (chosen !== null) return "";
  return `Name ${room.characters.length === 1 ? (room.characters[0]?.name ?? "a character") : "a character"}`;
}

const PANES: readonly { readonly pane: Pane; readonly name: string }[] = [
  { pane: "room", name: "Room" },
  { pane: "line", name: "Private line" },
  { pane: "here", name: "Who is here" },
];

/** In a narrow window one part is shown at a time. */
function Panes({ page }: { readonly page: Page }): JSX.Element {
  return (
    <div class="panes" role="group" aria-label="Show">
      <div class="tabs">
        {PANES.map(({ pane, name }) => (
          <button
            key={pane}
            type="button"
            aria-pressed={page.view.pane.value === pane}
            onClick={(event) => {
              page.view.pane.value = pane;
              // A low window scrolls as one page: what is shown now begins at its top.
              event.currentTarget.closest(".stage")?.scrollTo({ top: 0 });
            }}
          >
            {name}
          </button>
        ))}
      </div>
    </div>
  );
}
