import type { Chronicle } from "../../chronicle/chronicle.ts";
import type { Store } from "../../store/store.ts";
import type { ForgetCounts, ForgetRow, Forgotten } from "../../store/forgotten.ts";
import type { PrincipalId } from "../../vocabulary/principal.ts";

/** What can be erased of somebody, and its erasing: from the store, then from whatever listens to the chronicle (TR-043). */
export interface Words {
  keptOf(person: PrincipalId): Promise<ForgetCounts>;
  forget(row: ForgetRow): Promise<Forgotten>;
}

/** Join both. Without a chronicle nobody listens: no process runs. */
export function wordsOf(floors: {
  readonly store: Pick<Store, "keptOf" | "forget">;
  readonly chronicle?: Pick<Chronicle, "forgotten">;
}): Words {
  const { store, chronicle } = floors;
  return {
    keptOf: (person) => store.keptOf(person),
    async forget(row) {
      const forgotten = await store.forget(row);
      chronicle?.forgotten(row.person, forgotten.turns);
      return forgotten;
    },
  };
}

/** Let what is held in memory of somebody go when they are forgotten, until the subscription is disposed. */
export function dropForgotten(chronicle: Pick<Chronicle, "subscribe">, held: { forget(person: PrincipalId): void }): Disposable {
  return chronicle.subscribe((change) => {
    if (change.kind === "forgotten") held.forget(change.person);
  });
}
