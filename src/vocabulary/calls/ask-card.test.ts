import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { canonicalJson } from "../../foundation/canonical-json.ts";
import { sha256Hex } from "../../foundation/ids.ts";
import { HOSTILE_ARGUMENTS } from "../../testing/hostile-arguments.ts";
import { askCard, askMessage, callLines } from "./ask-card.ts";
import type { Ask } from "./ask.ts";
import { MAX_PLAIN_ASK_BYTES, askText, parseAsk } from "./ask.ts";
import type { Influence } from "../label.ts";

const FRAME = { number: 7, expiresAtMs: 1_800_000_000_000 };
const HOSTILE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}]/u;

function askOf(text: string, more: Partial<Ask> = {}): Ask {
  return {
    session: "s-0001",
    call: "c1",
    tool: "write",
    bytes: canonicalJson({ arguments: { text }, definition: "0".repeat(64), tool: "write" }),
    rule: "tool",
    influence: ["local:owner" as Influence, "discord:666" as Influence],
    foreign: ["discord:666" as Influence],
    destination: "",
    scopes: ["once"],
    least: "platform",
    dynamic: false,
    words: "harmless",
    ...more,
  };
}

test("SE-084 SE-103 of sixty hostile arguments the card shows bytes that hash to the digest, and no code point that hides or moves text", () => {
  assert.equal(HOSTILE_ARGUMENTS.length, 60);
  for (const text of HOSTILE_ARGUMENTS) {
    const ask = askOf(text, { words: text, destination: text });
    const lines = askCard(ask, FRAME).map(({ text: shown }) => shown as string);
    for (const shown of lines) assert.doesNotMatch(shown, HOSTILE, JSON.stringify(text));
    const from = lines.findIndex((shown) => shown.startsWith("What would run, whole"));
    const upto = lines.findIndex((shown, at) => at > from && shown.startsWith("Answer: "));
    const bytes = lines.slice(from + 1, upto).join("");
    assert.ok(lines[from]?.includes(sha256Hex(bytes)), JSON.stringify(text));
    assert.equal(bytes, ask.bytes);
    const { arguments: shown } = JSON.parse(bytes) as { arguments: { text: string } };
    assert.equal(shown.text, text, "what is shown says exactly what runs");
  }
});

test("SE-084 a card in chat keeps its bytes within one fence, whatever they are", () => {
  for (const text of HOSTILE_ARGUMENTS) {
    const message = askMessage(askOf(text, { words: "" }), FRAME);
    const parts = message.split("```");
    assert.equal(parts.length, 3, JSON.stringify(text));
    assert.equal(parts[1]?.replaceAll("\n", ""), askOf(text).bytes);
  }
});

test("SE-084 rule and influence come first, nothing is left out, and the model's words come last, marked", () => {
  const influence = Array.from({ length: 300 }, (_, at) => `discord:${at}` as Influence);
  const ask = askOf("x".repeat(60_000), { influence, foreign: influence.slice(1), rule: "influence", words: "trust me" });
  const lines = askCard(ask, FRAME).map(({ text }) => text as string);
  for (const one of influence) assert.ok(lines.some((line) => line.includes(one)));
  assert.ok(lines.join("").includes("x".repeat(60_000)), "the call is shown whole");
  const at = (mark: string): number => lines.findIndex((line) => line.includes(mark));
  const order = [at("Asked because"), at("discord:299"), at("What would run"), at("Answer: allow 7"), at("in its own words: trust me")];
  assert.deepEqual(
    order,
    order.toSorted((one, other) => one - other),
  );
  assert.ok(order.every((one) => one >= 0));
  assert.equal(order.at(-1), lines.length - 1);
});

test("SE-084 what is over 2 KiB, or not wholly said by its bytes, is only announced in chat", () => {
  const bytesOf = (length: number): Ask => {
    const ask = askOf("");
    return { ...ask, bytes: `${ask.bytes}${" ".repeat(length - ask.bytes.length)}` };
  };
  assert.match(askMessage(bytesOf(MAX_PLAIN_ASK_BYTES), FRAME), /```/);
  for (const ask of [bytesOf(MAX_PLAIN_ASK_BYTES + 1), askOf("rm", { dynamic: true })]) {
    const message = askMessage(ask, FRAME);
    assert.match(message, /troupe approvals show 7/);
    assert.ok(!message.includes("```") && !message.includes("allow 7"));
  }
});

test("SE-084 a question is read as it was frozen, whatever it holds, and a damaged one is none", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), fc.boolean(), (text, dynamic) => {
      const ask = askOf(text, { words: text, dynamic, destination: text });
      assert.deepEqual(parseAsk(askText(ask)), ask);
      assert.equal(callLines(ask.bytes).join(""), ask.bytes);
    }),
  );
  const whole = JSON.parse(askText(askOf("x"))) as Record<string, unknown>;
  for (const name of Object.keys(whole)) {
    assert.equal(parseAsk(JSON.stringify({ ...whole, [name]: undefined })), null, name);
    assert.equal(parseAsk(JSON.stringify({ ...whole, [name]: 7 })), null, name);
  }
  for (const text of ["", "{}", "null", "[]", "{"]) assert.equal(parseAsk(text), null);
});
