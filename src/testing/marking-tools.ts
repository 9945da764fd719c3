import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from "node:fs";
import { z } from "zod";
import type { Tool } from "../agents/tools/tool.ts";
import { defineTool } from "../agents/tools/tool.ts";
import type { ActionFacts } from "../vocabulary/calls/authorized-action.ts";

/** One body that was entered, as it stands outside the process. */
export interface Mark {
  readonly tool: string;
  /** The call's id in its session. */
  readonly call: string;
  readonly what: string;
}

/** What happens when a body is entered: the process may end before its mark is made, or behind it. */
export interface MarkingHooks {
  readonly before: (n: number) => void;
  readonly after: (n: number) => void;
}

const MARK = z.strictObject({ tool: z.string(), call: z.string(), what: z.string() });

/**
 * Two tools whose bodies leave a mark that outlives the process: `look` changes nothing, `paint` does and always asks. A mark is on
 * disk before the body gives anything back, so a body that is entered twice is seen, whenever the process dies.
 */
export function markingTools(file: string, hooks: MarkingHooks): readonly Tool[] {
  let entered = 0;
  const tool = (name: string, changes: "nothing" | "state"): Tool =>
    defineTool({
      name,
      description: changes === "nothing" ? "Look at something." : "Paint something.",
      parameters: { type: "object", properties: { what: { type: "string" } }, required: ["what"], additionalProperties: false },
      arguments: z.strictObject({ what: z.string().max(100) }),
      capability: changes === "nothing" ? "read" : "change",
      classes: { untrusted: false, sensitive: false, changes },
      verdict: changes === "nothing" ? "allow" : "ask",
      scopes: [],
      run: ({ what }, { call }: ActionFacts) => {
        entered += 1;
        hooks.before(entered);
        makeMark(file, { tool: name, call, what });
        hooks.after(entered);
        return Promise.resolve({ text: `${name} ${what}: done`, failed: false });
      },
    });
  return [tool("look", "nothing"), tool("paint", "state")];
}

/** Every mark, in order; none where no body was entered. */
export function readMarks(file: string): readonly Mark[] {
  // A file that is not there yet is made empty.
  closeSync(openSync(file, "a"));
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => MARK.parse(JSON.parse(line)));
}

function makeMark(file: string, mark: Mark): void {
  const handle = openSync(file, "a");
  try {
    writeSync(handle, `${JSON.stringify(mark)}\n`);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
