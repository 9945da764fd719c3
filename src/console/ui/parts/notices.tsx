import type { JSX } from "preact";
import type { RoomView } from "../../../surfaces/room/protocol.ts";
import type { Page } from "../state/page.ts";
import { secondTime, stretch } from "../words/times.ts";
import { Lamp } from "./lamp.tsx";

/** Across the top while the link is down: since when, that nothing is lost, and when it is tried again. */
export function LinkStrip({ page }: { readonly page: Page }): JSX.Element {
  const { link } = page.stage.value;
  if (link.kind !== "down") return <div class="strips" role="status" />;
  const since = secondTime(link.sinceMs);
  return (
    <div class="strips" role="status">
      <div class="strip strip--stop">
        <Lamp shape="bar" />
        <p>
          <strong>{link.why === "closing" ? `Troupe was stopped at ${since}.` : `Not connected since ${since}.`}</strong> You see what had
          arrived by then. Nothing is lost: what was on its way is said once, what you write stays in its box.
        </p>
        <Retry page={page} retryAtMs={link.retryAtMs} />
        <button class="btn" type="button" onClick={() => page.session.wake()}>
          Try now
        </button>
      </div>
    </div>
  );
}

/** Not part of the announcement: a count-down that is read aloud every second helps nobody. */
function Retry({ page, retryAtMs }: { readonly page: Page; readonly retryAtMs: number | null }): JSX.Element {
  const leftMs = retryAtMs === null ? 0 : retryAtMs - page.nowMs.value;
  return (
    <span class="dim nowrap" aria-hidden="true">
      {leftMs > 0 ? `Trying again in ${stretch(leftMs + 999)}` : "Trying"}
    </span>
  );
}

/** In the room's head while no model speaks: who does, from what, and how to change it. */
export function VoiceStrip({ room }: { readonly room: RoomView }): JSX.Element | null {
  if (room.voice.kind === "understudy") {
    const whom = room.characters.length === 1 ? (room.characters[0]?.name ?? "the character") : "the characters";
    return (
      <div class="strip strip--understudy">
        <Lamp shape="off" />
        <p>
          <strong>The understudy is speaking.</strong> No model is configured: a built-in stand-in answers for {whom} by fixed rules
          <span class="long">, offline, at no cost. It repeats whatever it was shown, so that you can see what it was not shown</span>.
        </p>
        {room.role === "operator" ? (
          <span class="strip__cli">
            Name a host under <code>models.hosts</code> in <code>troupe.yaml</code>, then <code>troupe check</code>
          </span>
        ) : null}
      </div>
    );
  }
  if (room.voice.kind === "model") return null;
  return (
    <div class="strip strip--stop" role="status">
      <Lamp shape="bar" />
      <p>
        <strong>The model can’t be reached since {secondTime(room.voice.sinceMs)}.</strong> Lines are kept, and nothing stands in for the
        model.
      </p>
      {room.role === "operator" ? (
        <span class="strip__cli">
          Is its host running? Its address stands in <code>models.hosts</code>
        </span>
      ) : null}
    </div>
  );
}

/** At the right of the head: what speaks, in one line. */
export function VoiceSide({ room }: { readonly room: RoomView }): JSX.Element | null {
  const { voice } = room;
  if (voice.kind === "understudy") {
    return (
      <p class="head__side head__side--understudy">
        <Lamp shape="off" /> No model configured
      </p>
    );
  }
  if (voice.kind !== "model" || voice.model === null) return null;
  return (
    <p class="head__side">
      <Lamp shape="on" /> Speaking through <code>{voice.model}</code>
      {voice.firstTokenMs === null ? null : <span class="long">, first word after {Math.round(voice.firstTokenMs)} ms</span>}
    </p>
  );
}
