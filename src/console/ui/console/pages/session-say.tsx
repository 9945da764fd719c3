import type { JSX } from "preact";
import type { SessionView } from "../../../../operations/sessions.ts";
import { keyOf } from "../../state/stage-state.ts";
import { Lamp } from "../../parts/lamp.tsx";
import { Unsent } from "../../parts/unsent.tsx";
import { isTurns } from "../state/answers.ts";
import type { House } from "../state/house.ts";
import { questionTitle } from "../words/backstage-words.ts";
import { characterName } from "../words/places.ts";

/** Where one writes to a session: on the same private line as on the stage and at the terminal, so it is heard the same way. */
export function SessionSay({ house, session }: { readonly house: House; readonly session: SessionView }): JSX.Element {
  const page = house.page.value;
  const { room } = page;
  const turn = house.backstage.turnsIn(session.id).at(0);
  const isRunning = turn !== undefined && turn.doing !== "waiting";
  const isHere = room.value?.characters.some(({ id }) => id === session.character) === true;
  const isOwn = session.person === room.value?.self.id;
  if (!session.current || !isOwn || !isHere) {
    return (
      <div class="say say--none">
        <p class="dim">{whyNot(session, { isOwn, name: characterName(session.character, house.status.seen.value.value) })}</p>
        {turn === undefined ? null : <StopTurn house={house} session={session} />}
      </div>
    );
  }
  return <WriteTo house={house} session={session} isRunning={isRunning} hasTurn={turn !== undefined} />;
}

function whyNot(session: SessionView, { isOwn, name }: { readonly isOwn: boolean; readonly name: string }): string {
  if (!session.current) return "This line goes on in another session; what is written goes there.";
  return isOwn
    ? `${name} is in none of this room’s places: write at the terminal, troupe chat.`
    : "It is somebody else’s line: only they write in it.";
}

interface WriteToProps {
  readonly house: House;
  readonly session: SessionView;
  readonly isRunning: boolean;
  readonly hasTurn: boolean;
}

function WriteTo({ house, session, isRunning, hasTurn }: WriteToProps): JSX.Element {
  const page = house.page.value;
  const place = { kind: "direct", character: session.character } as const;
  const key = keyOf(place);
  const { drafts } = house.backstage;
  const text = drafts.value[session.id] ?? "";
  const write = (words: string): void => {
    drafts.value = { ...drafts.peek(), [session.id]: words };
  };
  const say = (): void => {
    const words = (drafts.peek()[session.id] ?? "").trim();
    if (words === "" || !house.isLive) return;
    if (page.session.say({ place, to: session.character, text: isRunning ? `/steer ${words}` : words })) write("");
  };
  const unsent = page.stage.value.unsent.filter((line) => keyOf(line.place) === key && line.state.kind !== "kept");
  return (
    <form
      class="say"
      onSubmit={(event) => {
        event.preventDefault();
        say();
      }}
    >
      <Waits house={house} session={session} />
      <p class="say__label">
        <label for="say-agent">To this session</label>
        <span>{isRunning ? "joins the turn at its next step" : "begins a turn"}</span>
      </p>
      {unsent.length === 0 ? null : (
        <ul class="say__unsent">
          {unsent.map((line) => (
            <Unsent key={line.clientLineId} page={page} line={line} />
          ))}
        </ul>
      )}
      <textarea
        id="say-agent"
        rows={1}
        value={text}
        onInput={(event) => write(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          say();
        }}
      />
      <div class="row">
        <button class="btn btn--go" type="submit" aria-disabled={!house.isLive}>
          {house.isLive ? "Send" : "Not connected"}
        </button>
        {hasTurn ? <StopTurn house={house} session={session} /> : null}
      </div>
      <p class="say__foot say__hint">
        <kbd class="key">A</kbd> goes to the oldest question. No single key allows anything.
      </p>
    </form>
  );
}

/** In a narrow window a question may stand out of sight. */
function Waits({ house, session }: { readonly house: House; readonly session: SessionView }): JSX.Element | null {
  const [question] = house.backstage.askedIn(session.id);
  if (question === undefined) return null;
  return (
    <p class="say__waits">
      <span>
        <Lamp shape="cue" /> {questionTitle(question)}
      </span>
      <button class="link" type="button" onClick={() => (house.backstage.wanted.value = question.id)}>
        See it
      </button>
    </p>
  );
}

/** Ends what runs or waits in a session: it can be asked for again, so it asks nothing first. */
function StopTurn({ house, session }: { readonly house: House; readonly session: SessionView }): JSX.Element {
  return (
    <button
      class="btn btn--stop"
      type="button"
      data-stop-turn
      aria-disabled={!house.isLive}
      onClick={() => {
        if (!house.isLive) return;
        house.act({ name: "turns", args: { act: "stop", session: session.id } }, isTurns, (told) => {
          house.said.value = told.kind === "done" ? "Stopped." : told.message;
          house.lookAgain();
        });
      }}
    >
      Stop turn <kbd class="key">.</kbd>
    </button>
  );
}
