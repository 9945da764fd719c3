import type { JSX } from "preact";
import type { PeopleAnswer, PersonEntry } from "../../../../observe/people-operation.ts";
import { KnownPart } from "../parts/known.tsx";
import { Empty, PageFrame } from "../parts/page-frame.tsx";
import { Group, Table } from "../parts/table.tsx";
import type { Column } from "../parts/table.tsx";
import type { House } from "../state/house.ts";
import { useWatch } from "../state/use-watch.ts";
import { number } from "../words/numbers.ts";
import { PersonRow } from "./person-row.tsx";

const EVERY_MS = 10_000;

const COLUMNS: readonly Column[] = [
  { name: "Name" },
  { name: "Account" },
  { name: "Last heard" },
  { name: "Replies today" },
  { name: "Said today", isNumber: true },
  { name: "Cost today", isNumber: true },
  { name: "Change", isNumber: true },
];

interface RoleGroup {
  readonly role: PersonEntry["role"];
  readonly title: string;
  readonly note: string;
}

const GROUPS: readonly RoleGroup[] = [
  { role: "operator", title: "Operators", note: "set in troupe.yaml, can’t be changed here" },
  { role: "trusted", title: "Trusted", note: "your list; answered where a place says trusted" },
  { role: "guest", title: "Guests", note: "everyone else; answered where they are addressed" },
  { role: "blocked", title: "Blocked", note: "not heard, and not told so" },
];

/** Who is here or was lately, what they may do, and the acts that change it. */
export function PeoplePage({ house }: { readonly house: House }): JSX.Element {
  return (
    <PageFrame title="People" sub="Who may do what. A person is an account’s fixed id, never a name." command="troupe people">
      <Filter house={house} people={house.people.seen.value.value} />
      <KnownPart watch={house.people} everyMs={EVERY_MS} waiting="Reading who is here" failed="Can’t read who is here.">
        {(people) => <PeopleTable house={house} people={people} />}
      </KnownPart>
    </PageFrame>
  );
}

function Filter({ house, people }: { readonly house: House; readonly people: PeopleAnswer | null }): JSX.Element {
  return (
    <div class="filter">
      <div>
        <label for="find-person">
          Find a name or an id <kbd class="key">/</kbd>
        </label>
        <input
          id="find-person"
          type="search"
          autocomplete="off"
          spellcheck={false}
          value={house.find.value}
          onInput={(event) => {
            house.find.value = event.currentTarget.value;
            house.people.ask();
          }}
        />
      </div>
      <p class="dim" role="status">
        {people === null ? "" : tally(people)}
      </p>
    </div>
  );
}

function tally({ counts, people, matched }: PeopleAnswer): string {
  const all = [
    `${number(counts.operator)} ${counts.operator === 1 ? "operator" : "operators"}`,
    `${number(counts.trusted)} trusted`,
    `${number(counts.guest)} ${counts.guest === 1 ? "guest" : "guests"}`,
    `${number(counts.blocked)} blocked`,
  ].join(", ");
  return matched > people.length ? `${all}. ${number(people.length)} of ${number(matched)} shown` : all;
}

function PeopleTable({ house, people }: { readonly house: House; readonly people: PeopleAnswer }): JSX.Element {
  const costs = useWatch(house.personCosts, EVERY_MS).value;
  if (people.people.length === 0) {
    return (
      <Empty lead="Nobody here has such a name or id." cure="Everybody heard in the last week is looked at, and everyone on a list." />
    );
  }
  const costOf = (id: string): number | null => costs?.rows.find(({ key }) => key === id)?.todayMicros ?? (costs === null ? null : 0);
  const groups = GROUPS.map((group) => ({ ...group, members: people.people.filter(({ role }) => role === group.role) }));
  return (
    <Table caption="People by role" stacks columns={COLUMNS}>
      {groups
        .filter(({ members }) => members.length > 0)
        .map(({ role, title, note, members }) => (
          <Group key={role} title={title} note={note} span={COLUMNS.length}>
            {members.map((person) => (
              <PersonRow
                key={person.id}
                house={house}
                person={person}
                repliesPerDay={people.repliesPerDay}
                costMicros={costOf(person.id)}
              />
            ))}
          </Group>
        ))}
    </Table>
  );
}
