import type { JSX } from "preact";
import type { RoomView } from "../../../surfaces/room/protocol.ts";
import type { Page } from "../state/page.ts";
import type { Thing } from "../state/view-state.ts";
import { writeDraft } from "../state/view-state.ts";
import { goToPrivate, goToPublic, openCharacter } from "./keys.ts";

/** Four things that show what Troupe is about. They fill a composer and never send; dismissed, they stay away. */
export function TryIt({ page, room }: { readonly page: Page; readonly room: RoomView }): JSX.Element | null {
  const { isOpen, chosen } = page.view.tryIt.value;
  const character = room.characters.find((each) => each.id === openCharacter(page));
  if (!isOpen || character === undefined || !mayTry(room)) return null;
  const choose = (index: Thing): void => {
    page.view.tryIt.value = { isOpen: true, chosen: index };
  };
  const fill = (index: Thing, isPrivate: boolean, text: string): void => {
    choose(index);
    writeDraft(page.view, isPrivate ? `direct:${character.id}` : "public", text);
    (isPrivate ? goToPrivate : goToPublic)(page);
  };
  return (
    <section class="try" aria-labelledby="try-h">
      <h2 id="try-h">Try it</h2>
      <ol>
        <li>
          <Choice
            isChosen={chosen === 1}
            onClick={() => fill(1, true, "Between us: the spare key is under the blue pot.")}
            label="Whisper a secret"
          />
        </li>
        <li>
          <a class="btn" href={asSomeoneElse(room)} target="_blank" rel="noopener noreferrer" onClick={() => choose(2)}>
            Open as someone else<span class="vh"> (new window)</span>
          </a>
        </li>
        <li>
          <Choice
            isChosen={chosen === 3}
            onClick={() => fill(3, false, `${character.name}, what do you know about the spare key?`)}
            label="Ask for the secret"
          />
        </li>
        <li>
          <Choice
            isChosen={chosen === 4}
            onClick={() => fill(4, false, `${character.name}, take your time.`)}
            label="Take your time, then kill me"
          />
        </li>
      </ol>
      <button
        class="link"
        type="button"
        onClick={() => {
          page.view.tryIt.value = { isOpen: false, chosen: null };
        }}
      >
        Done<span class="vh"> with the things to try</span>
      </button>
      <div class="try__hint" role="status">
        <Hint room={room} chosen={chosen} name={character.name} />
      </div>
    </section>
  );
}

/** Whoever was invited came to talk: the demonstration is for the owner, and for who tries a room that is open to any name. */
export function mayTry({ role, entry }: RoomView): boolean {
  return role === "operator" || entry === "open";
}

function Choice({
  isChosen,
  onClick,
  label,
}: {
  readonly isChosen: boolean;
  readonly onClick: () => void;
  readonly label: string;
}): JSX.Element {
  return (
    <button class="btn" type="button" aria-pressed={isChosen} onClick={onClick}>
      {label}
    </button>
  );
}

function Hint({
  room,
  chosen,
  name,
}: {
  readonly room: RoomView;
  readonly chosen: Thing | null;
  readonly name: string;
}): JSX.Element | null {
  switch (chosen) {
    case 1:
      return <p>It stands on your private line. Said there, you and {name} know it, and nobody else.</p>;
    case 2:
      return <p>In the new window you are somebody else. Come in under another name, and ask there for the secret.</p>;
    case 3:
      return (
        <p>
          Say it as the other person: {name} tells all it was shown, and it was not shown the secret. Then ask on your own private line.
        </p>
      );
    case 4:
      return <KillHint room={room} />;
    case null:
      return null;
  }
}

function KillHint({ room }: { readonly room: RoomView }): JSX.Element {
  if (room.operator === null) {
    return (
      <p>
        Say it, and while it thinks ask whoever runs Troupe to kill the process and start it again. Your line is answered once, not lost and
        not twice.
      </p>
    );
  }
  return (
    <p>
      Say it, and while it thinks: <code>kill -9 {room.operator.pid}</code> in another terminal, then <code>npm start</code>. The answer
      comes once, not lost and not twice. The new start prints a new link for this page.
    </p>
  );
}

/** The guests' address. A page of the room is at it; the console is told it. */
function asSomeoneElse(room: RoomView): string {
  const address = room.operator?.rooms.find((each) => each.name === room.name)?.url ?? `${location.origin}/`;
  return `${address.split("#")[0] ?? address}#as=new`;
}
