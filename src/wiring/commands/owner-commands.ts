import type { OwnerChatFace } from "../../operations/faces/owner-chat.ts";
import { createOwnerChatFace } from "../../operations/faces/owner-chat.ts";
import { createOperations } from "../../operations/operations.ts";
import { bindConfig } from "../../operations/owner/config-operation.ts";
import { bindWhitelist } from "../../operations/owner/whitelist.ts";
import type { ResponsePolicies } from "../../operations/policy/response-policies.ts";
import type { Store } from "../../store/store.ts";
import type { Surface } from "../../surfaces/surface.ts";
import type { ComposeOptions } from "../compose-options.ts";
import { botOwner } from "./policies.ts";

/** What the commands of a bot's owner stand on. */
export interface OwnerFloors {
  readonly store: Store;
  readonly policies: ResponsePolicies;
  /** The surfaces that are open; asked only while a command runs. */
  readonly surfaces: () => readonly Pick<Surface, "name" | "account">[];
}

/** What the owner of a bot may say to it, from any of its servers (VS-009…VS-016, VS-046). */
export function ownerCommands({ config, floor }: ComposeOptions, { store, policies, surfaces }: OwnerFloors): OwnerChatFace {
  const owner = (): ReturnType<typeof botOwner> => botOwner(config.current());
  return createOwnerChatFace(
    createOperations([
      bindConfig(policies, owner),
      bindWhitelist({
        clock: floor.clock,
        owner,
        isOperator: (person) => config.current().people.operators.includes(person),
        ledger: {
          trust: (person) => store.read.trust(person),
          trusted: () => store.read.trusted(),
          nameOf: (person) => store.read.member(person)?.name ?? null,
          setTrust: (row) => store.setTrust(row),
        },
        look: async (surface, person, signal) =>
          (await surfaces()
            .find(({ name }) => name === surface)
            ?.account?.(person, signal)) ?? { kind: "unavailable", madeAtMs: 0 },
      }),
    ]),
    owner,
  );
}
