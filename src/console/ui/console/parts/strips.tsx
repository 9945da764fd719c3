import type { JSX } from "preact";
import type { PauseView } from "../../../../operations/pause.ts";
import type { StatusAnswer } from "../../../../observe/status.ts";
import { Lamp } from "../../parts/lamp.tsx";
import { ResumeButton } from "../pages/pause-card.tsx";
import type { House } from "../state/house.ts";
import { isAllPaused, pausedBy, silence } from "../words/pause-words.ts";

/** More pauses than this are told as a number: Health lists them. */
const MAX_SHOWN = 2;

/** Across the top of every page while something is paused: what, by whom, until when, and the way back. */
export function PauseStrips({ house }: { readonly house: House }): JSX.Element {
  const status = house.status.seen.value.value;
  const paused = status?.paused ?? [];
  if (status === null || paused.length === 0) return <></>;
  const all = paused.find((one) => isAllPaused([one]));
  if (all !== undefined) return <PauseStrip house={house} paused={all} status={status} />;
  if (paused.length > MAX_SHOWN) {
    return (
      <div class="strip">
        <Lamp shape="off" />
        <p>
          <strong>{paused.length} pauses hold.</strong> Some characters or places are not answered.
        </p>
        <a href="#health">See them</a>
      </div>
    );
  }
  return (
    <>
      {paused.map((one) => (
        <PauseStrip key={`${one.character} ${one.place}`} house={house} paused={one} status={status} />
      ))}
    </>
  );
}

interface PauseStripProps {
  readonly house: House;
  readonly paused: PauseView;
  readonly status: StatusAnswer;
}

function PauseStrip({ house, paused, status }: PauseStripProps): JSX.Element {
  const isAll = isAllPaused([paused]);
  const what = silence(paused, status);
  return (
    <div class={isAll ? "strip strip--stop" : "strip"}>
      <Lamp shape={isAll ? "bar" : "off"} />
      <p>
        <strong>{what}.</strong> {pausedBy(paused, status.nowMs)}
      </p>
      <ResumeButton house={house} paused={paused} what={what} />
    </div>
  );
}
