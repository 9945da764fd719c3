import type { JSX } from "preact";
import type { Notice } from "../../../../observe/notices.ts";
import { Lamp } from "../../parts/lamp.tsx";
import type { House } from "../state/house.ts";
import { useWatch } from "../state/use-watch.ts";
import { isUrgent, noticeWords } from "../words/notice-words.ts";
import { when } from "../words/when.ts";

const EVERY_MS = 10_000;

/** In the stage's head: the newest notice that was not put aside yet. All of them stand on Health. */
export function StageNotice({ house }: { readonly house: House }): JSX.Element | null {
  const { value } = useWatch(house.notices, EVERY_MS);
  const fresh = (value?.notices ?? []).filter(({ lastAtMs }) => lastAtMs > house.noticesReadMs.value);
  const [newest] = [...fresh.filter(isUrgent), ...fresh];
  return (
    <>
      <RoomTabs house={house} />
      {newest === undefined ? null : <NoticeStrip house={house} notice={newest} others={fresh.length - 1} />}
    </>
  );
}

/** The rooms where the rail is at the foot and has no place for them. */
function RoomTabs({ house }: { readonly house: House }): JSX.Element | null {
  const room = house.page.value.room.value;
  const rooms = room?.operator?.rooms ?? [];
  if (rooms.length < 2) return null;
  return (
    <div class="tabs room-tabs" role="group" aria-label="Rooms">
      {rooms.map((each) => (
        <button key={each.name} type="button" aria-pressed={each.name === room?.name} onClick={() => house.visit(each.name)}>
          {each.title}
        </button>
      ))}
    </div>
  );
}

interface NoticeStripProps {
  readonly house: House;
  readonly notice: Notice;
  readonly others: number;
}

function NoticeStrip({ house, notice, others }: NoticeStripProps): JSX.Element {
  const isBad = isUrgent(notice);
  return (
    <div class={isBad ? "strip strip--stop" : "strip"} role="status">
      <Lamp shape={isBad ? "bar" : "off"} />
      <p>
        <strong>{noticeWords(notice)}</strong> <span class="dim">{when(notice.lastAtMs, house.page.value.nowMs.value)}</span>
      </p>
      <a href="#health">{others === 0 ? "See it" : `See it and ${others} more`}</a>
      <button
        class="link"
        type="button"
        onClick={() => {
          house.noticesReadMs.value = Math.max(...(house.notices.seen.peek().value?.notices ?? []).map(({ lastAtMs }) => lastAtMs));
        }}
      >
        Put aside<span class="vh">: this notice and those before it</span>
      </button>
    </div>
  );
}
