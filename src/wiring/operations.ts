import type { ComposeOptions } from "./compose-options.ts";
import { bindTriggers } from "../operations/triggers-operation.ts";
import type { TriggerLogs } from "../observe/trigger-logs.ts";
import { bindWhy } from "../observe/why-operation.ts";
import { bindConsoleCode } from "../operations/console-link.ts";
import type { Operations } from "../operations/operations.ts";
import { bindInviteCode } from "../operations/invites.ts";
import { createOperations } from "../operations/operations.ts";
import { bindPolicies } from "../operations/policy/policy-operation.ts";
import type { ResponsePolicies } from "../operations/policy/response-policies.ts";
import { bindTrust } from "../operations/trust.ts";
import type { Room } from "../surfaces/room/room.ts";
import { bindMcp } from "../operations/mcp/mcp-operations.ts";
import { invitingRoom } from "./commands/invites.ts";
import { openMcp } from "./mcp/mcp.ts";
import type { OperatorFloors } from "./commands/operator-operations.ts";
import { bindOperatorOperations } from "./commands/operator-operations.ts";
import { botsOf } from "./commands/policies.ts";
import { bindStoreOperations } from "./store-operations.ts";

/** Every operation of a running process (TR-009): bound here, declared by the folders that own them. */
export function bindOperations(
  options: ComposeOptions,
  floors: OperatorFloors & {
    readonly rooms: readonly Room[];
    readonly policies: ResponsePolicies;
    readonly triggers: TriggerLogs;
    readonly issueConsoleCode: (untilUsed: boolean) => string;
  },
): Operations {
  const { store, addresses } = floors;
  const { clock } = options.floor;
  const { clients, face, desk } = openMcp(options, floors);
  const inviting = floors.rooms.map((room) => invitingRoom(room, store, options));
  return createOperations([
    bindWhy(store.read),
    ...bindOperatorOperations(options, { ...floors, desk }),
    bindConsoleCode({
      get url() {
        return addresses().console;
      },
      issue: () => floors.issueConsoleCode(false),
    }),
    bindInviteCode(() => inviting),
    ...bindTriggers({
      clock,
      logOf: (surface) => floors.triggers.of(surface),
      bots: () => botsOf(options.config.current()),
      audit: (entry) => store.audit(entry),
    }),
    ...bindMcp(clients, face),
    ...bindPolicies(floors.policies, () => botsOf(options.config.current())),
    ...bindStoreOperations(
      { ...floors, inviting, stateDirectory: options.config.current().stateDirectory, halt: (row) => floors.road.halt(row) },
      clock,
    ),
    ...bindTrust(
      {
        trust: (person) => store.read.trust(person),
        nameOf: (person) => store.read.member(person)?.name ?? null,
        setTrust: (row) => store.setTrust(row),
      },
      clock,
    ),
  ]);
}
