import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { SessionView as Session } from "../../../../operations/sessions.ts";
import type { TurnView } from "../../../../operations/turns.ts";
import { Lamp } from "../../parts/lamp.tsx";
import { stretch } from "../../words/times.ts";
import { Trouble, Waiting } from "../parts/known.tsx";
import { Empty } from "../parts/page-frame.tsx";
import type { House } from "../state/house.ts";
import { useWatch } from "../state/use-watch.ts";
import { doingWords, lineWords, sessionTitle, whoseWords } from "../words/backstage-words.ts";
import { bytes, count, listed } from "../words/numbers.ts";
import { when } from "../words/when.ts";
import { AskCard } from "./ask-card.tsx";
import { BackstageHead } from "./backstage-head.tsx";
import { Entries } from "./session-entries.tsx";
import { SessionSay } from "./session-say.tsx";

const EVERY_MS = 1_000;
const MAX_CHIPS = 8;
/** So near to the end counts as there. */
const NEAR_PIXELS = 48;

interface SessionProps {
  readonly house: House;
  readonly id: string;
  /** As the list has it; null where it stands on another page of it. */
  readonly listed: Session | null;
}

/** One session: whose line it is, whose words it carries, what was said and done, what it is at, what it asks. */
export function SessionView({ house, id, listed: fromList }: SessionProps): JSX.Element {
  const { backstage } = house;
  const seen = useWatch(backstage.history, EVERY_MS);
  const session = seen.value?.sessions.find((one) => one.id === id) ?? fromList;
  if (session === null && seen.trouble?.code === "not_found") return <Gone id={id} />;
  return (
    <>
      {session === null ? <BackstageHead title="Backstage" sub={<code>{id}</code>} /> : <SessionHead house={house} session={session} />}
      <div class="chips-area">{session === null ? null : <Chips house={house} session={session} />}</div>
      <Script house={house} id={id} session={session}>
        <Trouble seen={seen} failed="Can’t read this session." onAgain={() => backstage.history.ask()} />
        {seen.value === null && seen.trouble === null ? <Waiting words="Reading what was said" /> : null}
      </Script>
      {session === null ? null : <SessionSay house={house} session={session} />}
    </>
  );
}

function Gone({ id }: { readonly id: string }): JSX.Element {
  return (
    <>
      <BackstageHead title="Backstage" sub={<code>{id}</code>} />
      <Empty lead="This session is not kept any more." cure={<a href="#backstage">Show what there is</a>} />
    </>
  );
}

function SessionHead({ house, session }: { readonly house: House; readonly session: Session }): JSX.Element {
  const known = house.status.seen.value.value;
  const nowMs = house.page.value.nowMs.value;
  const from = session.parent === null ? "" : `, goes on from ${session.parent}`;
  return (
    <BackstageHead
      title={sessionTitle(session, known)}
      sub={
        <>
          <code>{session.id}</code>, {lineWords(session)}, {session.current ? "in use" : "rests"}, last used {when(session.usedAtMs, nowMs)}
          , {count(session.entries, "entry", "entries")}, {bytes(session.bytes)}
          {from}
        </>
      }
      note={
        session.carries.length === 0 ? null : (
          <p class="head__note">
            {listed(session.carries.slice(0, 2).map(({ whose }) => whoseWords(whose)))}
            {session.carries.length > 2 ? ` and ${session.carries.length - 2} more` : ""} may have shaped it, so{" "}
            <strong>whatever changes something asks first</strong>.
          </p>
        )
      }
    />
  );
}

/** Whose words it carries, and since when (SE-091). */
function Chips({ house, session }: { readonly house: House; readonly session: Session }): JSX.Element | null {
  const { carries } = session;
  if (carries.length === 0) return null;
  const nowMs = house.page.value.nowMs.value;
  return (
    <>
      <h2 class="vh">Whose words it carries</h2>
      <ul class="chips">
        {carries.slice(0, MAX_CHIPS).map(({ whose, sinceMs }) => (
          <li key={whose} class="chip">
            <Lamp shape="half" />
            <span>{whoseWords(whose)}</span> <span class="dim">since {when(sinceMs, nowMs)}</span>
          </li>
        ))}
        {carries.length > MAX_CHIPS ? <li class="chip">{carries.length - MAX_CHIPS} more</li> : null}
        <li class="dim">
          <code>/clean</code> leaves them behind
        </li>
      </ul>
    </>
  );
}

interface ScriptProps {
  readonly house: House;
  readonly id: string;
  readonly session: Session | null;
  readonly children: (JSX.Element | null)[];
}

function Script({ house, id, session, children }: ScriptProps): JSX.Element {
  const { backstage } = house;
  const { entries } = backstage;
  const first = entries[0]?.seq ?? 1;
  const running = backstage.turnsIn(id).filter(({ doing }) => doing !== "waiting");
  const asked = backstage.askedIn(id);
  const name = session === null ? "agent" : sessionTitle(session, house.status.seen.value.value);
  const box = useEnd(`${entries.at(-1)?.seq ?? 0} ${running.length} ${asked.length}`);
  return (
    <div class="script" role="log" aria-label="What was said and done" tabIndex={0} ref={box}>
      {children}
      {first <= 1 ? null : (
        <p class="lines__more">
          <button class="link" type="button" onClick={() => backstage.readOlder(first)}>
            Earlier entries
          </button>
          <span>{count(first - 1, "entry", "entries")} before these</span>
        </p>
      )}
      <ol class="lines" data-rows>
        <Entries house={house} entries={entries} session={session} id={id} />
        {running.map((turn) => (
          <LiveRow key="live" house={house} turn={turn} name={name} />
        ))}
      </ol>
      {asked.map((question) => (
        <AskCard key={question.id} house={house} question={question} />
      ))}
    </div>
  );
}

/** Keeps the end in view while it is in view. */
function useEnd(mark: string): { current: HTMLDivElement | null } {
  const box = useRef<HTMLDivElement>(null);
  const wasAtEnd = useRef(true);
  const element = box.current;
  if (element !== null) wasAtEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_PIXELS;
  useLayoutEffect(() => {
    if (wasAtEnd.current && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [mark]);
  return box;
}

/** What it is at now; amber only while that is known. */
function LiveRow({ house, turn, name }: { readonly house: House; readonly turn: TurnView; readonly name: string }): JSX.Element {
  const { seen } = house.backstage.turns;
  const { value, atMs } = seen.value;
  const sinceMs = (value?.nowMs ?? 0) - turn.sinceMs + Math.max(0, house.page.value.nowMs.value - (atMs ?? 0));
  const isLive = house.isLive;
  return (
    <li class={isLive ? "line line--live line--thinking" : "line line--thinking"} aria-busy={isLive}>
      <p class="line__who line__who--character">{name}</p>
      <p class="line__said">
        {isLive ? "" : "last seen: "}
        {doingWords(turn)}
      </p>
      <p class="line__cue">
        <span class="first">
          <Lamp shape={isLive ? "live" : "off"} /> <span aria-live="off">{stretch(sinceMs)}</span>
        </span>
        <span class="reason">
          {turn.requests === null || turn.requests === 0 ? "" : `${count(turn.requests, "answer")} of the model so far`}
        </span>
      </p>
    </li>
  );
}
