import assert from "node:assert/strict";
import { test } from "node:test";
import { firstIdAt } from "../snowflake.ts";
import { gapChannels } from "./gap-channels.ts";
import { Marks } from "./marks.ts";

const START_MS = 1_800_000_000_000;
/** The id of something that was said so many seconds after the start. */
const at = (seconds: number): string => firstIdAt(START_MS + seconds * 1_000);
const said = (channelId: string, seconds: number): { channelId: string; guildId: string; messageId: string } => {
  return { channelId, guildId: "9", messageId: at(seconds) };
};

test("TR-042 cases B73 a channel without a mark is asked what was said since anything was last told; the newest news first", () => {
  const marks = new Marks(
    new Map([
      ["1", { messageId: at(100), guildId: "9" }],
      ["2", { messageId: at(90), guildId: null }],
    ]),
    at(0),
  );
  const channels = gapChannels(marks, { lastSaid: [said("1", 100), said("3", 120), said("4", 110), said("5", 94), said("6", 96)] });
  assert.deepEqual(channels, [
    { channelId: "3", guildId: "9", after: at(95) },
    { channelId: "4", guildId: "9", after: at(95) },
    // Said a moment before the last word that was told elsewhere: it may have been on its way.
    { channelId: "6", guildId: "9", after: at(95) },
    { channelId: "2", guildId: null, after: at(90) },
    { channelId: "1", guildId: "9", after: at(100) },
  ]);
});

test("cases B13 what is older than the bot's first session is past in every channel, and a bot that was told nothing yet asks nothing", () => {
  const lastSaid = [said("3", -1), said("4", 1)];
  assert.deepEqual(gapChannels(new Marks(new Map(), at(0)), { lastSaid }), [{ channelId: "4", guildId: "9", after: at(0) }]);
  const early = new Marks(new Map([["1", { messageId: at(2), guildId: "9" }]]), at(0));
  assert.deepEqual(
    gapChannels(early, { lastSaid }).map(({ channelId, after }) => [channelId, after]),
    [
      ["4", at(0)],
      ["1", at(2)],
    ],
  );
  assert.deepEqual(gapChannels(new Marks(), { lastSaid }), []);
});

test("TR-042 fifty channels are asked at most, those with news before those without", () => {
  const marks = new Marks(new Map(Array.from({ length: 60 }, (_, n) => [`${n + 1}`, { messageId: at(n), guildId: "9" }])), at(-10));
  const channels = gapChannels(marks, { lastSaid: [said("5", 100), said("70", 90)] });
  assert.equal(channels.length, 50);
  assert.deepEqual(
    channels.slice(0, 4).map(({ channelId }) => channelId),
    ["5", "70", "60", "59"],
  );
});
