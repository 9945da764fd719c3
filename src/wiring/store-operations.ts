import type { Chronicle } from "../chronicle/chronicle.ts";
import type { Clock } from "../foundation/clock.ts";
import { bindAudit } from "../observe/audit-operation.ts";
import { bindCosts } from "../observe/costs-operation.ts";
import { bindCopyDatabase } from "../operations/backup.ts";
import { bindForget } from "../operations/forget.ts";
import type { HaltLedger } from "../operations/halt.ts";
import { bindHalt } from "../operations/halt.ts";
import type { InvitingRoom } from "../operations/invites.ts";
import { bindInvites } from "../operations/invites.ts";
import type { Operation } from "../operations/operation.ts";
import type { Store } from "../store/store.ts";
import { haltFileThere } from "./halt-file.ts";
import { wordsOf } from "./commands/forgetting.ts";
import { inviteLedgerOf } from "./commands/invites.ts";

/** Operations that need the store alone, so that they run also where no process does. */
export function bindStoreOperations(
  floors: {
    readonly store: Store;
    readonly stateDirectory: string;
    readonly chronicle?: Chronicle;
    readonly inviting?: readonly InvitingRoom[];
    /** Where a process runs: what its turns and queues need beside the store. */
    readonly halt?: HaltLedger["halt"];
  },
  clock: Clock,
): readonly Operation[] {
  const { store } = floors;
  return [
    bindForget({ ...wordsOf(floors), nameOf: (person) => store.read.member(person)?.name ?? null }, clock),
    bindAudit(store.read),
    ...bindHalt(
      {
        halt: floors.halt ?? (async (row) => ({ ended: (await store.halt(row)).ended.length })),
        rearm: (row) => store.rearm(row),
        fileThere: () => haltFileThere(floors.stateDirectory),
      },
      clock,
    ),
    ...bindInvites({ clock, ledger: inviteLedgerOf(store), rooms: () => floors.inviting ?? [] }),
    bindCosts({ clock, read: store.read }),
    bindCopyDatabase((signal) => store.copyAside(signal)),
  ];
}
