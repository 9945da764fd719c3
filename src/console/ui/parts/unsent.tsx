import type { JSX } from "preact";
import type { Page } from "../state/page.ts";
import { keyOf } from "../state/stage-state.ts";
import type { Trouble, UnsentLine } from "../state/stage-state.ts";
import { writeDraft } from "../state/view-state.ts";
import { stretch } from "../words/times.ts";
import { First, LineTime, Said } from "./line.tsx";

/** A line of one's own that the script does not have yet: on its way, waiting for the link, or refused. */
export function Unsent({ page, line }: { readonly page: Page; readonly line: UnsentLine }): JSX.Element {
  const isRefused = line.state.kind === "refused";
  return (
    <li class={isRefused ? "line line--unsent line--refused" : "line line--unsent"}>
      <LineTime atMs={line.atMs} isShown={false} />
      <p class="line__who">{page.room.value?.self.name ?? "you"}</p>
      <Said action="" text={line.text} />
      <div class="line__cue">{cue(page, line)}</div>
    </li>
  );
}

function cue(page: Page, line: UnsentLine): JSX.Element {
  if (line.state.kind === "refused") return <Refused page={page} line={line} trouble={line.state.trouble} />;
  if (line.state.kind === "waiting") {
    return (
      <>
        <First shape="half">not sent yet</First>
        <span class="reason">goes out, once, when the connection is back</span>
      </>
    );
  }
  return <First shape="half">{line.state.kind === "kept" ? "sent" : "sending"}</First>;
}

function Refused({ page, line, trouble }: { readonly page: Page; readonly line: UnsentLine; readonly trouble: Trouble }): JSX.Element {
  const leftMs = trouble.retryAtMs === null ? 0 : trouble.retryAtMs - page.nowMs.value;
  const takeBack = (): void => {
    const key = keyOf(line.place);
    const draft = page.view.drafts.peek()[key] ?? "";
    writeDraft(page.view, key, draft === "" ? line.text : `${line.text}\n${draft}`);
    page.session.takeBack(line.clientLineId);
  };
  return (
    <>
      <First shape="bar">not sent</First>
      <span class="reason">{refusal(trouble)}</span>
      <span class="row">
        {leftMs > 0 ? (
          <span>again in {stretch(leftMs + 999)}</span>
        ) : (
          <button class="link" type="button" onClick={() => page.session.sayAgain(line.clientLineId)}>
            Send again
          </button>
        )}
        <button class="link" type="button" onClick={takeBack}>
          Back into the box
        </button>
      </span>
    </>
  );
}

function refusal(trouble: Trouble): string {
  if (trouble.code === "too_many") return "too many lines in a short time";
  return trouble.code === "too_large" ? "it is too long" : `${trouble.message} (${trouble.code})`;
}
