import type { JSX } from "preact";
import type { Page } from "../state/page.ts";
import type { LineView, PlaceView } from "../../../surfaces/room/protocol.ts";
import { isOperatorWhy } from "../state/wire-guards.ts";
import { outcomeWords } from "../words/outcome-words.ts";
import { roadOf } from "../words/road-stations.ts";
import type { Phrase, Road, RoadTimes, Station } from "../words/road-stations.ts";
import { exactDuration } from "../words/times.ts";

/** The answer to "why", under its line: for guests the plain outcome, for operators the road with its stations. */
export function WhyPanel({ page, line, id }: { readonly page: Page; readonly line: LineView; readonly id: string }): JSX.Element {
  return (
    <div class="road" id={id}>
      <WhyOf page={page} lineId={line.id} place={line.place} />
    </div>
  );
}

interface WhyOfProps {
  readonly page: Page;
  readonly lineId: string;
  /** Where the line stands: what would have led elsewhere differs by place. */
  readonly place: PlaceView;
}

/** What is known of why a line was answered or not. */
export function WhyOf({ page, lineId, place }: WhyOfProps): JSX.Element {
  const known = page.stage.value.whys[lineId];
  if (known === undefined || known.kind === "reading") return <p class="dim">Asking why</p>;
  if (known.kind === "failed") {
    const isGone = known.trouble.code === "not_found";
    return (
      <p>
        {isGone ? "Nothing is kept about this line." : "Can’t say why: no answer came. "}
        {isGone ? null : (
          <>
            <code>{known.trouble.code}</code> <AskAgain page={page} lineId={lineId} />
          </>
        )}
      </p>
    );
  }
  const characters = page.room.value?.characters ?? [];
  if (!isOperatorWhy(known.why)) {
    const names = characters.map((each) => each.name);
    const words = outcomeWords(known.why, {
      place,
      names,
      isLive: page.isLive.value,
      optedOut: page.room.value?.self.optedOut ?? false,
    });
    const rest = [words.reason, words.cure].filter((text) => text !== "").join(" ");
    return (
      <p>
        <strong>{capital(words.first)}</strong>
        {rest === "" ? "." : `: ${rest}`}
      </p>
    );
  }
  const road = roadOf(known.why, (character) => characters.find((each) => each.id === character)?.name ?? character);
  return <RoadBody page={page} lineId={lineId} road={road} />;
}

function RoadBody({ page, lineId, road }: { readonly page: Page; readonly lineId: string; readonly road: Road }): JSX.Element {
  return (
    <>
      <div class="road__sum">
        <p>
          <strong>{road.summary}</strong> {road.rest} {road.isOpen ? <AskAgain page={page} lineId={lineId} /> : null}
        </p>
        <code>{road.command}</code>
      </div>
      {road.times === null ? null : <TimeBar times={road.times} />}
      <ol class="stations">
        {road.stations.map((station, index) => (
          <StationRow key={station.name} station={station} number={index + 1} />
        ))}
      </ol>
      {road.cure === "" ? null : <p class="road__cure">{road.cure}</p>}
    </>
  );
}

function StationRow({ station, number }: { readonly station: Station; readonly number: number }): JSX.Element {
  return (
    <li class={`station station--${station.state}`}>
      <span class="station__n">{number}</span>
      <span class="station__name">{station.name}</span>
      <span class="station__what">{station.what.map(phrase)}</span>
      <span class="station__t">{station.time}</span>
    </li>
  );
}

function phrase({ voice, text }: Phrase, index: number): JSX.Element {
  if (voice === "exact") return <code key={index}>{text}</code>;
  return voice === "strong" ? <b key={index}>{text}</b> : <span key={index}>{text}</span>;
}

const BAR = 288;

/** An SVG, because its measures are attributes: the page's policy allows no style attribute. */
function TimeBar({ times }: { readonly times: RoadTimes }): JSX.Element {
  const totalMs = Math.max(1, times.waitMs + times.voiceMs + times.sendMs);
  const widths = [times.waitMs, times.voiceMs, times.sendMs].map((ms) => Math.max(1, Math.round((ms / totalMs) * (BAR - 2))));
  const [wait = 1, voice = 1, send = 1] = widths;
  const label = `Of ${exactDuration(totalMs)}: ${exactDuration(times.waitMs)} waiting, ${exactDuration(times.voiceMs)} in the voice, ${exactDuration(times.sendMs)} sending`;
  return (
    <svg class="road__bar" viewBox={`0 0 ${wait + voice + send + 2} 6`} preserveAspectRatio="none" role="img" aria-label={label}>
      <rect class="b-wait" width={wait} height="6" />
      <rect class="b-voice" x={wait + 1} width={voice} height="6" />
      <rect class="b-send" x={wait + voice + 2} width={send} height="6" />
    </svg>
  );
}

function AskAgain({ page, lineId }: { readonly page: Page; readonly lineId: string }): JSX.Element {
  return (
    <button class="link" type="button" onClick={() => page.session.askWhy(lineId)}>
      Ask again
    </button>
  );
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
