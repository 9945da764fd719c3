import assert from "node:assert/strict";
import { test } from "node:test";
import { isRuntimeError } from "../../foundation/errors.ts";
import { line } from "../../foundation/line.ts";
import { printable } from "../../foundation/printable.ts";
import { FakeTerminal } from "../../testing/fake-terminal.ts";
import type { Prompter } from "../setup/prompter.ts";
import { openPrompter } from "./terminal-prompter.ts";

const NEVER = new AbortController().signal;
const KEY = "sk-hidden-0123456789-abcdef";

function open(terminal: FakeTerminal, interrupt: () => void = () => assert.fail("nobody pressed Ctrl-C")): Prompter {
  const prompter = openPrompter({ input: terminal.input, output: terminal.output, color: false, interrupt });
  assert.ok(prompter !== null);
  return prompter;
}

test("TR-072 a hidden answer is shown nowhere, and cannot be called back by the arrow keys", async () => {
  const terminal = new FakeTerminal();
  using prompter = open(terminal);
  const hidden = prompter.hidden(printable("Its key:"), NEVER);
  await terminal.until("Its key:");
  assert.equal(terminal.raw, true, "the system itself echoes nothing");
  terminal.type(KEY.slice(0, 10));
  terminal.type("x\u007f");
  terminal.type(`${KEY.slice(10)}\r`);
  assert.equal(await hidden, KEY);
  const next = prompter.line(printable("Name:"), NEVER);
  const at = await terminal.until("Name:");
  terminal.type("\u001b[A\u001b[A");
  terminal.type("Kim\r");
  assert.equal(await next, "Kim");
  assert.equal(terminal.shown.slice(at).trim(), "Kim");
  for (const piece of [KEY, KEY.slice(0, 6), KEY.slice(-6), "*"]) assert.ok(!terminal.bytes.includes(piece), piece);
});

test("TR-072 what is typed while no question stands there is not shown and answers none", async () => {
  const terminal = new FakeTerminal();
  using prompter = open(terminal);
  terminal.type(`${KEY}\ry\r and half a line`);
  await new Promise((resolve) => setImmediate(resolve));
  prompter.tell([line`Trying`]);
  const answer = prompter.line(printable("Write it? [y/N]"), NEVER);
  await terminal.until("Write it?");
  terminal.type("n\r");
  assert.equal(await answer, "n");
  assert.doesNotMatch(terminal.bytes, /sk-hidden|half a line/);
  assert.match(terminal.shown, /^Trying\nWrite it\? \[y\/N\] n\n/);
});

test("TR-009 Ctrl-C at a question reaches whoever interrupts, and disposal gives the terminal back", async () => {
  const terminal = new FakeTerminal();
  const stop = new AbortController();
  {
    using prompter = open(terminal, () => stop.abort());
    const answer = prompter.line(printable("Name:"), stop.signal);
    await terminal.until("Name:");
    terminal.type("Ki\u0003");
    await assert.rejects(answer, (error) => isRuntimeError(error, "aborted"));
    assert.equal(terminal.raw, true);
  }
  assert.equal(terminal.raw, false);
});

test("TR-009 the end of the input is no answer, at this question and every later one", async () => {
  const terminal = new FakeTerminal();
  using prompter = open(terminal);
  const answer = prompter.line(printable("Name:"), NEVER);
  await terminal.until("Name:");
  terminal.type("\u0004");
  await assert.rejects(answer, (error) => isRuntimeError(error, "aborted"));
  await assert.rejects(prompter.hidden(printable("Key:"), NEVER), (error) => isRuntimeError(error, "aborted"));
});

test("SE-103 a question made of foreign words moves no cursor, and where no terminal is nobody is asked", async () => {
  const terminal = new FakeTerminal();
  {
    using prompter = open(terminal);
    const answer = prompter.line(printable("Use \u001b[2J\u202eevil:"), NEVER);
    await terminal.until("evil:");
    terminal.type("\r");
    await answer;
    assert.ok(terminal.shown.includes("⟨001B⟩[2J⟨202E⟩evil:"));
    assert.ok(!terminal.bytes.includes("\u202e") && !terminal.bytes.includes("\u001b[2J"));
  }
  const pipe = new FakeTerminal(false);
  assert.equal(openPrompter({ input: pipe.input, output: pipe.output, color: false, interrupt: () => {} }), null);
});
