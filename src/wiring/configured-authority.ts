import type { Authority } from "../authority/authority.ts";
import { openAuthority } from "../authority/authority.ts";
import { operatorsOf } from "../config/config.ts";
import type { Notices } from "../observe/notices.ts";
import type { Store } from "../store/store.ts";
import type { ComposeOptions } from "./compose-options.ts";
import { noteBudget } from "./notices.ts";

/** The authority by what configuration says of people and budgets, read anew at each use. */
export function configuredAuthority(
  { config, floor }: ComposeOptions,
  { store, notices }: { readonly store: Store; readonly notices: Notices },
): Authority {
  const { clock, log, redactor } = floor;
  return openAuthority({
    store,
    clock,
    accounts: { operators: () => operatorsOf(config.current()), own: () => new Set(config.current().people.ownAccounts) },
    budgets: { limits: () => config.current().budgets, notice: (notice) => noteBudget(notice, { log, notices }) },
    log,
    hides: (text) => redactor.clean(text) !== text,
  });
}
