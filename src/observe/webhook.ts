import { withDeadline } from "../foundation/cancellation.ts";
import type { Clock } from "../foundation/clock.ts";
import { abortReason } from "../foundation/clock.ts";
import type { Secret } from "../foundation/secret.ts";
import type { Notice, SendNotice } from "./notices.ts";

/** Milliseconds an address may take to accept a notice. */
const DEADLINE_MS = 10_000;

/**
 * Send notices to one address, whose text is a secret (chat services put their token into it). One POST of JSON without anybody's
 * words; no redirect is followed and no body is read. `address` was checked when the configuration was read.
 */
export function createWebhook(address: Secret, clock: Clock): SendNotice {
  return async (notice, signal) => {
    using deadline = withDeadline(clock, DEADLINE_MS, signal);
    try {
      const response = await fetch(address.reveal(), {
        method: "POST",
        redirect: "manual",
        headers: { "content-type": "application/json" },
        body: noticeBody(notice),
        signal: deadline.signal,
      });
      await response.body?.cancel();
      return response.ok;
    } catch {
      // What went wrong may name the address; the count of dropped notices is all that is told.
      if (signal.aborted) throw abortReason(signal);
      return false;
    }
  };
}

/** The JSON of a notice: its fields, and one line under the two names that chat services read. */
export function noticeBody(notice: Notice): string {
  const line = noticeLine(notice);
  return JSON.stringify({ program: "troupe", ...notice, text: line, content: line });
}

/** A notice in one line of ids and numbers. */
export function noticeLine({ kind, count, ids, counts }: Notice): string {
  const numbers = Object.entries(counts).map(([name, number]) => `${name} ${number}`);
  const parts = [`${kind.replaceAll("_", " ")}${count > 1 ? ` (${count} times)` : ""}`, numbers.join(", "), ids.join(" ")];
  return `Troupe: ${parts.filter((part) => part !== "").join(" · ")}`;
}
