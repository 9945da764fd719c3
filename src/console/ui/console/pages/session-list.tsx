import type { JSX } from "preact";
import type { QuestionView } from "../../../../operations/approvals.ts";
import type { SessionView } from "../../../../operations/sessions.ts";
import type { TurnView } from "../../../../operations/turns.ts";
import { Tag } from "../parts/tag.tsx";
import { SESSIONS_SHOWN } from "../state/backstage.ts";
import type { House } from "../state/house.ts";
import { hashOf } from "../state/route.ts";
import { doingWords, lineWords, questionTitle, sessionTitle } from "../words/backstage-words.ts";
import { count } from "../words/numbers.ts";
import { when } from "../words/when.ts";

interface SessionListProps {
  readonly house: House;
  readonly sessions: readonly SessionView[];
  readonly more: boolean;
  /** The session or question that is shown. */
  readonly shown: string | null;
}

/** The sessions, those in which a line goes on first; before them questions that belong to none. */
export function SessionList({ house, sessions, more, shown }: SessionListProps): JSX.Element {
  const { backstage } = house;
  const { mine } = backstage;
  const apart = mine.filter((one) => backstage.itemOf(one) === one.id);
  const current = sessions.filter((one) => one.current);
  const earlier = sessions.filter((one) => !one.current);
  return (
    <details class="list" open={!matchMedia("(max-width: 69.99em)").matches}>
      <summary>
        <h2>Sessions</h2>
        {mine.length === 0 ? null : (
          <span class="narrow">
            <Tag tone="cue">{count(mine.length, "waits", "wait")}</Tag>
          </span>
        )}
      </summary>
      {apart.length === 0 ? null : (
        <Group id="sl-asks" title="Waits for you">
          {apart.map((question) => (
            <QuestionRow key={question.id} question={question} isShown={question.id === shown} house={house} />
          ))}
        </Group>
      )}
      {current.length === 0 ? null : (
        <Group id="sl-now" title="Now">
          {current.map((session) => (
            <SessionRow key={session.id} house={house} session={session} isShown={session.id === shown} />
          ))}
        </Group>
      )}
      {earlier.length === 0 ? null : (
        <Group id="sl-old" title="Earlier">
          {earlier.map((session) => (
            <SessionRow key={session.id} house={house} session={session} isShown={session.id === shown} />
          ))}
        </Group>
      )}
      <Pager house={house} more={more} />
    </details>
  );
}

function Group({
  id,
  title,
  children,
}: {
  readonly id: string;
  readonly title: string;
  readonly children: readonly JSX.Element[];
}): JSX.Element {
  return (
    <>
      <h3 id={id}>{title}</h3>
      <ul aria-labelledby={id} data-rows>
        {children}
      </ul>
    </>
  );
}

function QuestionRow({
  question,
  isShown,
  house,
}: {
  readonly question: QuestionView;
  readonly isShown: boolean;
  readonly house: House;
}): JSX.Element {
  return (
    <li>
      <a href={hashOf({ page: "backstage", item: question.id })} data-row aria-current={isShown ? "true" : undefined}>
        <b>{questionTitle(question)}</b>
        <small>
          <Tag tone="cue">waits for you</Tag> since {when(question.askedAtMs, house.page.value.nowMs.value)}
        </small>
      </a>
    </li>
  );
}

function SessionRow({
  house,
  session,
  isShown,
}: {
  readonly house: House;
  readonly session: SessionView;
  readonly isShown: boolean;
}): JSX.Element {
  const known = house.status.seen.value.value;
  const turns = house.backstage.turnsIn(session.id);
  const carries = session.carries.length;
  return (
    <li>
      <a href={hashOf({ page: "backstage", item: session.id })} data-row aria-current={isShown ? "true" : undefined}>
        <b>{sessionTitle(session, known)}</b>
        <small>
          {turns.map((turn) => (
            <TurnTag key={`${turn.question}`} turn={turn} isLive={house.isLive} />
          ))}
          <span>
            {when(session.usedAtMs, house.page.value.nowMs.value)}, {count(session.entries, "entry", "entries")}
            <span class="vh">, {lineWords(session)}</span>
          </span>
          {carries === 0 ? null : <span class="carries">others’ words in it</span>}
        </small>
      </a>
    </li>
  );
}

/** Amber only while it is known to be so. */
function TurnTag({ turn, isLive }: { readonly turn: TurnView; readonly isLive: boolean }): JSX.Element {
  if (turn.doing === "waiting") return <Tag tone="cue">waits for an answer</Tag>;
  return isLive ? (
    <span class="tag tag--live" title={doingWords(turn)}>
      live
    </span>
  ) : (
    <Tag tone="off">last seen live</Tag>
  );
}

function Pager({ house, more }: { readonly house: House; readonly more: boolean }): JSX.Element | null {
  const { skip, sessions } = house.backstage;
  const go = (by: number): void => {
    skip.value = Math.max(0, skip.value + by);
    sessions.ask();
  };
  if (skip.value === 0 && !more) return null;
  return (
    <p class="row list__pager">
      {skip.value === 0 ? null : (
        <button class="link" type="button" onClick={() => go(-SESSIONS_SHOWN)}>
          Newer
        </button>
      )}
      {more ? (
        <button class="link" type="button" onClick={() => go(SESSIONS_SHOWN)}>
          Older
        </button>
      ) : null}
    </p>
  );
}
