import type { JSX } from "preact";
import type { BudgetsAnswer } from "../../../../observe/budgets-operation.ts";
import type { CostsAnswer } from "../../../../observe/costs-operation.ts";
import { moneyText } from "../../../../vocabulary/money-text.ts";
import { Lamp } from "../../parts/lamp.tsx";
import { clockTime } from "../../words/times.ts";
import { KnownPart } from "../parts/known.tsx";
import { Bar } from "../parts/meter.tsx";
import { PageFrame } from "../parts/page-frame.tsx";
import type { House } from "../state/house.ts";
import { useWatch } from "../state/use-watch.ts";
import { number } from "../words/numbers.ts";
import { CostsSection } from "./costs-section.tsx";
import { LimitsSection } from "./limits-section.tsx";

const EVERY_MS = 5_000;
const COSTS_EVERY_MS = 10_000;

/** What is left of the day's money and calls, and what models cost by whom, where and when. */
export function BudgetsPage({ house }: { readonly house: House }): JSX.Element {
  const resetsAtMs = house.budgets.seen.value.value?.budgets[0]?.resetsAtMs;
  const anew = resetsAtMs === undefined ? "" : ` All begin anew at ${clockTime(resetsAtMs)}.`;
  return (
    <PageFrame title="Budgets" sub={`Set aside before a call is made, so that no limit is overrun.${anew}`} command="troupe budgets">
      <KnownPart watch={house.budgets} everyMs={EVERY_MS} waiting="Reading the budgets" failed="Can’t read the budgets.">
        {(budgets) => (
          <>
            <Figures house={house} budgets={budgets} />
            <Unpriced budgets={budgets} />
            <LimitsSection house={house} budgets={budgets} />
          </>
        )}
      </KnownPart>
      <CostsSection house={house} everyMs={COSTS_EVERY_MS} />
    </PageFrame>
  );
}

function Figures({ house, budgets }: { readonly house: House; readonly budgets: BudgetsAnswer }): JSX.Element {
  const costs = useWatch(house.costs, COSTS_EVERY_MS).value;
  const inAll = (unit: "micros" | "calls"): BudgetsAnswer["budgets"][number] | undefined =>
    budgets.budgets.find((row) => row.surface === null && row.unit === unit);
  return (
    <dl class="figures">
      <Figure name="Spent on models today" budget={inAll("micros")} shown={moneyText} />
      <Figure name="Calls today" budget={inAll("calls")} shown={number} />
      <Sum name="In seven days" costs={costs} of={({ total }) => total.costMicros} note="of known prices" />
      <Sum name="A month at this pace" costs={costs} of={({ total }) => total.monthMicros} note="thirty days" />
    </dl>
  );
}

interface FigureProps {
  readonly name: string;
  readonly budget: BudgetsAnswer["budgets"][number] | undefined;
  readonly shown: (amount: number) => string;
}

function Figure({ name, budget, shown }: FigureProps): JSX.Element {
  const { used = 0, reserved = 0, limit = null } = budget ?? {};
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {shown(used)} <small>{limit === null ? "no bound" : `of ${shown(limit)}`}</small>
      </dd>
      <dd class="figures__note">{reserved === 0 ? "nothing set aside" : `${shown(reserved)} set aside`}</dd>
      {limit === null ? null : (
        <dd aria-hidden="true">
          <Bar used={used + reserved} limit={limit} />
        </dd>
      )}
    </div>
  );
}

function Sum({
  name,
  costs,
  of,
  note,
}: {
  readonly name: string;
  readonly costs: CostsAnswer | null;
  readonly of: (costs: CostsAnswer) => number;
  readonly note: string;
}): JSX.Element {
  // Summed by day the rows reach back a month.
  const isWeek = costs !== null && costs.by !== "day";
  const isMonth = name.startsWith("A month");
  return (
    <div>
      <dt>{isWeek || isMonth || costs === null ? name : "In thirty days"}</dt>
      <dd>{costs === null ? "…" : moneyText(of(costs))}</dd>
      <dd class="figures__note">{note}</dd>
    </div>
  );
}

function Unpriced({ budgets }: { readonly budgets: BudgetsAnswer }): JSX.Element | null {
  const { unpricedModels } = budgets;
  if (unpricedModels.length === 0) return null;
  return (
    <p class="unpriced">
      <Lamp shape="bar" /> <strong>A price is unknown:</strong>{" "}
      {unpricedModels.map((name) => (
        <code key={name}>{name} </code>
      ))}
      Only its calls are bounded. Write it under <code>models.hosts.*.models.*.price</code>.
    </p>
  );
}
