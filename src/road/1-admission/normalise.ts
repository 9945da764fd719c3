import type { InboundEvent } from "../../vocabulary/inbound.ts";
import type { SuppressReason } from "../../vocabulary/inbound.ts";

/** Longest delivery id and display name that are taken, in characters. */
const MAX_DELIVERY_CHARACTERS = 256;
const MAX_NAME_CHARACTERS = 80;

/** A bounded inbound line, or why it is none. */
export type Normalised =
  | { readonly kind: "line"; readonly event: InboundEvent }
  | { readonly kind: "refused"; readonly reason: SuppressReason };

/**
 * Turn what a surface heard into a bounded value (MC-011, MC-025): well-formed text without NUL, at most `maxBytes`; too long is
 * refused, never cut (MC-019). The display name is data: one line, at most 80 characters.
 */
export function normalise(event: InboundEvent, maxBytes: number): Normalised {
  if (event.text.length > maxBytes || Buffer.byteLength(event.text) > maxBytes) return { kind: "refused", reason: "oversized" };
  if (!isSound(event)) return { kind: "refused", reason: "malformed" };
  const text = event.text.replaceAll("\r\n", "\n").trim();
  if (text === "") return { kind: "refused", reason: "malformed" };
  const name = Array.from(
    event.sender.displayName
      .toWellFormed()
      .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
      .trim(),
  )
    .slice(0, MAX_NAME_CHARACTERS)
    .join("");
  return { kind: "line", event: { ...event, text, sender: { ...event.sender, displayName: name === "" ? "someone" : name } } };
}

function isSound(event: InboundEvent): boolean {
  const id = event.deliveryId;
  if (id.length === 0 || id.length > MAX_DELIVERY_CHARACTERS || !id.isWellFormed() || id.includes("\0")) return false;
  if (!event.text.isWellFormed() || event.text.includes("\0")) return false;
  return Number.isSafeInteger(event.atMs) && event.atMs >= 0;
}
