import { useSignalEffect } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { QuestionView } from "../../../../operations/approvals.ts";
import type { SessionView } from "../../../../operations/sessions.ts";
import { Trouble, Waiting } from "../parts/known.tsx";
import { Empty } from "../parts/page-frame.tsx";
import type { House } from "../state/house.ts";
import { useWatch } from "../state/use-watch.ts";
import { AskCard } from "./ask-card.tsx";
import { BackstageHead } from "./backstage-head.tsx";
import { BackstageSide } from "./backstage-side.tsx";
import { SessionList } from "./session-list.tsx";
import { SessionView as Shown } from "./session-view.tsx";

/** How often is asked what agents are at, what waits, and which sessions there are; a line that comes in asks at once. */
const TURNS_EVERY_MS = 1_000;
const QUESTIONS_EVERY_MS = 2_000;
const SESSIONS_EVERY_MS = 4_000;

/** What is shown in the middle. */
type Chosen =
  | { readonly kind: "session"; readonly id: string }
  | { readonly kind: "question"; readonly question: QuestionView }
  | { readonly kind: "gone" | "none" };

/** Behind the stage: what agents do, what they ask, what they came to; and the ways to answer, to steer and to stop. */
export function BackstagePage({ house }: { readonly house: House }): JSX.Element {
  const { backstage } = house;
  const seen = useWatch(backstage.sessions, SESSIONS_EVERY_MS);
  const approvals = useWatch(backstage.approvals, QUESTIONS_EVERY_MS);
  useWatch(backstage.turns, TURNS_EVERY_MS);
  useNudges(house);
  const sessions = seen.value?.sessions ?? [];
  const chosen = useChosen(house, sessions);
  const id = chosen.kind === "session" ? chosen.id : null;
  useEffect(() => backstage.show(id), [backstage, id]);
  return (
    <section class="view view--back backstage" aria-labelledby="page-h">
      <SessionList house={house} sessions={sessions} more={seen.value?.more ?? false} shown={shownItem(chosen)} />
      <div class="backstage__troubles">
        <Trouble seen={seen} failed="Can’t read the sessions." onAgain={() => backstage.sessions.ask()} />
        <Trouble seen={approvals} failed="Can’t read what waits for an answer." onAgain={() => backstage.approvals.ask()} />
        <Refused house={house} />
        {seen.value === null && seen.trouble === null ? <Waiting words="Reading the sessions" /> : null}
      </div>
      <Middle house={house} chosen={chosen} sessions={sessions} />
      <BackstageSide house={house} session={id} />
    </section>
  );
}

function Middle({
  house,
  chosen,
  sessions,
}: {
  readonly house: House;
  readonly chosen: Chosen;
  readonly sessions: readonly SessionView[];
}): JSX.Element {
  switch (chosen.kind) {
    case "session":
      return <Shown key={chosen.id} house={house} id={chosen.id} listed={sessions.find(({ id }) => id === chosen.id) ?? null} />;
    case "question":
      return <Question key={chosen.question.id} house={house} question={chosen.question} />;
    case "gone":
    case "none":
      return <Nothing isGone={chosen.kind === "gone"} isRead={house.backstage.isRead} />;
  }
}

function shownItem(chosen: Chosen): string | null {
  return chosen.kind === "session" ? chosen.id : chosen.kind === "question" ? chosen.question.id : null;
}

/** What is named; without a name where somebody is waited for, else what was used last, as it was when the page opened: what is read does not change by itself. */
function useChosen(house: House, sessions: readonly SessionView[]): Chosen {
  const { backstage } = house;
  const first = useRef<string | null>(null);
  if (backstage.isRead) first.current ??= firstItem(house, sessions);
  const wanted = house.route.value.item ?? first.current;
  if (wanted === null) return { kind: "none" };
  if (!wanted.startsWith("a-")) return { kind: "session", id: wanted };
  const question = backstage.question(wanted);
  return question === null ? { kind: backstage.isRead ? "gone" : "none" } : { kind: "question", question };
}

function firstItem({ backstage }: House, sessions: readonly SessionView[]): string | null {
  const [waits] = backstage.mine;
  return waits === undefined ? (sessions[0]?.id ?? null) : backstage.itemOf(waits);
}

/** Whatever happens on the stage may be a turn's doing: then all is asked for at once instead of in its time. */
function useNudges({ page, backstage }: House): void {
  useSignalEffect(() => {
    if (page.value.stage.value.link.kind === "live")
      for (const watch of [backstage.turns, backstage.approvals, backstage.history]) watch.ask();
  });
}

/** An answer that did not count: its card may be gone by now, so it is told here. */
function Refused({ house }: { readonly house: House }): JSX.Element {
  const words = house.backstage.refused.value;
  return (
    <div role="alert" class="trouble">
      {words === "" ? null : (
        <p>
          <strong>Nothing was answered.</strong> {words}{" "}
          <button class="link" type="button" onClick={() => (house.backstage.refused.value = "")}>
            Put aside
          </button>
        </p>
      )}
    </div>
  );
}

function Question({ house, question }: { readonly house: House; readonly question: QuestionView }): JSX.Element {
  return (
    <>
      <BackstageHead title={`Question ${question.number}`} sub="It belongs to no session of an agent: a program or a place asks." />
      <div class="script" tabIndex={0} role="region" aria-label="What is asked">
        <AskCard house={house} question={question} />
      </div>
    </>
  );
}

function Nothing({ isGone, isRead }: { readonly isGone: boolean; readonly isRead: boolean }): JSX.Element {
  return (
    <>
      <BackstageHead title="Backstage" sub="Where agents work: what they do, what they ask, what they came to." />
      {!isRead ? null : isGone ? (
        <Empty lead="This question waits no more." cure={<a href="#backstage">Show what there is</a>} />
      ) : (
        <Empty
          lead="No sessions yet."
          cure="One begins with what you say to a character in private, where a model takes tools. It may read at once; what changes or leaves the machine asks you first."
        />
      )}
    </>
  );
}
