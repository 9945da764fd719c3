import type { Line } from "../../foundation/line.ts";
import { line, text, toned } from "../../foundation/line.ts";
import type { TerminalOutput } from "../../vocabulary/terminal-session.ts";

/** What the commands of a chat are, for its first line. */
export const CHAT_HELP: Line = toned("faint", line`/why tells why your last line was answered or not · /quit or Ctrl-C leaves`);

/** What a chat shows of one output: nothing for what is only remembered. Every line names who speaks (SE-103). */
export function renderOutput(output: TerminalOutput): readonly Line[] {
  switch (output.kind) {
    case "heard":
    case "typing":
      return [];
    case "notice":
      return [toned("faint", line`· ${output.text}`)];
    case "said": {
      const who = output.badge === null ? output.name : text`${output.name} [${output.badge}]`;
      const done = output.action === null ? [] : [toned("faint", line`${who} * ${output.action}`)];
      return [...done, ...output.lines.map((row) => line`${who}: ${row}`)];
    }
  }
}
