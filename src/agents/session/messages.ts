import type { AgentMessage } from "../../vocabulary/calls/agent-model.ts";
import type { EntryBody, SessionEntry } from "../../vocabulary/calls/session.ts";
import { newestWhole } from "../../vocabulary/calls/turn-ceilings.ts";

/** Stands for what a request has no room for. */
const LEFT_OUT: AgentMessage = { role: "user", text: "[What was said before this is left out here.]" };
/** The beginning moves on in steps of so many messages, so that it stays the same for many turns and a host can keep it. */
const STEP = 64;

/**
 * A history as a model is sent it. Nothing but the entries goes in, so the same history is the same bytes, whoever runs it and
 * whenever; and a longer one begins with the same bytes as a shorter one.
 */
export function messagesOf(entries: readonly Pick<SessionEntry, "body">[]): readonly AgentMessage[] {
  const resulted = new Set<string>();
  return entries.flatMap(({ body }): readonly AgentMessage[] => {
    switch (body.kind) {
      case "said":
        return [{ role: "user", text: body.text }];
      case "answered":
        return [{ role: "assistant", text: body.text, calls: body.calls }];
      case "begun":
        return [];
      case "result": {
        const isLate = resulted.has(body.call);
        resulted.add(body.call);
        return [isLate ? lateResult(body) : result(body)];
      }
      case "note":
        return [{ role: "user", text: `[${body.text}]` }];
    }
  });
}

type Result = Extract<EntryBody, { kind: "result" }>;

function result({ call, name, text, status }: Result): AgentMessage {
  return { role: "tool", call, name, text, failed: status !== "ok" };
}

/** A call has one result in its place; what became of one that waited is told where it came about. */
function lateResult({ call, name, text }: Result): AgentMessage {
  return { role: "user", text: `[The call ${call} of ${name} that waited for an answer: ${text}]` };
}

/**
 * The newest messages, at most `most` of them: calls whole with their results, and a word in place of what is left out. Null for
 * no bound (TR-057).
 */
export function newestMessages(messages: readonly AgentMessage[], most: number | null): readonly AgentMessage[] {
  if (most === null || messages.length <= most) return messages;
  const room = Math.max(1, most - 1);
  const over = messages.length - room;
  const step = Math.min(STEP, Math.max(1, Math.floor(room / 2)));
  const from = Math.ceil(over / step) * step;
  const kept = newestWhole(grouped(messages), messages.length - from, ({ group }) => group).map(({ message }) => message);
  return [LEFT_OUT, ...kept];
}

/** An answer with calls and the results of those are one group. */
function grouped(messages: readonly AgentMessage[]): readonly { readonly message: AgentMessage; readonly group: string | null }[] {
  const groupOf = new Map<string, string>();
  return messages.map((message, at) => {
    if (message.role === "tool") return { message, group: groupOf.get(message.call) ?? null };
    if (message.role !== "assistant" || message.calls.length === 0) return { message, group: null };
    const group = String(at);
    for (const call of message.calls) groupOf.set(call.id, group);
    return { message, group };
  });
}
