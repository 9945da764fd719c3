import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import type { Command } from "../operation.ts";
import { runCli } from "./cli.ts";
import { createScreen } from "./screen.ts";

const CHECK: Command = {
  name: "check",
  summary: "look at the configuration, the state folder and the ports, and list who may trigger what, everywhere",
  who: { role: "operator", assurance: "local", where: "anywhere" },
  arguments: [],
  check: () => undefined,
  present: () => assert.fail("help presents nothing"),
};

/** What `troupe WORDS` prints on a terminal of so many columns. */
async function printed(words: readonly string[], columns: number | undefined): Promise<{ readonly text: string; readonly exit: number }> {
  const stream = Object.assign(new PassThrough({ encoding: "utf8" }), columns === undefined ? {} : { columns });
  const screen = createScreen({ out: stream, error: stream }, {});
  const run = (): Promise<unknown> => assert.fail("help runs nothing");
  const exit = await runCli(words, { version: "1.2.3", commands: [CHECK], screen, run }, new AbortController().signal);
  return { text: String(stream.read()), exit };
}

const widest = (text: string): number => Math.max(...text.split("\n").map((row) => row.length));

for (const [columns, most] of [
  [undefined, 80],
  [0, 80],
  [60, 60],
  [300, 100],
] as const) {
  test(`TR-009 help is at most ${most} columns wide where the terminal has ${columns ?? "not said how many"}`, async () => {
    const { text, exit } = await printed(["--help"], columns);
    assert.equal(exit, 0);
    assert.ok(widest(text) <= most && widest(text) > most - 20, `${widest(text)} columns`);
  });
}

test("TR-009 help on an unknown command names it in one line and exits 2, also after an option with a value", async () => {
  for (const words of [
    ["help", "nope"],
    ["--config", "help", "help", "nope"],
  ]) {
    const { text, exit } = await printed(words, undefined);
    assert.equal(exit, 2);
    assert.match(text, /^[^\n]*unknown command 'nope'[^\n]*\n$/);
  }
});
