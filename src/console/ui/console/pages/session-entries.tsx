import type { JSX } from "preact";
import type { EntryView, SessionView } from "../../../../operations/sessions.ts";
import { Lamp } from "../../parts/lamp.tsx";
import { Said } from "../../parts/line.tsx";
import { clockTime, isoTime } from "../../words/times.ts";
import type { House } from "../state/house.ts";
import { sessionTitle, statusWords } from "../words/backstage-words.ts";
import { personName } from "../words/person-words.ts";

interface EntriesProps {
  readonly house: House;
  readonly id: string;
  readonly entries: readonly EntryView[];
  readonly session: SessionView | null;
}

/** What was said and done, oldest first: each call once, with what came of it. */
export function Entries({ house, id, entries, session }: EntriesProps): JSX.Element {
  const results = new Map<string, EntryView>();
  const begun = new Set<string>();
  for (const entry of entries) {
    if (entry.tool !== null && entry.call !== null) results.set(entry.call, entry);
    if (entry.what === "begun" && entry.call !== null) begun.add(entry.call);
  }
  const asked = new Set(entries.flatMap(({ calls }) => calls.map(({ call }) => call)));
  const whole = (entry: EntryView): EntryView => house.backstage.whole.value.get(`${id} ${entry.seq}`) ?? entry;
  return (
    <>
      {entries.flatMap((entry) => {
        const shown = whole(entry);
        if (entry.what === "begun") return [];
        if (entry.tool !== null) {
          if (entry.call !== null && asked.has(entry.call)) return [];
          return [<CallRow key={entry.seq} house={house} call={{ tool: entry.tool, arguments: "" }} result={shown} isBegun={false} />];
        }
        const calls = shown.calls.map((call) => {
          const result = results.get(call.call);
          return (
            <CallRow
              key={call.call}
              house={house}
              call={call}
              result={result === undefined ? null : whole(result)}
              isBegun={begun.has(call.call)}
            />
          );
        });
        const isSilent = entry.what === "answered" && entry.text.trim() === "";
        return isSilent ? calls : [<SpokenRow key={entry.seq} house={house} entry={shown} session={session} />, ...calls];
      })}
    </>
  );
}

function SpokenRow({
  house,
  entry,
  session,
}: {
  readonly house: House;
  readonly entry: EntryView;
  readonly session: SessionView | null;
}): JSX.Element {
  const { what, text, atMs } = entry;
  const self = house.page.value.room.value?.self;
  const person = session?.person ?? "";
  const who =
    what === "note"
      ? "Troupe"
      : what === "answered"
        ? session === null
          ? "agent"
          : sessionTitle(session, house.status.seen.value.value)
        : person === self?.id
          ? self.name
          : personName({ id: person, name: null }, null);
  return (
    <li class={what === "said" ? "line line--said" : "line"} data-row tabIndex={-1}>
      <p class={what === "answered" ? "line__who line__who--character" : "line__who"}>{who}</p>
      <Said action="" text={text} />
      <p class="line__cue">
        <time dateTime={isoTime(atMs)}>{clockTime(atMs)}</time> <Cut house={house} entry={entry} />
      </p>
    </li>
  );
}

interface CallRowProps {
  readonly house: House;
  readonly call: { readonly tool: string; readonly arguments: string };
  readonly result: EntryView | null;
  readonly isBegun: boolean;
}

function CallRow({ house, call, result, isBegun }: CallRowProps): JSX.Element {
  const isWaiting = house.backstage.askedIn(house.backstage.shown.value ?? "").some(({ tool }) => tool === call.tool);
  const status = result?.what ?? (isBegun ? "begun" : isWaiting ? "waiting" : "asked");
  return (
    <li class="line tool" data-row tabIndex={-1}>
      <p class="line__who">{call.tool}</p>
      <div class="line__said">
        {call.arguments === "" ? null : <code>{call.arguments}</code>}
        {result === null || result.text === "" ? null : <pre class="tail">{result.text}</pre>}
      </div>
      <p class="line__cue">
        <StatusCue status={status} /> {result === null ? null : <Cut house={house} entry={result} />}
      </p>
    </li>
  );
}

function StatusCue({ status }: { readonly status: string }): JSX.Element {
  if (status === "begun") return <>begun</>;
  if (status === "asked") return <>not decided yet</>;
  const isBad = status === "error" || status === "denied" || status === "unknown" || status === "stopped";
  return (
    <span class={isBad ? "first first--bad" : "first"}>
      <Lamp shape={status === "ok" ? "on" : status === "waiting" ? "cue" : isBad ? "bar" : "off"} /> {statusWords(status)}
    </span>
  );
}

/** A text that was left out for its length is read when somebody wants it. */
function Cut({ house, entry }: { readonly house: House; readonly entry: EntryView }): JSX.Element | null {
  if (!entry.cut) return null;
  return (
    <button class="link" type="button" onClick={() => house.backstage.readWhole(entry.seq)}>
      Show all of it<span class="vh">: entry {entry.seq}</span>
    </button>
  );
}
