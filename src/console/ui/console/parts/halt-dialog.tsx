import type { JSX } from "preact";
import type { HaltAnswer } from "../../../../operations/halt.ts";
import { isHalt } from "../state/answers.ts";
import type { House } from "../state/house.ts";
import { count } from "../words/numbers.ts";
import { Confirm } from "./confirm.tsx";

/** Brings everything to a stand; no page undoes it (TR-073). */
export function HaltDialog({ house }: { readonly house: House }): JSX.Element {
  return (
    <Confirm<HaltAnswer>
      house={house}
      id="halt-dialog"
      title="Halt everything?"
      act="Halt everything"
      isFinal
      keep="Go on"
      command="troupe halt"
      call={{ name: "halt", args: {} }}
      isAnswer={isHalt}
      done={({ ended }) => `Halted: ${count(ended, "message")} and turns ended.`}
    >
      <p>Turns that run end now, messages that wait are dropped, open questions are denied. Nothing begins again, also after a restart.</p>
      <p>
        Only <code>troupe rearm</code> at this computer’s terminal undoes it. To be silent for a while, pause instead.
      </p>
    </Confirm>
  );
}
