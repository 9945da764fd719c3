import type { Config } from "../config/config.ts";
import type { Clock } from "../foundation/clock.ts";
import type { Log } from "../foundation/log.ts";
import { printable } from "../foundation/printable.ts";
import type { HostState } from "../models/host-list.ts";
import type { ModelsConfig } from "../models/models-config.ts";
import type { Speaker } from "../models/speaker.ts";
import type { Notices } from "../observe/notices.ts";
import { createNotices } from "../observe/notices.ts";
import { createWebhook } from "../observe/webhook.ts";
import type { BudgetNotice } from "../vocabulary/budget.ts";
import type { Recovered, RoadObserver } from "../road/road.ts";

/** Open the notices, with the address that configuration names for them. */
export function openNotices({ notify }: Pick<Config, "notify">, floor: { readonly clock: Clock; readonly log: Log }): Notices {
  return createNotices({ ...floor, send: notify.webhook === null ? null : createWebhook(notify.webhook, floor.clock) });
}

/** What the road tells an operator, beside what it tells people of their own messages. */
export function noticesOfRoad(notices: Pick<Notices, "note">): Required<Pick<RoadObserver, "suppressed" | "notice">> {
  return {
    suppressed(id, _event, reason) {
      if (reason === "untrusted") notices.note("somebody_tried", { ids: [id] });
    },
    notice: ({ kind, id, place }) => notices.note(kind, { ids: [id, place] }),
  };
}

/** Note that a day's budget is nearly used up, or used up. */
export function noteBudget(
  { kind, key, surface }: BudgetNotice,
  { log, notices }: { readonly log: Pick<Log, "write">; readonly notices: Pick<Notices, "note"> },
): void {
  const where = surface === null ? {} : { surface: printable(surface) };
  log.write(kind === "spent" ? "warn" : "info", kind === "spent" ? "budget_spent" : "budget_near", { key: printable(key), ...where });
  notices.note("budget", { ids: surface === null ? [key] : [key, surface], counts: { [kind]: 1 } });
}

/** Note when the model's host goes away and when it is back, until the handle is disposed. */
export function noteHost(speaker: Pick<Speaker, "state" | "subscribe">, notices: Pick<Notices, "note">): Disposable {
  return speaker.subscribe(() => notices.note(speaker.state().kind === "offline" ? "host_down" : "host_up"));
}

/** Note of each host of a list when it goes away and is back: while another answers, nothing else tells of it. */
export function noteFallback({ fallbackModels }: ModelsConfig, notices: Pick<Notices, "note">): (state: HostState) => void {
  return ({ by, down }) => {
    if (fallbackModels.length > 0) notices.note(down === null ? "host_up" : "host_down", { ids: [by.slice(0, by.indexOf("/"))] });
  };
}

/** Note what an earlier process left, if it left anything. */
export function noteRestart({ partsFound, messagesAgain, expired, interrupted }: Recovered, notices: Pick<Notices, "note">): void {
  if (partsFound + messagesAgain + expired + interrupted === 0) return;
  notices.note("restart_summary", { counts: { partsFound, messagesAgain, expired, interrupted } });
}
