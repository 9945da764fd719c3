import type { JSX } from "preact";
import type { PauseView } from "../../../../operations/pause.ts";
import type { StatusAnswer } from "../../../../observe/status.ts";
import { isPauses } from "../state/answers.ts";
import type { House } from "../state/house.ts";
import { pausedBy, silence } from "../words/pause-words.ts";

/** The place where answering is stopped and begun again. */
export function PauseCard({ house, status }: { readonly house: House; readonly status: StatusAnswer }): JSX.Element {
  return (
    <section class="kill" aria-labelledby="pause-h">
      <div>
        <h2 id="pause-h">Pause answering</h2>
        {status.paused.length === 0 ? (
          <ul>
            <li>Nobody is answered by whom you choose, where you choose, for as long as you choose, also after a restart.</li>
            <li>What is being said is finished. Lines that wait end unanswered. “/forget” and “/privacy” still answer.</li>
          </ul>
        ) : (
          <ul class="kill__held">
            {status.paused.map((paused) => (
              <PausedRow key={`${paused.character} ${paused.place}`} house={house} paused={paused} status={status} />
            ))}
          </ul>
        )}
      </div>
      <button class="btn btn--stop" type="button" aria-keyshortcuts="Shift+Escape" onClick={() => (house.ask.value = { kind: "pause" })}>
        {status.paused.length === 0 ? "Pause" : "Pause more"} <kbd class="key">Shift Esc</kbd>
      </button>
    </section>
  );
}

function PausedRow({
  house,
  paused,
  status,
}: {
  readonly house: House;
  readonly paused: PauseView;
  readonly status: StatusAnswer;
}): JSX.Element {
  return (
    <li>
      <span>
        <strong>{silence(paused, status)}.</strong> {pausedBy(paused, status.nowMs)}
      </span>
      <ResumeButton house={house} paused={paused} what={silence(paused, status)} />
    </li>
  );
}

/** Ends one pause at once: it only lets more be answered, and can be paused again. */
export function ResumeButton({
  house,
  paused,
  what,
}: {
  readonly house: House;
  readonly paused: PauseView;
  readonly what: string;
}): JSX.Element {
  const { character, place } = paused;
  const args = { ...(character === null ? {} : { character }), ...(place === null ? {} : { place }) };
  return (
    <button
      class="link"
      type="button"
      aria-disabled={!house.isLive}
      onClick={() => {
        if (!house.isLive) return;
        house.act({ name: "resume", args }, isPauses, (told) => {
          house.said.value = told.kind === "done" ? "Answering again." : told.message;
          house.lookAgain();
        });
      }}
    >
      Resume<span class="vh">: {what}</span>
    </button>
  );
}
