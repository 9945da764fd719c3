import { z } from "zod";
import type { Clock } from "../../foundation/clock.ts";
import type { Store, StoreReader } from "../../store/store.ts";
import type { ActionFacts } from "../../vocabulary/calls/authorized-action.ts";
import { SESSION_CEILINGS } from "../../vocabulary/calls/session.ts";
import type { ToolClasses } from "../../vocabulary/calls/tool-definition.ts";
import type { Tool, ToolOutput } from "./tool.ts";
import { defineTool } from "./tool.ts";

/** Where notes are kept, and what shaped what a session writes now. */
export interface NotesNeeds {
  readonly clock: Pick<Clock, "nowMs">;
  readonly verbs: Pick<Store["sessions"], "keepNote">;
  readonly reads: Pick<StoreReader["sessions"], "notes" | "note">;
  /** The label of everything that a session has in it, as text: what is written from it has the same (SE-080). */
  readonly labelOf: (session: ActionFacts["session"]) => string;
}

const MAX_NAME = 64;
const READS: ToolClasses = { untrusted: false, sensitive: true, changes: "nothing" };
const WRITES: ToolClasses = { untrusted: false, sensitive: false, changes: "state" };
const name = { type: "string", description: "The note's name.", minLength: 1, maxLength: MAX_NAME };

const ok = (text: string): ToolOutput => ({ text, failed: false });
const failed = (text: string): ToolOutput => ({ text: `Error: ${text}`, failed: true });

/** Notes of a session's own: a list, read, write, remove. They last as long as the session and are seen by nobody else. */
export function noteTools({ clock, verbs, reads, labelOf }: NotesNeeds): readonly Tool[] {
  const noteName = z.string().min(1).max(MAX_NAME);
  const keep = (session: ActionFacts["session"], title: string, text: string | null): ReturnType<NotesNeeds["verbs"]["keepNote"]> =>
    verbs.keepNote({ session, name: title, text, label: labelOf(session), atMs: clock.nowMs() });
  return [
    defineTool({
      name: "note_list",
      description: "List your notes of this conversation by name.",
      parameters: { type: "object", properties: {}, additionalProperties: false },
      arguments: z.strictObject({}),
      capability: "session",
      classes: READS,
      verdict: "allow",
      scopes: [],
      run: (_args, { session }) => {
        const lines = reads.notes(session).map((note) => `${note.name} (${Buffer.byteLength(note.text)} bytes)`);
        return Promise.resolve(ok(lines.length === 0 ? "There are no notes." : lines.join("\n")));
      },
    }),
    defineTool({
      name: "note_read",
      description: "Read one of your notes.",
      parameters: { type: "object", properties: { name }, required: ["name"], additionalProperties: false },
      arguments: z.strictObject({ name: noteName }),
      capability: "session",
      classes: READS,
      verdict: "allow",
      scopes: [],
      run: (args, { session }) => {
        const note = reads.note(session, args.name);
        return Promise.resolve(note === null ? failed("there is no note of that name; note_list shows what there is") : ok(note.text));
      },
    }),
    defineTool({
      name: "note_write",
      description: "Keep a note under a name, in place of one that has it; an empty text removes it.",
      parameters: {
        type: "object",
        properties: { name, text: { type: "string", description: "What to keep.", maxLength: SESSION_CEILINGS.noteBytes } },
        required: ["name", "text"],
        additionalProperties: false,
      },
      arguments: z.strictObject({ name: noteName, text: z.string().max(SESSION_CEILINGS.noteBytes) }),
      capability: "session",
      classes: WRITES,
      verdict: "allow",
      scopes: [],
      run: async (args, { session }) => {
        const { kind } = await keep(session, args.name, args.text === "" ? null : args.text);
        if (kind === "kept") return ok(args.text === "" ? "Removed." : "Kept.");
        if (kind === "gone") return failed(args.text === "" ? "there is no note of that name" : "this conversation is gone");
        return failed(`there is no room: at most ${SESSION_CEILINGS.notes} notes of ${SESSION_CEILINGS.noteBytes} bytes each`);
      },
    }),
  ];
}
