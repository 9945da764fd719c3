import { z } from "zod";
import { canonicalJson } from "../../foundation/canonical-json.ts";
import { sha256Hex } from "../../foundation/ids.ts";
import type { Ask } from "../../vocabulary/calls/ask.ts";
import { parseAsk } from "../../vocabulary/calls/ask.ts";
import type { Influence } from "../../vocabulary/label.ts";
import type { KeptPolicy } from "../policy/kept-policy.ts";
import { keptPolicy } from "../policy/kept-policy.ts";

/** The rule by which a program's wish is asked about. Nothing else is asked by it. */
export const PROPOSAL_RULE = "mcp";
/** Influences that a card lists; beyond, one stands for the rest. */
const MAX_INFLUENCE = 64;

/** What a program may wish for (SE-082): everything that follows from an allow, in full. */
export type Proposal =
  | { readonly tool: "set_puppet_config"; readonly arguments: { readonly surface: string; readonly policy: KeptPolicy } }
  | {
      readonly tool: "set_trust";
      readonly arguments: {
        readonly person: string;
        readonly to: "trusted" | "guest";
        /** The name last seen here; "" for somebody never seen. */
        readonly lastSeenAs: string;
        readonly accountMadeAt: string;
      };
    }
  | {
      readonly tool: "reply";
      readonly arguments: { readonly surface: string; readonly trigger: string; readonly message: string; readonly text: string };
    };

const proposal: z.ZodType<Proposal> = z.discriminatedUnion("tool", [
  z.strictObject({ tool: z.literal("set_puppet_config"), arguments: z.strictObject({ surface: z.string(), policy: keptPolicy }) }),
  z.strictObject({
    tool: z.literal("set_trust"),
    arguments: z.strictObject({
      person: z.string(),
      to: z.enum(["trusted", "guest"]),
      lastSeenAs: z.string(),
      accountMadeAt: z.string(),
    }),
  }),
  z.strictObject({
    tool: z.literal("reply"),
    arguments: z.strictObject({ surface: z.string(), trigger: z.string(), message: z.string(), text: z.string() }),
  }),
]);

/** Freeze a wish as a question (SE-084): what is shown, and what runs, are these bytes. */
export function freezeProposal(
  wish: Proposal,
  of: {
    readonly client: string;
    readonly session: string;
    readonly call: string;
    readonly influence: readonly Influence[];
    readonly destination: string;
  },
): Ask {
  const [first, ...others] = of.influence.slice(0, MAX_INFLUENCE);
  const rest: readonly Influence[] = of.influence.length > MAX_INFLUENCE ? ["unknown:origin"] : [];
  const influence = first === undefined ? rest : [first, ...others, ...rest];
  return {
    session: of.session,
    call: of.call,
    tool: wish.tool,
    bytes: canonicalJson(wish),
    rule: PROPOSAL_RULE,
    influence,
    // Whoever answers is none of them: the client is a program, and the others are whom it read.
    foreign: influence,
    destination: of.destination,
    scopes: ["once"],
    least: "local",
    dynamic: false,
    words: "",
  };
}

/** A kept question as the wish that it is; null for one of a turn, and for bytes that are not those of its digest. */
export function readProposal({
  call,
  digest,
}: {
  readonly call: string;
  readonly digest: string;
}): { readonly ask: Ask; readonly wish: Proposal } | null {
  const ask = parseAsk(call);
  if (ask?.rule !== PROPOSAL_RULE || sha256Hex(ask.bytes) !== digest) return null;
  const read = proposal.safeParse(JSON.parse(ask.bytes));
  return read.success ? { ask, wish: read.data } : null;
}
