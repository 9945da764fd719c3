import assert from "node:assert/strict";
import { test } from "node:test";
import { speaksToAnother } from "./spoken-to-another.ts";
import { classOf } from "./message-class.ts";
import { parsePrincipalId } from "../../vocabulary/principal.ts";
const ann = { displayName: "Ann", principal: parsePrincipalId("room:ann"), kind: "person", assurance: "anonymous" } as const;
/** Milliseconds of processor time, which a loaded machine does not stretch. The bound is far over what is needed and far under what backtracking took: 78 s. */
const MOST_MS = 500;
const took = (work: () => void): number => {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
};
test("cases A69 SE-090 looking for whom a line calls takes no time, however the line is made", () => {
  const facts = { role: "guest", direct: true, atMs: 0, isCommand: () => false, questions: () => [], isControl: () => false } as const;
  const calls = (text: string) => (): boolean => speaksToAnother(text, { sender: ann }, () => ["Bob"]);
  const works: Readonly<Record<string, () => void>> = {
    middle: calls(`a${",".repeat(650)}${"!".repeat(1_325)} bob x`),
    whole: calls(`a${",".repeat(2_600)}${"!".repeat(5_300)} bob x`),
    front: calls(`${",".repeat(8_000)}x`),
    end: calls(`${"!".repeat(8_000)}x bob x`),
    word: () => void classOf(`${"!".repeat(8_000)}x`, facts),
  };
  for (const [name, work] of Object.entries(works)) {
    const ms = took(work);
    assert.ok(ms < MOST_MS, `${name} took ${ms} ms`);
  }
});

test("cases A9 whom a line calls is found at its front, its end and by its mark", () => {
  const calls = (text: string): boolean => speaksToAnother(text, { sender: ann }, () => ["Bob"]);
  for (const yes of [
    "hi bob",
    "Hi, Bob!",
    "bob?",
    "bob: x",
    "bob, x",
    "can we go?, bob",
    "x, bob!!",
    "@bob",
    "hey @bob x",
    "hi, @bob",
    "hi,@bob",
    "bob can you?",
  ])
    assert.ok(calls(yes), yes);
  for (const no of ["Bob is late", "I met bob yesterday and left", "hi all and bob x"]) assert.ok(!calls(no), no);
});
