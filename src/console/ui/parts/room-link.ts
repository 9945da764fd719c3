import type { RoomView } from "../../../surfaces/room/protocol.ts";

/** The address of another room, with the name one has here: offered there, and no secret. */
export function roomLink(url: string, { self }: Pick<RoomView, "self">): string {
  return `${url}/#name=${encodeURIComponent(self.name)}`;
}
