import type { CallContext } from "../../vocabulary/calls/gateway.ts";
import type { Audience, Influence } from "../../vocabulary/label.ts";
import type { PrincipalId } from "../../vocabulary/principal.ts";
import { TextLabel } from "../../vocabulary/calls/text-label.ts";
import type { ToolCapability, ToolClasses } from "../../vocabulary/calls/tool-definition.ts";
import { factsNow } from "../origin.ts";
import type { People } from "../people.ts";
import type { Registry } from "./frozen-call.ts";
import type { TurnAuthority } from "./turn-authority.ts";
import { authorityOf, isForeign } from "./turn-authority.ts";

/** How a path is protected, for every tool alike: what holds state or secrets, and what steers the program (TR-045). */
export type Protects = (path: string, reach: "itself" | "below") => "deny" | "ask" | "open";

/** On what a turn's calls are judged, as it is at this moment. */
export interface Stand {
  readonly person: PrincipalId;
  readonly authority: TurnAuthority;
  readonly influence: readonly Influence[];
  /** The same without what speaks for the turn itself: its character, and tools that give back the operator's own. */
  readonly authors: readonly Influence[];
  /** Those whose words are somebody else's. */
  readonly foreign: readonly Influence[];
  /** Whether something that not everybody may know was read. */
  readonly sensitive: boolean;
  readonly readers: Audience;
  readonly destinations: ReadonlySet<string>;
  /** Capabilities that configuration opens to accounts of a platform. */
  readonly remote: ReadonlySet<ToolCapability>;
  readonly protects: Protects;
  /** Whether nobody can be asked. */
  readonly alone: boolean;
}

/** What a stand is worked out from. */
export interface StandNeeds {
  readonly people: People;
  readonly registry: Registry;
  readonly remote: ReadonlySet<ToolCapability>;
  readonly endorsed: (sha256: string) => boolean;
  readonly protects: Protects;
}

/** Work out what a turn stands on; anew for every call, so that a role that went counts no more (TR-014, TR-015). */
export function standOf(context: CallContext, { people, registry, endorsed, ...given }: StandNeeds): Stand {
  const own = factsNow(context.origin, people);
  const lines = [own, ...context.lines.map((line) => factsNow(line, people))];
  const { influence, readers } = TextLabel.factsOf(context.label);
  const all: readonly Influence[] = [...new Set([...influence, ...lines.map(({ principal }) => principal)])].toSorted();
  const classesOf = (tool: string): ToolClasses | null => registry.get(tool)?.definition.classes ?? null;
  const standpoint = { person: own.principal, character: context.character, classesOf, endorsed };
  return {
    person: own.principal,
    authority: authorityOf(lines, all, standpoint),
    influence: all,
    authors: all.filter((one) => one === own.principal || isForeign(one, standpoint)),
    foreign: all.filter((one) => isForeign(one, standpoint)),
    sensitive: all.some((one) => one.startsWith("tool:") && classesOf(one.slice("tool:".length))?.sensitive === true),
    readers,
    destinations: context.destinations,
    ...given,
    alone: context.starter === "schedule",
  };
}
