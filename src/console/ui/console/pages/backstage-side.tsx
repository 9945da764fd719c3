import type { JSX } from "preact";
import type { KeptView } from "../../../../operations/approvals.ts";
import type { ScheduleView } from "../../../../operations/schedule.ts";
import type { SpentView } from "../../../../operations/sessions.ts";
import { moneyText } from "../../../../vocabulary/money-text.ts";
import { KnownPart } from "../parts/known.tsx";
import { isApprovals } from "../state/answers.ts";
import type { House } from "../state/house.ts";
import { useWatch } from "../state/use-watch.ts";
import { count, number } from "../words/numbers.ts";
import { characterName } from "../words/places.ts";
import { when } from "../words/when.ts";

const SCHEDULES_EVERY_MS = 15_000;
const COSTS_EVERY_MS = 15_000;
const MAX_KEPT = 12;
const MAX_SCHEDULES = 12;

/** Beside a session: what it came to, what was allowed for longer, what happens by the clock, and the way to stop all. */
export function BackstageSide({ house, session }: { readonly house: House; readonly session: string | null }): JSX.Element {
  return (
    <aside class="side" aria-label="Beside the sessions">
      <Spent house={house} session={session} />
      <Allowed house={house} />
      <Scheduled house={house} />
      <Everything house={house} />
    </aside>
  );
}

function Spent({ house, session }: { readonly house: House; readonly session: string | null }): JSX.Element {
  const costs = useWatch(house.personCosts, COSTS_EVERY_MS).value;
  const spent = house.backstage.history.seen.value.value?.spent ?? null;
  return (
    <section aria-labelledby="spent-h">
      <h2 id="spent-h">Spent</h2>
      <dl class="kv">
        {session === null || spent === null ? null : <SessionSpent spent={spent} />}
        <dt>Today, all in all</dt>
        <dd>{costs === null ? "…" : moneyText(costs.total.todayMicros)}</dd>
      </dl>
      <p class="was">
        <a href="#budgets">What days and models cost</a>
      </p>
    </section>
  );
}

function SessionSpent({ spent }: { readonly spent: SpentView }): JSX.Element {
  const isUnknown = spent.turns > 0 && spent.unpricedTurns === spent.turns;
  const money = isUnknown ? "unknown" : moneyText(spent.costMicros);
  return (
    <>
      <dt>This session</dt>
      <dd>{spent.unpricedTurns > 0 && !isUnknown ? `${money}, and ${count(spent.unpricedTurns, "turn")} of unknown price` : money}</dd>
      <dt>Turns</dt>
      <dd>{number(spent.turns)}</dd>
      <dt>Tokens in, out</dt>
      <dd>
        {number(spent.promptTokens)}, {number(spent.completionTokens)}
      </dd>
    </>
  );
}

function Allowed({ house }: { readonly house: House }): JSX.Element {
  const kept = house.backstage.approvals.seen.value.value?.kept ?? [];
  return (
    <section aria-labelledby="allowed-h">
      <h2 id="allowed-h">Allowed for longer</h2>
      {kept.length === 0 ? (
        <p class="dim">No answer counts beyond its call.</p>
      ) : (
        <ul class="facts">
          {kept.slice(0, MAX_KEPT).map((one) => (
            <KeptRow key={one.id} house={house} kept={one} />
          ))}
        </ul>
      )}
      {kept.length > MAX_KEPT ? <p class="was">{count(kept.length - MAX_KEPT, "more answer")}: troupe approvals kept</p> : null}
    </section>
  );
}

function KeptRow({ house, kept }: { readonly house: House; readonly kept: KeptView }): JSX.Element {
  const revoke = (): void => {
    if (!house.isLive) return;
    house.act({ name: "approvals", args: { act: "revoke", id: kept.id } }, isApprovals, (told) => {
      house.said.value = told.kind === "done" ? `Answer ${kept.number} counts no more.` : told.message;
      house.lookAgain();
    });
  };
  return (
    <li>
      <code>{kept.tool}</code>{" "}
      <span>
        {kept.scope === "always" ? "exactly that call, everywhere" : "exactly that call, in its session"}, {count(kept.usesLeft, "time")}{" "}
        until {when(kept.expiresAtMs, house.page.value.nowMs.value)}.
      </span>{" "}
      <button class="link" type="button" aria-disabled={!house.isLive} onClick={revoke}>
        Revoke<span class="vh"> answer {kept.number}</span>
      </button>
    </li>
  );
}

function Scheduled({ house }: { readonly house: House }): JSX.Element {
  return (
    <section aria-labelledby="scheduled-h">
      <h2 id="scheduled-h">By the clock</h2>
      <KnownPart
        watch={house.backstage.schedules}
        everyMs={SCHEDULES_EVERY_MS}
        waiting="Reading the schedules"
        failed="Can’t read the schedules."
      >
        {({ schedules }) =>
          schedules.length === 0 ? (
            <p class="dim">
              Nothing happens by the clock. Make it so: <code>troupe schedule add "weekdays 8:00" --say "Good morning."</code>
            </p>
          ) : (
            <>
              <ul class="facts">
                {schedules.slice(0, MAX_SCHEDULES).map((one) => (
                  <ScheduleRow key={one.id} house={house} schedule={one} />
                ))}
              </ul>
              {schedules.length > MAX_SCHEDULES ? (
                <p class="was">{number(schedules.length - MAX_SCHEDULES)} more: troupe schedule</p>
              ) : null}
            </>
          )
        }
      </KnownPart>
    </section>
  );
}

function ScheduleRow({ house, schedule }: { readonly house: House; readonly schedule: ScheduleView }): JSX.Element {
  const { rule, zone, next, words, does, may, character } = schedule;
  return (
    <li>
      <p>
        <b>{rule}</b> <span class="dim">{zone}</span>
      </p>
      <p class="facts__words">
        {does === "say"
          ? `${characterName(character, house.status.seen.value.value)} says: `
          : `${characterName(character, house.status.seen.value.value)} is told: `}
        “{words}”
      </p>
      <p class="dim">
        {next.length === 0 ? "Never again." : `Next: ${next.join(", then ")}.`}
        {may === null ? "" : ` May call ${may}.`}
      </p>
      <button
        class="link link--stop"
        type="button"
        aria-disabled={!house.isLive}
        onClick={() => house.isLive && (house.ask.value = { kind: "unschedule", schedule })}
      >
        Remove<span class="vh"> {rule}</span>
      </button>
    </li>
  );
}

/** The halt: from here it can be made, and only at the terminal undone (TR-073). */
function Everything({ house }: { readonly house: House }): JSX.Element {
  const isHalted = house.status.seen.value.value?.halted === true;
  return (
    <section aria-labelledby="halt-h">
      <h2 id="halt-h">Everything</h2>
      {isHalted ? (
        <p class="halted">
          <strong>Halted.</strong> Nothing begins until <code>troupe rearm</code> is said at this computer’s terminal.
        </p>
      ) : (
        <>
          <p class="dim">Ends every turn, message and question at once, and holds until you re-arm it at the terminal.</p>
          <button
            class="btn btn--stop"
            type="button"
            aria-haspopup="dialog"
            aria-disabled={!house.isLive}
            onClick={() => house.isLive && (house.ask.value = { kind: "halt" })}
          >
            Halt everything
          </button>
        </>
      )}
    </section>
  );
}
