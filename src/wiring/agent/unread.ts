import type { Agents } from "../../agents/agents.ts";
import { inspectTools } from "../../agents/tools/inspect.ts";
import type { Tool } from "../../agents/tools/tool.ts";
import { createUnreadTexts } from "../../agents/unread/unread-texts.ts";
import type { Authority } from "../../authority/authority.ts";
import type { Standpoint } from "../../authority/gateway/turn-authority.ts";
import { throwIfAborted } from "../../foundation/cancellation.ts";
import { RuntimeError } from "../../foundation/errors.ts";
import type { Speaker } from "../../models/speaker.ts";
import type { Store } from "../../store/store.ts";
import type { AgentModel } from "../../vocabulary/calls/agent-model.ts";
import type { ActionFacts } from "../../vocabulary/calls/authorized-action.ts";
import type { ComposeOptions } from "../compose-options.ts";
import { foreignIn } from "./sessions.ts";

/** What asking about unread texts stands on. */
export interface UnreadFloors {
  readonly store: Store;
  readonly authority: Pick<Authority, "reserveFurther" | "meterFor">;
  readonly speaker: Pick<Speaker, "agent">;
  readonly live: () => Agents["live"];
  readonly classesOf: Standpoint["classesOf"];
}

/** The tools by which an agent learns of texts without reading them, over the store and the turn's own model (SE-091). */
export function openUnread({ floor }: Pick<ComposeOptions, "floor">, floors: UnreadFloors): readonly Tool[] {
  const { store, classesOf } = floors;
  const { sessions, conversations } = store.read;
  return inspectTools({
    clock: floor.clock,
    unread: createUnreadTexts({
      sessions,
      conversations,
      event: (id) => store.read.event(id),
      foreignIn: (label, { person, character }) =>
        foreignIn(label, { person, character, classesOf, endorsed: (sha256) => store.read.calls.endorsed(sha256) }),
    }),
    entries: (id, after, limit) => sessions.entries(id, after, limit),
    last: (session) => sessions.facts(session)?.last ?? 0,
    reader: (action, signal) => readerOf(action, { ...floors, atMs: floor.clock.nowMs() }, signal),
  });
}

/** The model of the turn that runs, with one more call of its person's day kept before it is asked. */
async function readerOf(
  { session, person }: ActionFacts,
  { store, authority, speaker, live, atMs }: UnreadFloors & { readonly atMs: number },
  signal: AbortSignal,
): Promise<AgentModel | null> {
  throwIfAborted(signal);
  const facts = store.read.sessions.facts(session);
  const turn = facts === null ? null : (live().of(facts.character, facts.place)?.turn ?? null);
  if (facts === null || turn === null) throw new RuntimeError("closed", "Cannot read for a turn that has ended");
  const { surface } = turn.place;
  const reserved = authority.reserveFurther(person, surface);
  if (reserved.kind === "exhausted") return null;
  const kept = await store.sessions.append({ session, after: facts.last, entries: [], atMs, charges: reserved.charges });
  if (kept.kind !== "appended") throw new RuntimeError("closed", "Cannot read for a session that has gone on elsewhere");
  const model = speaker.agent(authority.meterFor({ person, surface, character: facts.character }));
  if (model === null) throw new RuntimeError("not_found", "Cannot read: no model is configured");
  return model;
}
