import type { Config } from "../../config/config.ts";
import { printable } from "../../foundation/printable.ts";
import type { Notices } from "../../observe/notices.ts";
import { ResponsePolicies } from "../../operations/policy/response-policies.ts";
import type { Store } from "../../store/store.ts";
import type { SurfaceName } from "../../vocabulary/ids.ts";
import type { PrincipalId } from "../../vocabulary/principal.ts";
import type { ComposeOptions } from "../compose-options.ts";

/** Open the policies of where replies go. One that cannot be read is told to the operator, since everything goes in private then (VS-043). */
export function openPolicies(
  { floor, config }: Pick<ComposeOptions, "floor" | "config">,
  { store, notices }: { readonly store: Store; readonly notices: Pick<Notices, "note"> },
): ResponsePolicies {
  const policies = new ResponsePolicies({
    clock: floor.clock,
    setting: (key) => store.read.setting(key),
    setSetting: (key, value, act) => store.setSetting(key, value, act),
    unreadable(surface) {
      floor.log.write("error", "policy_unreadable", { surface: printable(surface) });
      notices.note("policy_unreadable", { ids: [surface] });
    },
  });
  // Looked at once now, so that damage is told at the start and not with somebody's first line.
  for (const bot of botsOf(config.current())) policies.of(bot);
  return policies;
}

/** The bots of a configuration. */
export function botsOf({ surfaces }: Config): readonly SurfaceName[] {
  return [...surfaces.values()].flatMap(({ kind, name }) => (kind === "discord" ? [name] : []));
}

/** Whose bots those of a configuration are: the first Discord account among the operators; null where there is none (TR-011). */
export function botOwner({ people }: { readonly people: Pick<Config["people"], "operators"> }): PrincipalId | null {
  return people.operators.find((operator) => operator.startsWith("discord:")) ?? null;
}
