import type { JSX } from "preact";
import type { ScheduleAnswer, ScheduleView } from "../../../../operations/schedule.ts";
import { isSchedule } from "../state/answers.ts";
import type { House } from "../state/house.ts";
import { Confirm } from "./confirm.tsx";

/** Takes a schedule away, and with it what it might do. */
export function UnscheduleDialog({ house, schedule }: { readonly house: House; readonly schedule: ScheduleView }): JSX.Element {
  return (
    <Confirm<ScheduleAnswer>
      house={house}
      id="unschedule-dialog"
      title="Remove this schedule?"
      act="Remove"
      isFinal
      keep="Keep"
      command={`troupe schedule remove ${schedule.id}`}
      call={{ name: "schedule", args: { act: "remove", what: schedule.id } }}
      isAnswer={isSchedule}
      done={() => "Removed."}
    >
      <p>
        <b>{schedule.rule}</b>, {schedule.zone}: “{schedule.words}”
      </p>
    </Confirm>
  );
}
