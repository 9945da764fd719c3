import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { PacketEntry } from "../../../../observe/packets-operation.ts";
import { WhyOf } from "../../parts/road.tsx";
import { exactTime } from "../../words/times.ts";
import { State } from "../parts/state.tsx";
import type { House } from "../state/house.ts";
import { count, number } from "../words/numbers.ts";
import { classWords, endWords, kindWords, packetTitle, withheldCount } from "../words/packet-words.ts";
import { characterName, placeName } from "../words/places.ts";
import { personName } from "../words/person-words.ts";

interface PacketViewProps {
  readonly house: House;
  readonly entry: PacketEntry;
}

/** One turn: what its character saw, by kind and size, what was withheld, by class and count, and the message's road. */
export function PacketView({ house, entry }: PacketViewProps): JSX.Element {
  const heading = useRef<HTMLHeadingElement>(null);
  const known = house.status.seen.value.value;
  const title = packetTitle(entry, known);
  const { look, name } = endWords(entry.end);
  useLayoutEffect(() => {
    document.title = `${title} · Packets · Troupe`;
    // Whoever walks along the list keeps the focus there.
    if (document.activeElement === document.body) heading.current?.focus({ preventScroll: true });
  }, [title]);
  return (
    <>
      <div class="head head--tight">
        <div>
          <h1 id="page-h" ref={heading} tabIndex={-1}>
            {title}
          </h1>
          <p class="head__sub">
            {entry.packet === null ? "no packet" : <code>{entry.packet.id}</code>}, {placeName(entry.place, known)}, by{" "}
            <code>{entry.by ?? "nobody yet"}</code>, {exactTime(entry.atMs)}
          </p>
        </div>
        <p class="head__side">
          <State look={look} name={name} />
        </p>
      </div>
      {entry.packet === null ? <NoPacket entry={entry} /> : <Packet entry={entry} packet={entry.packet} house={house} />}
      <section class="packets__road" aria-labelledby="road-h">
        <h2 id="road-h">
          The road of {personName({ id: entry.person, name: entry.name }, null)}’s message <small>{entry.message}</small>
        </h2>
        <Road house={house} entry={entry} />
      </section>
    </>
  );
}

function NoPacket({ entry }: { readonly entry: PacketEntry }): JSX.Element {
  return (
    <p class="packets__none">
      {entry.end === null
        ? "The turn is under way; its packet is kept with its end."
        : "No packet is kept: no model was asked, or none answered."}
    </p>
  );
}

function Road({ house, entry }: PacketViewProps): JSX.Element {
  const page = house.page.value;
  useEffect(() => {
    if (page.isLive.peek()) page.session.askWhy(entry.message);
  }, [page, entry.message, entry.end]);
  return (
    <div class="road">
      <WhyOf page={page} lineId={entry.message} place={{ kind: "public" }} />
    </div>
  );
}

type Packet = NonNullable<PacketEntry["packet"]>;

function Packet({ house, entry, packet }: PacketViewProps & { readonly packet: Packet }): JSX.Element {
  const name = characterName(entry.character, house.status.seen.value.value);
  return (
    <>
      <Shares packet={packet} />
      <div class="saw-and-not">
        <section aria-labelledby="saw-h">
          <h2 id="saw-h">
            What {name} saw <small>{number(packet.bytes)} bytes; of the text only kinds and sizes are kept</small>
          </h2>
          <ol>
            {packet.segments.map((segment) => (
              <Segment key={segment.kind} segment={segment} />
            ))}
          </ol>
        </section>
        <Withheld packet={packet} name={name} />
      </div>
    </>
  );
}

const SHARES = 3_000;
const GAP = 8;

/** The packet's bytes by where they come from, as one bar. */
function Shares({ packet }: { readonly packet: Packet }): JSX.Element {
  const total = Math.max(
    1,
    packet.segments.reduce((sum, { bytes }) => sum + bytes, 0),
  );
  let from = 0;
  const bars = packet.segments.map(({ kind, bytes }) => {
    const x = from;
    from += (bytes / total) * SHARES;
    return { kind, x, width: Math.max(GAP / 2, from - x - GAP) };
  });
  const label = packet.segments.map(({ kind, bytes }) => `${kindWords(kind).name} ${number(bytes)}`).join(", ");
  return (
    <div class="shares">
      <svg viewBox={`0 0 ${SHARES} 12`} preserveAspectRatio="none" role="img" aria-label={`Bytes by source: ${label}`}>
        {bars.map(({ kind, x, width }) => (
          <rect key={kind} class={`f-${kindWords(kind).source}`} x={x} width={width} height="12" />
        ))}
      </svg>
    </div>
  );
}

function Segment({ segment }: { readonly segment: Packet["segments"][number] }): JSX.Element {
  const { source, name, what } = kindWords(segment.kind);
  return (
    <li class={`segment s-${source}`}>
      <p class="segment__src">
        {name} <small>{count(segment.count, "piece")}</small>
      </p>
      <p class="segment__text">{what}</p>
      <span class="segment__b">{number(segment.bytes)} B</span>
    </li>
  );
}

/** Bars that stand for items, at most: more are told by their number. */
const MAX_BARS = 12;

/** What was kept from it: how many of each class, and not a word of any. */
function Withheld({ packet, name }: { readonly packet: Packet; readonly name: string }): JSX.Element {
  const all = withheldCount(packet);
  return (
    <section aria-labelledby="not-h">
      <h2 id="not-h">
        Withheld <small>{all === 0 ? "nothing" : `${count(all, "item")}, none of them named`}</small>
      </h2>
      <div class="withheld">
        {packet.withheld.length === 0 ? (
          <p class="was">{name} was shown all there was for this conversation.</p>
        ) : (
          packet.withheld.map((one) => <WithheldClass key={one.class} one={one} />)
        )}
        <p class="was">All bars have one length, so that length tells nothing. Counted since the start of this process.</p>
      </div>
    </section>
  );
}

function WithheldClass({ one }: { readonly one: Packet["withheld"][number] }): JSX.Element {
  const [name, why] = classWords(one.class);
  const bars = Math.min(one.count, MAX_BARS);
  return (
    <>
      <h3>
        {name} <small>{why}</small>
      </h3>
      <p class="withheld__count">
        <span class="bars" aria-hidden="true">
          {Array.from({ length: bars }, (_, at) => (
            <span key={at} class="bar" />
          ))}
        </span>
        <span>{number(one.count)}</span>
      </p>
    </>
  );
}
