import type { ComposeOptions } from "../compose-options.ts";
import type { InviteNeeds, InvitingRoom } from "../../operations/invites.ts";
import type { Store } from "../../store/store.ts";
import { InviteBook } from "../../surfaces/room/invite-book.ts";
import type { Room } from "../../surfaces/room/room.ts";

/** Where invites are kept, as the operations see it. */
export function inviteLedgerOf(store: Pick<Store, "read" | "revokeInvite">): InviteNeeds["ledger"] {
  return {
    list: () =>
      store.read.invites().map(({ id, surface, name, atMs, expiresAtMs, member, redeemedAtMs, revokedAtMs }) => {
        return { id, room: surface, name, madeAtMs: atMs, untilMs: expiresAtMs, usedAtMs: redeemedAtMs, member, revokedAtMs };
      }),
    revoke: (row) => store.revokeInvite(row),
  };
}

/** A room with its book: the operators' side of it, which the guests' handlers hold nothing of. */
export function invitingRoom(room: Room, store: Store, { floor }: ComposeOptions): InvitingRoom {
  const book = new InviteBook({ config: room.config, store, clock: floor.clock, ids: floor.ids });
  return {
    name: room.name,
    title: room.title,
    outside: room.config.outside !== null,
    get url() {
      return room.url;
    },
    invite: (wish) => book.make(wish),
    dismiss: (person, reason) => room.dismiss(person, reason),
  };
}
