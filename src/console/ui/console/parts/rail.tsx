import type { JSX } from "preact";
import { Lamp } from "../../parts/lamp.tsx";
import type { House } from "../state/house.ts";
import { CONSOLE_PAGES, hashOf } from "../state/route.ts";
import type { ConsolePage } from "../state/route.ts";
import { useWatch } from "../state/use-watch.ts";
import { downCount } from "../words/health-words.ts";
import { number } from "../words/numbers.ts";
import { Tag } from "./tag.tsx";

/** How often the state of things is looked at behind every page: for the badge, the strips and the names. */
const EVERY_MS = 5_000;

const NAMES: Readonly<Record<ConsolePage, string>> = {
  stage: "Stage",
  backstage: "Backstage",
  packets: "Packets",
  people: "People",
  budgets: "Budgets",
  health: "Health",
};

/** The pages by number: the stage is what the public may see, everything behind the double line is for operators. */
export function Rail({ house, isLit }: { readonly house: House; readonly isLit: boolean }): JSX.Element {
  const behind = CONSOLE_PAGES.filter((page) => page !== "stage");
  return (
    <nav class="rooms" aria-label="Pages">
      <ul>
        <li>
          <PageLink house={house} page="stage">
            {isLit ? (
              <>
                <Lamp shape="live" />
                <span class="vh"> a character is speaking</span>
              </>
            ) : null}
          </PageLink>
          <Rooms house={house} />
        </li>
      </ul>
      <p class="rooms__side" id="behind">
        Behind: operators only
      </p>
      <ul aria-labelledby="behind">
        {behind.map((page) => (
          <li key={page}>
            <PageLink house={house} page={page}>
              {page === "health" ? <Down house={house} /> : page === "backstage" ? <Waits house={house} /> : null}
            </PageLink>
          </li>
        ))}
      </ul>
    </nav>
  );
}

interface PageLinkProps {
  readonly house: House;
  readonly page: ConsolePage;
  readonly children: JSX.Element | null;
}

function PageLink({ house, page, children }: PageLinkProps): JSX.Element {
  const key = String(CONSOLE_PAGES.indexOf(page) + 1);
  return (
    <a
      href={hashOf({ page, item: null })}
      aria-current={house.route.value.page === page ? "page" : undefined}
      aria-keyshortcuts={house.page.value.view.singleKeys.value ? key : undefined}
    >
      <kbd aria-hidden="true">{key}</kbd>
      <span>{NAMES[page]}</span>
      {children}
    </a>
  );
}

/** The rooms, where there is more than one. */
function Rooms({ house }: { readonly house: House }): JSX.Element | null {
  const room = house.page.value.room.value;
  const rooms = room?.operator?.rooms ?? [];
  if (rooms.length < 2) return null;
  return (
    <ul class="rooms__sub" aria-label="Rooms">
      {rooms.map((each) => (
        <li key={each.name}>
          <button type="button" aria-pressed={each.name === room?.name} onClick={() => house.visit(each.name)}>
            {each.title}
          </button>
        </li>
      ))}
    </ul>
  );
}

function Down({ house }: { readonly house: House }): JSX.Element | null {
  const { value } = useWatch(house.status, EVERY_MS);
  const down = value === null ? 0 : downCount(value);
  if (down === 0) return null;
  return (
    <Tag tone="stop">
      {number(down)}
      <span class="long"> down</span>
    </Tag>
  );
}

/** Questions that wait for whoever reads this. */
function Waits({ house }: { readonly house: House }): JSX.Element | null {
  useWatch(house.backstage.approvals, EVERY_MS);
  const waiting = house.backstage.mine.length;
  if (waiting === 0) return null;
  return (
    <Tag tone="cue">
      {number(waiting)}
      <span class="long">{waiting === 1 ? " waits" : " wait"}</span>
    </Tag>
  );
}
