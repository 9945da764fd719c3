import type { JSX } from "preact";
import type { Page } from "../state/page.ts";
import type { Phase } from "../state/stage-state.ts";
import { closedWords } from "../words/closed-words.ts";
import { untilWords } from "../words/times.ts";
import { Door, Facts, inTime } from "./door.tsx";

/** Opened with a link: who is invited, where to and until when. The link is used up by the press of a button, not by being looked at. */
export function InviteDoor({ page, phase }: { readonly page: Page; readonly phase: Extract<Phase, { kind: "invite" }> }): JSX.Element {
  const { invite, busy, error } = phase;
  const leftMs = error === null || error.retryAtMs === null ? 0 : error.retryAtMs - page.nowMs.value;
  const canGo = !busy && leftMs <= 0;
  return (
    <Door title={invite === null ? "An invitation" : `${invite.name}, you are invited`}>
      <p class="door__lead">
        {invite === null ? (
          "The room could not be asked what it is for."
        ) : (
          <>
            To <b>{invite.title}</b>, {untilWords(invite.untilMs, page.nowMs.value)}. The others will see you as <b>{invite.name}</b>. You
            need no account.
          </>
        )}
      </p>
      <div class="door__go">
        <button class="btn btn--go" type="button" aria-disabled={!canGo} onClick={() => (canGo ? page.session.acceptInvite() : undefined)}>
          {busy ? "One moment" : "Come in"}
        </button>
        <p class="error" role="alert">
          {error === null ? "" : error.code === "unreachable" ? "No answer came. Nothing was used up; try again." : waitWords(page, error)}
        </p>
      </div>
      <Facts>
        The link lets one browser in, once: this one, if you come in here. It stays open for you until you leave, or a day goes by unused.
      </Facts>
    </Door>
  );
}

function waitWords(page: Page, error: NonNullable<Extract<Phase, { kind: "invite" }>["error"]>): string {
  return error.code === "too_many" ? `Too many tries at once. Try again${inTime(page, error)}.` : error.message;
}

/** Nobody comes in without a link, or without another one. */
export function ClosedDoor({ phase }: { readonly phase: Extract<Phase, { kind: "closed" }> }): JSX.Element {
  const { title, lead, cure } = closedWords(phase.why, phase.name);
  return (
    <Door title={title}>
      <p class="door__lead">{lead}</p>
      <p class="door__lead">{cure}</p>
    </Door>
  );
}
