import type { JSX } from "preact";
import type { PersonEntry } from "../../../../observe/people-operation.ts";
import { moneyText } from "../../../../vocabulary/money-text.ts";
import { Meter } from "../parts/meter.tsx";
import { Cell, Row } from "../parts/table.tsx";
import { Tag } from "../parts/tag.tsx";
import type { Ask, House } from "../state/house.ts";
import { personName, shortId } from "../words/person-words.ts";
import { placeName } from "../words/places.ts";
import { when } from "../words/when.ts";

interface PersonRowProps {
  readonly house: House;
  readonly person: PersonEntry;
  readonly repliesPerDay: number;
  /** Null while it is not known. */
  readonly costMicros: number | null;
}

/** One person: who, when last heard, what they used today, and what can be changed. */
export function PersonRow({ house, person, repliesPerDay, costMicros }: PersonRowProps): JSX.Element {
  const isYou = person.id === house.page.value.room.value?.self.id;
  return (
    <Row
      head={
        <>
          {personName(person, isYou ? (house.page.value.room.value?.self.name ?? null) : null)} {isYou ? <Tag>you</Tag> : null}
          {person.invited === null ? null : <Tag>invited</Tag>}
        </>
      }
    >
      <Cell>
        <code class="account" title={person.id}>
          {shortId(person.id)}
        </code>
      </Cell>
      <Cell label="Last heard">
        <LastHeard house={house} person={person} />
      </Cell>
      <Cell label="Replies today">
        <Meter used={person.repliesToday} limit={repliesPerDay} />
      </Cell>
      <Cell label="Said today" isNumber>
        {person.heardToday}
      </Cell>
      <Cell label="Cost today" isNumber>
        {costMicros === null ? <span class="dim">…</span> : moneyText(costMicros)}
      </Cell>
      <Cell isNumber>
        <Acts house={house} person={person} />
      </Cell>
    </Row>
  );
}

function LastHeard({ house, person }: Pick<PersonRowProps, "house" | "person">): JSX.Element {
  const nowMs = house.page.value.nowMs.value;
  if (person.role === "blocked" && person.blockedUntilMs !== null) {
    return <>blocked until {when(person.blockedUntilMs, nowMs)}</>;
  }
  if (person.lastHeardAtMs === null) return <span class="dim">not in the last week</span>;
  const place = person.lastPlace === null ? "" : `, ${placeName(person.lastPlace, house.status.seen.value.value)}`;
  return (
    <>
      {when(person.lastHeardAtMs, nowMs)}
      {place}
    </>
  );
}

interface Act {
  readonly ask: Ask;
  readonly name: string;
  readonly isStop?: boolean;
}

function Acts({ house, person }: Pick<PersonRowProps, "house" | "person">): JSX.Element {
  const acts = actsOf(person);
  return (
    <div class="acts">
      {person.role === "operator" ? <span class="dim">set in config</span> : null}
      {acts.map(({ ask, name, isStop }) => (
        <button
          key={name}
          class={isStop === true ? "link link--stop" : "link"}
          type="button"
          aria-disabled={!house.isLive}
          aria-haspopup="dialog"
          onClick={() => {
            if (house.isLive) house.ask.value = ask;
          }}
        >
          {name}
          <span class="vh"> {personName(person, null)}</span>
        </button>
      ))}
    </div>
  );
}

function actsOf(person: PersonEntry): readonly Act[] {
  const [line] = person.privateLines;
  const lines: readonly Act[] =
    line === undefined ? [] : [{ ask: { kind: "lines", person, character: line.character }, name: "Private lines" }];
  if (person.role === "operator") return lines;
  const trust: readonly Act[] =
    person.role === "trusted"
      ? [{ ask: { kind: "untrust", person }, name: "Untrust" }]
      : person.role === "guest" && person.trustable
        ? [{ ask: { kind: "trust", person }, name: "Trust" }]
        : [];
  const block: Act =
    person.role === "blocked" ? { ask: { kind: "unblock", person }, name: "Unblock" } : { ask: { kind: "block", person }, name: "Block" };
  return [...lines, ...trust, block, { ask: { kind: "forget", person }, name: "Forget", isStop: true }];
}
