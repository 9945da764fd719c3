import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useErrorBoundary } from "preact/hooks";
import type { ConsolePart } from "../state/console-part.ts";
import { CONSOLE_KEYS, takeKey } from "./keys.ts";
import { BackstagePage } from "./pages/backstage-page.tsx";
import { BudgetsPage } from "./pages/budgets-page.tsx";
import { HealthPage } from "./pages/health-page.tsx";
import { PacketsPage } from "./pages/packets-page.tsx";
import { PeoplePage } from "./pages/people-page.tsx";
import { Asked } from "./parts/asked.tsx";
import { Empty } from "./parts/page-frame.tsx";
import { Rail } from "./parts/rail.tsx";
import { StageNotice } from "./parts/stage-notice.tsx";
import { PauseStrips } from "./parts/strips.tsx";
import type { HouseNeeds } from "./state/house.ts";
import { House } from "./state/house.ts";
import { OperationsClient } from "./state/operations-client.ts";
import type { OperationsClientNeeds } from "./state/operations-client.ts";
import type { Route } from "./state/route.ts";
import { STAGE_ROUTE, hashOf, routeOf } from "./state/route.ts";

/** What the operators' pages stand on. */
export type ConsoleNeeds = Omit<HouseNeeds, "client" | "route" | "onFailure"> & OperationsClientNeeds;

/** Open the operators' pages over the room's page. The address follows the page that is shown, and the other way round. */
export function openConsole(needs: ConsoleNeeds): ConsolePart {
  const route = signal<Route>(routeOf(location.hash) ?? STAGE_ROUTE);
  const onFailure = (error: unknown): void => {
    // A fault of the page's own: what is shown may be old, which the stage's link says too.
    house.said.value = "A part of this page has failed. Load it again.";
    throw error;
  };
  const house: House = new House({ ...needs, route, client: new OperationsClient(needs), onFailure });
  const follow = (): void => {
    const route = routeOf(location.hash);
    if (route !== null) house.route.value = route;
  };
  addEventListener("hashchange", follow);
  const unfollow = house.route.subscribe((route) => {
    const hash = hashOf(route);
    if (location.hash !== hash && !(route.page === "stage" && location.hash === "")) history.pushState(null, "", hash);
  });
  const awake = (): void => house.lookAgain();
  document.addEventListener("visibilitychange", awake);
  return {
    isStageShown: () => house.route.value.page === "stage",
    Rail: ({ isLit }) => <Rail house={house} isLit={isLit} />,
    Strips: () => <PauseStrips house={house} />,
    StageNotice: () => <StageNotice house={house} />,
    Stop: () => <Stop house={house} />,
    Shown: () => <Shown house={house} />,
    Over: () => <Over house={house} />,
    onKey: (event) => takeKey(house, event),
    keys: CONSOLE_KEYS,
    async [Symbol.asyncDispose]() {
      removeEventListener("hashchange", follow);
      document.removeEventListener("visibilitychange", awake);
      unfollow();
      await house[Symbol.asyncDispose]();
    },
  };
}

/** One page; what cannot be drawn says so in its place, and is tried anew with the next page. */
function Shown({ house }: { readonly house: House }): JSX.Element {
  return <Guarded key={house.route.value.page} house={house} />;
}

function Guarded({ house }: { readonly house: House }): JSX.Element {
  // Whoever comes back to the page must not meet the answer that broke it.
  const boundary: readonly [unknown, () => void] = useErrorBoundary(() => house.forget());
  if (boundary[0] !== undefined) return <Undrawn onAgain={boundary[1]} />;
  return <ShownPage house={house} />;
}

function Undrawn({ onAgain }: { readonly onAgain: () => void }): JSX.Element {
  return (
    <section class="view view--back">
      <Empty
        lead="This page could not be drawn."
        cure={
          <button class="btn" type="button" onClick={onAgain}>
            Draw it again
          </button>
        }
      />
    </section>
  );
}

function ShownPage({ house }: { readonly house: House }): JSX.Element {
  switch (house.route.value.page) {
    case "backstage":
      return <BackstagePage house={house} />;
    case "packets":
      return <PacketsPage house={house} />;
    case "people":
      return <PeoplePage house={house} />;
    case "budgets":
      return <BudgetsPage house={house} />;
    case "health":
      return <HealthPage house={house} />;
    case "stage":
      return <></>;
  }
}

/** The visible place where answering is stopped, on every page. */
function Stop({ house }: { readonly house: House }): JSX.Element {
  return (
    <button
      class="btn btn--stop me__stop"
      type="button"
      aria-keyshortcuts="Shift+Escape"
      aria-haspopup="dialog"
      aria-disabled={!house.isLive}
      onClick={() => {
        if (house.isLive) house.ask.value = { kind: "pause" };
      }}
    >
      {house.isLive ? "Pause answering" : "Stop at the terminal"}
    </button>
  );
}

function Over({ house }: { readonly house: House }): JSX.Element {
  return (
    <>
      <Asked house={house} />
      <p class="vh" role="status">
        {house.said.value}
      </p>
    </>
  );
}
