import type { JSX } from "preact";
import type { StatusAnswer } from "../../../../observe/status.ts";
import { stretch } from "../../words/times.ts";
import { KnownPart } from "../parts/known.tsx";
import { PageFrame, Section } from "../parts/page-frame.tsx";
import type { House } from "../state/house.ts";
import { healthSentence } from "../words/health-words.ts";
import { bytes, number } from "../words/numbers.ts";
import { HealthHosts, HealthSurfaces } from "./health-connections.tsx";
import { HealthBoxes, HealthQueues } from "./health-work.tsx";
import { Notices } from "./health-notices.tsx";
import { PauseCard } from "./pause-card.tsx";

/** How often health is looked at while it is shown. */
const EVERY_MS = 2_000;

/** What runs, how it is, and the place where answering is stopped. */
export function HealthPage({ house }: { readonly house: House }): JSX.Element {
  const known = house.status.seen.value.value;
  return (
    <PageFrame title="Health" sub={known === null ? "What runs, and how it is." : healthSentence(known)} command="troupe status">
      <KnownPart watch={house.status} everyMs={EVERY_MS} waiting="Asking how everything is" failed="Can’t read how things are.">
        {(status) => <HealthBody house={house} status={status} />}
      </KnownPart>
    </PageFrame>
  );
}

function HealthBody({ house, status }: { readonly house: House; readonly status: StatusAnswer }): JSX.Element {
  return (
    <>
      <PauseCard house={house} status={status} />
      <HealthSurfaces status={status} />
      <div class="two">
        <HealthQueues status={status} />
        <HealthBoxes status={status} />
      </div>
      <HealthHosts status={status} />
      <div class="two">
        <Notices house={house} />
        <HealthStore status={status} />
      </div>
    </>
  );
}

function HealthStore({ status }: { readonly status: StatusAnswer }): JSX.Element {
  const { store } = status;
  return (
    <Section id="store-h" title="Store and process">
      <dl class="kv kv--start">
        <dt>Database</dt>
        <dd>
          {bytes(store.databaseBytes)}, journal {bytes(store.walBytes)}
        </dd>
        <dt>Commits</dt>
        <dd>{store.commits === 0 ? "none since the start" : `${number(store.commits)} since the start`}</dd>
        <dt>To the disk</dt>
        <dd>
          {store.commitP50Ms === null || store.commitP99Ms === null
            ? "not measured yet"
            : `half within ${ms(store.commitP50Ms)}, 99 of 100 within ${ms(store.commitP99Ms)}`}
        </dd>
        <dt>Memory</dt>
        <dd>{bytes(status.memoryBytes)}</dd>
        <dt>Process</dt>
        <dd>
          <code>{status.pid}</code>, version {status.version}, up {stretch(status.upMs)}
        </dd>
        <dt>State folder</dt>
        <dd>
          <code>{status.stateDirectory}</code>
        </dd>
      </dl>
    </Section>
  );
}

function ms(value: number): string {
  return value < 10 ? `${value.toFixed(1)} ms` : `${Math.round(value)} ms`;
}
