import assert from "node:assert/strict";
import { test } from "node:test";
import { withoutCommands } from "./command-talk.ts";
import { discordMessage } from "./message-shape.ts";
import type { DiscordMessage } from "./message-shape.ts";

const SELF = "1000000000000000001";
const ANN = "1000000000000000002";
let id = 2_000_000_000_000_000_000n;

/** A message as history gives it; `to` is what it answers, null where that is gone. */
function message(author: string, content: string, to?: { readonly author: string; readonly content: string } | null): DiscordMessage {
  id += 1n;
  const reference = { message_reference: { message_id: "1900000000000000000" } };
  const answered =
    to === undefined || to === null
      ? { referenced_message: null }
      : { referenced_message: { author: { id: to.author }, content: to.content } };
  return discordMessage.parse({
    id: String(id),
    channel_id: "1000000000000000009",
    author: { id: author, username: "somebody" },
    content,
    ...(to === undefined ? {} : { ...reference, ...answered }),
  });
}

test("TR-033 VS-045 orders and all parts of their answers are no talk of the channel; an answer to what is gone, or without its beginning, stays out too", () => {
  const order = { author: ANN, content: "!order" };
  const talk = { author: ANN, content: "hello" };
  const messages = [
    message(SELF, "the end of something"),
    message(ANN, "hello"),
    message(SELF, "good evening", talk),
    message(SELF, "and welcome"),
    message(ANN, "!order"),
    message(SELF, "Owner: 1", order),
    message(ANN, "meanwhile"),
    message(SELF, "and 2"),
    message(SELF, "what was asked is gone", null),
    message(SELF, "all of it"),
    message(SELF, "good night", talk),
  ];
  const left = withoutCommands(messages, { self: SELF, isCommand: (content) => content.startsWith("!") });
  assert.deepEqual(
    left.map(({ content }) => content),
    ["hello", "good evening", "and welcome", "meanwhile", "good night"],
  );
});
