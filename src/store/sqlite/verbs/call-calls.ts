import type { CallVerbs, LimitedCharge } from "../../call-store.ts";
import { parsePrincipalId } from "../../../vocabulary/principal.ts";
import type { Batcher } from "../batcher.ts";
import type { ScopedCharge } from "./call-verbs.ts";
import type { PseudonymOf } from "../rows/pseudonym.ts";

const OF_PERSON = ":person:";

/** Verbs of calls as calls of the writer. */
export function createCallVerbs(batcher: Pick<Batcher, "call">, pseudonymOf: PseudonymOf, standingsChanged: () => void): CallVerbs {
  const scoped = (charge: LimitedCharge): ScopedCharge => {
    const at = charge.scope.indexOf(OF_PERSON);
    if (at < 0) return { ...charge, pseudonym: charge.scope };
    const upto = at + OF_PERSON.length;
    return { ...charge, pseudonym: `${charge.scope.slice(0, upto)}${pseudonymOf(parsePrincipalId(charge.scope.slice(upto)))}` };
  };
  return {
    judge: (row) =>
      batcher.call({
        verb: "judgeCalls",
        row: { ...row, calls: row.calls.map((call) => ({ ...call, charges: call.charges.map(scoped) })) },
      }),
    use: (row) => batcher.call({ verb: "useAnswer", row }),
    shown: (row) => batcher.call({ verb: "noteShown", row }),
    revoke: (row) => batcher.call({ verb: "revokeAnswer", row }),
    grant: (row) => batcher.call({ verb: "keepGrant", row }),
    endorse: (row) => batcher.call({ verb: "endorse", row }),
    unendorse: (row) => batcher.call({ verb: "unendorse", row }),
    void: (row) => batcher.call({ verb: "voidQuestions", row }),
    number: () => batcher.call({ verb: "numberQuestion", row: null }),
    propose: (row) => batcher.call({ verb: "propose", row }),
    async settleProposal(row) {
      const pseudonym = row.effect?.kind === "trust" ? pseudonymOf(row.effect.row.person) : null;
      const settled = await batcher.call({ verb: "settleProposal", row: { ...row, pseudonym } });
      standingsChanged();
      return settled;
    },
    tryCode: (row) => batcher.call({ verb: "tryCode", row }),
    async closedCard(row) {
      await batcher.call({ verb: "closedCard", row });
    },
    ungrant: (row) => batcher.call({ verb: "dropGrant", row }),
  };
}
