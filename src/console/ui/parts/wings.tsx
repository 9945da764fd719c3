import type { JSX } from "preact";
import type { CharacterView, PersonView, RoomView } from "../../../surfaces/room/protocol.ts";
import type { Page } from "../state/page.ts";
import { serverNowMs } from "../state/page.ts";
import { isSpeaking, keyOf } from "../state/stage-state.ts";
import { secondTime, stretch } from "../words/times.ts";
import { Composer } from "./composer.tsx";
import { openCharacter } from "./keys.ts";
import { Lamp } from "./lamp.tsx";
import { roomLink } from "./room-link.ts";
import { Script } from "./script.tsx";
import { You } from "./you.tsx";

/** Beside the room: who is here, and the reader's private lines. */
export function Wings({ page, room }: { readonly page: Page; readonly room: RoomView }): JSX.Element {
  return (
    <div class="wings">
      <Here page={page} room={room} />
      <Private page={page} room={room} />
    </div>
  );
}

function Here({ page, room }: { readonly page: Page; readonly room: RoomView }): JSX.Element {
  const { link, people } = page.stage.value;
  return (
    <section class="here" aria-labelledby="here-h">
      <h2 id="here-h">Here now {link.kind === "down" ? <span class="dim">as of {secondTime(link.sinceMs)}</span> : null}</h2>
      <ul aria-label="Characters">
        {room.characters.map((character) => (
          <CharacterRow key={character.id} page={page} character={character} />
        ))}
      </ul>
      <ul aria-label="People">
        {people.map((person) => (
          <PersonRow key={person.id} page={page} person={person} />
        ))}
      </ul>
      <Address room={room} />
      <OtherRooms room={room} />
      <You page={page} room={room} />
    </section>
  );
}

/** Where guests come in, for the operator who gives it to them. */
function Address({ room }: { readonly room: RoomView }): JSX.Element | null {
  const url = room.operator?.rooms.find((each) => each.name === room.name)?.url;
  if (url === undefined) return null;
  return (
    <p class="here__address">
      Guests come in at <code>{url}</code>
    </p>
  );
}

/** The way to the other rooms where there is no rail. */
function OtherRooms({ room }: { readonly room: RoomView }): JSX.Element | null {
  if (room.siblings.length === 0) return null;
  return (
    <ul class="here__rooms" aria-label="Other rooms">
      {room.siblings.map(({ title, url }) => (
        <li key={url}>
          <Lamp shape="off" />
          <a href={roomLink(url, room)}>{title}</a>
          <span>another room</span>
        </li>
      ))}
    </ul>
  );
}

/** What a character does where this reader may see it. */
function doingOf(page: Page, character: CharacterView): "speaking" | "answering" | "listening" {
  const { places, typing } = page.stage.value;
  const speaks = Object.values(places).some(({ lines }) =>
    lines.some((line) => line.author.kind === "character" && line.author.id === character.id && isSpeaking(line)),
  );
  if (speaks) return "speaking";
  return typing.some((each) => each.character === character.id) ? "answering" : "listening";
}

function CharacterRow({ page, character }: { readonly page: Page; readonly character: CharacterView }): JSX.Element {
  const doing = doingOf(page, character);
  const isBusy = doing !== "listening";
  const isNow = isBusy && page.isLive.value;
  const idle = character.understudy ? "understudy" : page.room.value?.voice.kind === "offline" ? "silent" : "listening";
  return (
    <li class={isNow ? "is-live" : ""}>
      <Lamp shape={isNow ? "live" : character.understudy || isBusy ? "off" : "on"} />
      <span class="who-character">{character.name}</span>
      <span>{isBusy ? (isNow ? doing : `was ${doing}`) : idle}</span>
    </li>
  );
}

function PersonRow({ page, person }: { readonly page: Page; readonly person: PersonView }): JSX.Element {
  const note = person.here ? (person.role === "operator" ? "operator" : "") : `away ${stretch(serverNowMs(page) - person.sinceMs)}`;
  return (
    <li>
      <Lamp shape={person.here ? "on" : "off"} />
      <span>
        {person.name}
        {person.you ? <span class="dim">, you</span> : null}
      </span>
      <span>{note}</span>
    </li>
  );
}

function Private({ page, room }: { readonly page: Page; readonly room: RoomView }): JSX.Element {
  const character = room.characters.find((each) => each.id === openCharacter(page));
  if (character === undefined) {
    return (
      <section class="private" aria-label="Private line">
        <p class="empty">No character is in this room yet.</p>
      </section>
    );
  }
  const place = { kind: "direct", character: character.id } as const;
  return (
    <section class="private" aria-labelledby="private-h">
      <div class="private__head">
        {room.characters.length > 1 ? (
          <>
            <h2 class="vh" id="private-h">
              Private line with {character.name}
            </h2>
            <Tabs page={page} room={room} open={character.id} />
          </>
        ) : (
          <h2 id="private-h">Private line with {character.name}</h2>
        )}
        <p>{audienceWords(room, character)}</p>
      </div>
      <Script
        key={keyOf(place)}
        page={page}
        place={place}
        label={`Said to ${character.name} in private`}
        empty={{
          lead: `Nothing was said to ${character.name} in private yet.`,
          cure: "What is written below stays between the two of you.",
        }}
      />
      <Composer
        page={page}
        place={place}
        id="say-private"
        label={`Say to ${character.name}, privately`}
        audience=""
        button={`Say to ${character.name}`}
        placeholder=""
        to={() => character.id}
      />
    </section>
  );
}

function audienceWords(room: RoomView, character: CharacterView): string {
  const who = character.understudy ? `Only you and ${character.name}’s understudy.` : `Only you and ${character.name}.`;
  return room.role === "operator" ? `${who} No guest and no other character is told of it.` : `${who} Nothing said here reaches the room.`;
}

function Tabs({ page, room, open }: { readonly page: Page; readonly room: RoomView; readonly open: string }): JSX.Element {
  return (
    <div class="tabs" role="group" aria-label="Private line with">
      {room.characters.map((character) => (
        <button
          key={character.id}
          type="button"
          aria-pressed={character.id === open}
          onClick={() => {
            page.view.character.value = character.id;
          }}
        >
          {character.name}
        </button>
      ))}
    </div>
  );
}
