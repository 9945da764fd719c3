import type { TerminalOutput } from "../../src/vocabulary/terminal-session.ts";
import type { ComposedHarness } from "./composed.ts";

const signal = new AbortController().signal;

/** Type lines at the owner's terminal and give what was shown, once all are answered. */
export async function typeAtTerminal(one: ComposedHarness, ...lines: readonly (string | (() => Promise<string>))[]): Promise<string> {
  const shown: TerminalOutput[] = [];
  const session = {
    character: "mirelle",
    lines: (async function* typed() {
      for (const line of lines) yield typeof line === "string" ? line : await line();
    })(),
    show(output: TerminalOutput) {
      shown.push(output);
      return Promise.resolve(true);
    },
  };
  await one.runtime.terminal.attach(session, signal);
  return shown.flatMap((output) => (output.kind === "said" ? output.lines : output.kind === "notice" ? [output.text] : [])).join("\n");
}
