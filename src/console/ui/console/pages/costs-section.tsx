import type { JSX } from "preact";
import type { CostRow, Costs, CostsAnswer } from "../../../../observe/costs-operation.ts";
import { moneyText } from "../../../../vocabulary/money-text.ts";
import { KnownPart } from "../parts/known.tsx";
import { Section } from "../parts/page-frame.tsx";
import { Cell, Group, Row, Table } from "../parts/table.tsx";
import type { House } from "../state/house.ts";
import { number } from "../words/numbers.ts";
import { shortId } from "../words/person-words.ts";
import { characterName, surfaceTitle } from "../words/places.ts";

const KEYS: readonly { readonly by: CostsAnswer["by"]; readonly name: string }[] = [
  { by: "space", name: "Space" },
  { by: "person", name: "Person" },
  { by: "character", name: "Character" },
  { by: "model", name: "Model" },
  { by: "day", name: "Day" },
];

/** What models cost, summed as one likes. */
export function CostsSection({ house, everyMs }: { readonly house: House; readonly everyMs: number }): JSX.Element {
  const by = house.costsBy.value;
  return (
    <Section id="costs-h" title="Costs" note={<code>troupe costs --by {by}</code>}>
      <div class="tabs" role="group" aria-label="Summed by">
        {KEYS.map((key) => (
          <button
            key={key.by}
            type="button"
            aria-pressed={key.by === by}
            onClick={() => {
              house.costsBy.value = key.by;
              house.costs.ask();
            }}
          >
            {key.name}
          </button>
        ))}
      </div>
      <KnownPart watch={house.costs} everyMs={everyMs} waiting="Adding up" failed="Can’t read the costs.">
        {(costs) => <CostsTable house={house} costs={costs} />}
      </KnownPart>
    </Section>
  );
}

function CostsTable({ house, costs }: { readonly house: House; readonly costs: CostsAnswer }): JSX.Element {
  if (costs.rows.length === 0)
    return <p class="costs__none">No model was asked in this time. The understudy asks none and costs nothing.</p>;
  const isByDay = costs.by === "day";
  const money = isByDay ? ["Cost"] : ["Today", "7 days", "A month"];
  const columns = [{ name: "By" }, ...["Calls", "Tokens in", "Out", ...money].map((name) => ({ name, isNumber: true }))];
  return (
    <>
      <Table caption={`Costs by ${costs.by}`} stacks columns={columns}>
        <Group>
          {costs.rows.map((row) => (
            <CostsRow key={row.key} head={<Key house={house} by={costs.by} row={row} />} row={row} isByDay={isByDay} />
          ))}
          <CostsRow head="All" row={costs.total} isByDay={isByDay} />
        </Group>
      </Table>
      <CostsNotes costs={costs} />
    </>
  );
}

function Key({ house, by, row }: { readonly house: House; readonly by: CostsAnswer["by"]; readonly row: CostRow }): JSX.Element {
  const known = house.status.seen.value.value;
  if (by === "space") return <>{surfaceTitle(row.key, known)}</>;
  if (by === "character") return <>{characterName(row.key, known)}</>;
  if (by === "day") return <>{row.key}</>;
  if (by === "model") return <code>{row.key}</code>;
  return (
    <>
      {row.name ?? shortId(row.key)} {row.name === null ? null : <code class="account">{shortId(row.key)}</code>}
    </>
  );
}

function CostsRow({
  head,
  row,
  isByDay,
}: {
  readonly head: JSX.Element | string;
  readonly row: Costs;
  readonly isByDay: boolean;
}): JSX.Element {
  const isUnknown = row.calls > 0 && row.unpricedCalls === row.calls;
  const money = (micros: number): string => (isUnknown ? "unknown" : moneyText(micros));
  const amounts: readonly (readonly [string, string])[] = [
    ["Calls", number(row.calls)],
    ["Tokens in", number(row.promptTokens)],
    ["Out", number(row.completionTokens)],
    ...(isByDay
      ? ([["Cost", money(row.costMicros)]] as const)
      : ([
          ["Today", money(row.todayMicros)],
          ["7 days", money(row.costMicros)],
          ["A month", money(row.monthMicros)],
        ] as const)),
  ];
  return (
    <Row head={head}>
      {amounts.map(([name, amount]) => (
        <Cell key={name} label={name} isNumber>
          {amount}
        </Cell>
      ))}
    </Row>
  );
}

function CostsNotes({ costs }: { readonly costs: CostsAnswer }): JSX.Element {
  const { total, left } = costs;
  const notes = [
    costs.by === "day" ? "" : "A month is thirty days at the pace of the last seven.",
    left === 0 ? "" : `${number(left)} more rows are not shown.`,
    total.unconfirmedMicros === 0
      ? ""
      : `${moneyText(total.unconfirmedMicros)} more is set aside for calls that did not say what they came to.`,
    total.unpricedCalls === 0
      ? ""
      : `${number(total.unpricedCalls)} calls went to models whose price is unknown: their money is in no sum.`,
  ].filter((note) => note !== "");
  return <p class="was costs__notes">{notes.join(" ")}</p>;
}
