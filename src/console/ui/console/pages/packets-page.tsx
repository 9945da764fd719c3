import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { PacketEntry } from "../../../../observe/packets-operation.ts";
import { Trouble, Waiting } from "../parts/known.tsx";
import { Empty } from "../parts/page-frame.tsx";
import type { House } from "../state/house.ts";
import { hashOf } from "../state/route.ts";
import { useWatch } from "../state/use-watch.ts";
import { packetTitle, withheldCount } from "../words/packet-words.ts";
import { when } from "../words/when.ts";
import { PacketView } from "./packet-view.tsx";

const EVERY_MS = 4_000;

/** What characters were given for their latest turns, and how much was kept from them. */
export function PacketsPage({ house }: { readonly house: House }): JSX.Element {
  const seen = useWatch(house.packets, EVERY_MS);
  const packets = seen.value?.packets ?? [];
  const { item } = house.route.value;
  const chosen = useChosen(packets, item);
  return (
    <section class="view view--back packets" aria-labelledby="page-h">
      <Turns house={house} packets={packets} chosen={chosen} />
      <div class="packets__body">
        <Trouble seen={seen} failed="Can’t read the packets." onAgain={() => house.packets.ask()} />
        {seen.value === null && seen.trouble === null ? <Waiting words="Reading the latest packets" /> : null}
        {chosen === undefined ? (
          <Nothing isRead={seen.value !== null} isMissing={item !== null && packets.length > 0} />
        ) : (
          <PacketView key={chosen.turn} house={house} entry={chosen} />
        )}
      </div>
    </section>
  );
}

/** The turn that is named; without a name the newest there was when the page opened: what is being read does not change by itself. */
function useChosen(packets: readonly PacketEntry[], item: string | null): PacketEntry | undefined {
  const newest = useRef<string | null>(null);
  newest.current ??= packets[0]?.turn ?? null;
  const wanted = item ?? newest.current;
  return packets.find(({ turn }) => turn === wanted);
}

function Nothing({ isRead, isMissing }: { readonly isRead: boolean; readonly isMissing: boolean }): JSX.Element {
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    document.title = "Packets · Troupe";
    heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <>
      <div class="head head--tight">
        <div>
          <h1 id="page-h" ref={heading} tabIndex={-1}>
            Packets
          </h1>
          <p class="head__sub">What a character is given for one answer, and how much is kept from it.</p>
        </div>
        <p class="cli">
          <code>troupe packets</code>
        </p>
      </div>
      {!isRead ? null : isMissing ? (
        <Empty lead="This turn is not among the latest." cure={<a href="#packets">Show the newest</a>} />
      ) : (
        <Empty lead="No character has answered yet." cure="Each answer leaves one packet here. The first appears with the first answer." />
      )}
    </>
  );
}

interface TurnsProps {
  readonly house: House;
  readonly packets: readonly PacketEntry[];
  readonly chosen: PacketEntry | undefined;
}

function Turns({ house, packets, chosen }: TurnsProps): JSX.Element {
  const known = house.status.seen.value.value;
  const nowMs = house.page.value.nowMs.value;
  return (
    <details class="list" open={!isNarrow()}>
      <summary>
        <h2>Turns</h2>
      </summary>
      <ul aria-label="The latest turns, newest first" data-rows>
        {packets.map((entry) => (
          <li key={entry.turn}>
            <a href={hashOf({ page: "packets", item: entry.turn })} data-row aria-current={entry === chosen ? "true" : undefined}>
              <b>{packetTitle(entry, known)}</b>
              <small>
                {when(entry.atMs, nowMs)}, {withheldWords(entry)}
              </small>
            </a>
          </li>
        ))}
      </ul>
    </details>
  );
}

function withheldWords({ packet, end }: PacketEntry): string {
  if (packet === null) return end === null ? "under way" : "no packet";
  const all = withheldCount(packet);
  return all === 0 ? "nothing withheld" : `${all} withheld`;
}

/** In a narrow window the list starts folded, so that what it chooses is seen. */
function isNarrow(): boolean {
  return matchMedia("(max-width: 69.99em)").matches;
}
