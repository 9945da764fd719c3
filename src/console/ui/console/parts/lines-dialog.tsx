import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { LinesAnswer } from "../../../../observe/lines-operation.ts";
import type { PersonEntry } from "../../../../observe/people-operation.ts";
import { Said } from "../../parts/line.tsx";
import { clockTime, dayName, isoTime } from "../../words/times.ts";
import { isLines } from "../state/answers.ts";
import type { House } from "../state/house.ts";
import type { Told } from "../state/operations-client.ts";
import { count } from "../words/numbers.ts";
import { personName } from "../words/person-words.ts";
import { characterName } from "../words/places.ts";
import { when } from "../words/when.ts";
import { Dialog } from "./dialog.tsx";

interface LinesDialogProps {
  readonly house: House;
  readonly person: PersonEntry;
  readonly character: string;
}

type Line = LinesAnswer["lines"][number];

/** What was opened so far: pages of lines, oldest first, or why there is none. */
type Opened =
  | { readonly kind: "closed" }
  | { readonly kind: "opening"; readonly lines: readonly Line[] }
  | { readonly kind: "open"; readonly lines: readonly Line[]; readonly more: boolean; readonly times: number }
  | { readonly kind: "failed"; readonly lines: readonly Line[]; readonly code: string; readonly message: string };

/** A person's private lines. Nothing is read before the operator opens them, and each opening is in the audit (TR-091). */
export function LinesDialog({ house, person, character: first }: LinesDialogProps): JSX.Element {
  const [character, setCharacter] = useState(first);
  const [opened, setOpened] = useState<Opened>({ kind: "closed" });
  const known = house.status.seen.value.value;
  const name = personName(person, null);
  const read = (lines: readonly Line[]): void => {
    const oldest = lines[0]?.number;
    setOpened({ kind: "opening", lines });
    const args = { person: person.id, character, ...(oldest === undefined ? {} : { before: oldest }) };
    house.act({ name: "lines", args }, isLines, (told) => {
      setOpened(openedBy(told, lines));
      house.people.ask();
    });
  };
  return (
    <Dialog
      id="lines-dialog"
      title={`${name} and ${characterName(character, known)}, alone`}
      isWide
      onClose={() => {
        house.ask.value = null;
      }}
    >
      <Characters
        person={person}
        chosen={character}
        nameOf={(id) => characterName(id, known)}
        onChoose={(id) => {
          setCharacter(id);
          setOpened({ kind: "closed" });
        }}
      />
      {opened.kind === "closed" ? (
        <BeforeOpening house={house} person={person} onOpen={() => read([])} />
      ) : (
        <>
          <Opening opened={opened} onOlder={() => read(opened.lines)} />
          <div class="row">
            <button class="btn" type="button" onClick={() => (house.ask.value = null)}>
              Close
            </button>
          </div>
        </>
      )}
    </Dialog>
  );
}

function openedBy(told: Told<LinesAnswer>, before: readonly Line[]): Opened {
  if (told.kind === "failed") return { ...told, lines: before };
  const { lines, more, openedTimes } = told.value;
  return { kind: "open", lines: [...lines, ...before], more, times: openedTimes };
}

function Characters(props: {
  readonly person: PersonEntry;
  readonly chosen: string;
  readonly nameOf: (id: string) => string;
  readonly onChoose: (id: string) => void;
}): JSX.Element | null {
  if (props.person.privateLines.length < 2) return null;
  return (
    <div class="tabs" role="group" aria-label="With whom">
      {props.person.privateLines.map(({ character }) => (
        <button key={character} type="button" aria-pressed={character === props.chosen} onClick={() => props.onChoose(character)}>
          {props.nameOf(character)}
        </button>
      ))}
    </div>
  );
}

function BeforeOpening({
  house,
  person,
  onOpen,
}: {
  readonly house: House;
  readonly person: PersonEntry;
  readonly onOpen: () => void;
}): JSX.Element {
  const { opened } = person;
  const nowMs = house.page.value.nowMs.value;
  return (
    <>
      <p>
        They said this where nobody else reads. Opening it is noted in the audit with your name and the time, and counted. Everyone is told
        that you can: “/privacy” says so.
      </p>
      <p class="dim">
        {opened === null ? "Never opened before." : `Opened ${count(opened.times, "time")}, last ${when(opened.lastAtMs, nowMs)}.`}
      </p>
      <div class="row">
        <button class="btn btn--go" type="button" aria-disabled={!house.isLive} onClick={() => (house.isLive ? onOpen() : undefined)}>
          Open and note it
        </button>
        <button class="btn" type="button" onClick={() => (house.ask.value = null)}>
          Leave it closed
        </button>
      </div>
    </>
  );
}

function Opening({ opened, onOlder }: { readonly opened: Exclude<Opened, { kind: "closed" }>; readonly onOlder: () => void }): JSX.Element {
  return (
    <>
      <p class="dim" role="status">
        {opened.kind === "opening" ? "Noting it, then reading" : ""}
        {opened.kind === "open" ? `Noted in the audit. Opened ${count(opened.times, "time")} in all.` : ""}
        {opened.kind === "failed" ? opened.message : ""} {opened.kind === "failed" ? <code>{opened.code}</code> : null}
      </p>
      {opened.kind === "open" && opened.lines.length === 0 ? <p>Nothing is kept of them.</p> : null}
      <div class="script script--paper" role="region" aria-label="Lines" tabIndex={0}>
        {opened.kind === "open" && opened.more ? (
          <p class="lines__more">
            <button class="btn" type="button" onClick={onOlder}>
              Open earlier lines and note it
            </button>
          </p>
        ) : null}
        <ol class="lines">
          {opened.lines.map((line, index) => (
            <PaperLine key={line.number} line={line} before={opened.lines[index - 1]} />
          ))}
        </ol>
      </div>
    </>
  );
}

function PaperLine({ line, before }: { readonly line: Line; readonly before: Line | undefined }): JSX.Element {
  const isNewDay = before === undefined || dayName(before.atMs) !== dayName(line.atMs);
  return (
    <>
      {isNewDay ? (
        <li class="line line--day">
          <p class="line__said">{dayName(line.atMs)}</p>
        </li>
      ) : null}
      <li class="line">
        <time class="line__time" dateTime={isoTime(line.atMs)}>
          {clockTime(line.atMs)}
        </time>
        <p class={line.by === "character" ? "line__who line__who--character" : "line__who"}>{line.name}</p>
        <Said action={line.action} text={line.text} />
      </li>
    </>
  );
}
