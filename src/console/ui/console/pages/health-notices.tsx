import type { JSX } from "preact";
import type { Notice } from "../../../../observe/notices.ts";
import { Lamp } from "../../parts/lamp.tsx";
import { isoTime } from "../../words/times.ts";
import { KnownPart } from "../parts/known.tsx";
import { Section } from "../parts/page-frame.tsx";
import type { House } from "../state/house.ts";
import { isUrgent, noticeWords } from "../words/notice-words.ts";
import { when } from "../words/when.ts";

const EVERY_MS = 10_000;
/** Notices that are shown; the command has them all. */
const MAX_SHOWN = 12;

/** What an operator should know of, newest first: ids and numbers, nobody's words. */
export function Notices({ house }: { readonly house: House }): JSX.Element {
  return (
    <Section id="notices-h" title="Notices" note={<code>troupe notices</code>}>
      <KnownPart watch={house.notices} everyMs={EVERY_MS} waiting="Reading the notices" failed="Can’t read the notices.">
        {({ notices, dropped }) =>
          notices.length === 0 ? (
            <p class="dim">Nothing to tell since the start.</p>
          ) : (
            <>
              <ol class="notes">
                {notices.slice(0, MAX_SHOWN).map((notice) => (
                  <NoticeRow key={`${notice.kind} ${notice.firstAtMs}`} notice={notice} nowMs={house.page.value.nowMs.value} />
                ))}
              </ol>
              {dropped === 0 ? null : <p class="was">{dropped} could not be sent on.</p>}
            </>
          )
        }
      </KnownPart>
    </Section>
  );
}

function NoticeRow({ notice, nowMs }: { readonly notice: Notice; readonly nowMs: number }): JSX.Element {
  const ids = notice.ids.slice(0, 4);
  return (
    <li>
      <Lamp shape={isUrgent(notice) ? "bar" : "off"} />
      <div>
        <p>{noticeWords(notice)}</p>
        {ids.length === 0 ? null : (
          <p class="was">
            {ids.map((id) => (
              <code key={id}>{id} </code>
            ))}
            {notice.ids.length > ids.length ? `and ${notice.ids.length - ids.length} more` : ""}
          </p>
        )}
      </div>
      <time class="dim" dateTime={isoTime(notice.lastAtMs)}>
        {when(notice.lastAtMs, nowMs)}
      </time>
    </li>
  );
}
