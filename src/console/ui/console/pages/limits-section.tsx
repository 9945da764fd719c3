import type { JSX } from "preact";
import type { BudgetRow, BudgetsAnswer } from "../../../../observe/budgets-operation.ts";
import { moneyText } from "../../../../vocabulary/money-text.ts";
import { Meter } from "../parts/meter.tsx";
import { Section } from "../parts/page-frame.tsx";
import { Cell, Group, Row, Table } from "../parts/table.tsx";
import type { Column } from "../parts/table.tsx";
import type { House } from "../state/house.ts";
import { number } from "../words/numbers.ts";
import { surfaceTitle } from "../words/places.ts";
import { when } from "../words/when.ts";

const COLUMNS: readonly Column[] = [
  { name: "Limit" },
  { name: "Used" },
  { name: "Set aside", isNumber: true },
  { name: "Begins anew", isNumber: true },
  { name: "Set by" },
];

interface LimitsProps {
  readonly house: House;
  readonly budgets: BudgetsAnswer;
}

/** Each limit with what is used, what is set aside, when it begins anew, and the key that sets it. */
export function LimitsSection({ house, budgets }: LimitsProps): JSX.Element {
  const shown = budgets.budgets.filter(({ limit, used, reserved }) => limit !== null || used + reserved > 0);
  const spaces = [...new Set(shown.map(({ surface }) => surface))];
  const known = house.status.seen.value.value;
  return (
    <Section id="limits-h" title="Limits in force">
      {shown.length === 0 ? (
        <p class="dim">No limit of the day is set. They stand under “budgets” in troupe.yaml.</p>
      ) : (
        <Table caption="Limits, use, and the key that sets each" stacks columns={COLUMNS}>
          {spaces.map((space) => (
            <Group key={space ?? ""} title={space === null ? "In all" : surfaceTitle(space, known)} span={COLUMNS.length}>
              {shown
                .filter(({ surface }) => surface === space)
                .map((row) => (
                  <LimitRow key={`${row.key} ${row.surface}`} row={row} nowMs={budgets.atMs} />
                ))}
            </Group>
          ))}
        </Table>
      )}
    </Section>
  );
}

function LimitRow({ row, nowMs }: { readonly row: BudgetRow; readonly nowMs: number }): JSX.Element {
  const shown = row.unit === "micros" ? moneyText : number;
  return (
    <Row
      head={
        <>
          {row.unit === "micros" ? "Money a day" : "Calls a day"}
          {row.state === "spent" ? <p class="was state--bad">used up: nothing more is asked</p> : null}
        </>
      }
    >
      <Cell label="Used">
        {row.limit === null ? (
          <span>
            {shown(row.used)} <span class="dim">no bound</span>
          </span>
        ) : (
          <Meter used={row.used} limit={row.limit} shown={shown(row.used)} shownLimit={shown(row.limit)} />
        )}
      </Cell>
      <Cell label="Set aside" isNumber>
        {row.reserved === 0 ? <span class="dim">nothing</span> : shown(row.reserved)}
      </Cell>
      <Cell label="Begins anew" isNumber>
        {when(row.resetsAtMs, nowMs)}
      </Cell>
      <Cell label="Set by">
        <code>{row.key}</code>
      </Cell>
    </Row>
  );
}
