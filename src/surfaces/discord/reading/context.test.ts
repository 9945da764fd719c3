import assert from "node:assert/strict";
import { test } from "node:test";
import type { API } from "@discordjs/core";
import fc from "fast-check";
import { ManualClock } from "../../../testing/manual-clock.ts";
import { ChannelMemory } from "./channel-memory.ts";
import { Context } from "./context.ts";
import { Directory } from "../rest/directory.ts";
import type { RestResult } from "../rest/rest.ts";
import { byMoment } from "../snowflake.ts";

const SELF = "1000000000000000001";
const ANN = "1000000000000000002";
const CHANNEL = "1000000000000000009";
const LIMITS = { messages: 15, characters: 4_000 };
const PAGE = 100;
/** So that ids of 18 and of 19 digits stand beside each other. */
const FIRST_ID = 999_999_999_999_999_980n;

type Raw = Record<string, unknown> & { readonly id: string; content: string };

/** A channel with a history, which hands it out in pages as the platform does. */
class Channel {
  readonly clock = new ManualClock();
  readonly memory = new ChannelMemory(this.clock);
  readonly asked: (string | null)[] = [];
  readonly history: Raw[] = [];
  /** Resolves the pages that are held back. */
  held: (() => void)[] | null = null;
  #next = FIRST_ID;
  /** A message that somebody began anew after, in an earlier process. */
  outOfMind = "";
  readonly context = new Context({
    clock: this.clock,
    rest: { call: (_bucket, work, { signal }) => this.#call(work, signal) },
    directory: new Directory(() => SELF),
    memory: this.memory,
    collects: () => true,
    inMind: ({ id }) => id !== this.outOfMind,
    self: () => ({ userId: SELF, applicationId: SELF }),
    wordless: () => {},
  });

  say(content: string, more: Readonly<Record<string, unknown>> = {}): Raw {
    this.#next += 1n;
    const raw = { id: String(this.#next), channel_id: CHANNEL, author: { id: ANN, username: "ann" }, content, ...more };
    this.history.push(raw);
    return raw;
  }

  edit(raw: Raw, content: string): void {
    raw.content = content;
    this.context.changed({ ...raw, edited_timestamp: "2026-01-01T00:00:00Z" });
  }

  remove(raw: Raw): void {
    this.history.splice(this.history.indexOf(raw), 1);
    this.context.removed(CHANNEL, [raw.id]);
  }

  async before(trigger: Raw, signal: AbortSignal = new AbortController().signal): Promise<readonly string[]> {
    return (await this.context.before(CHANNEL, trigger.id, LIMITS, signal)).map(({ text }) => text);
  }

  async #call(work: (api: API, signal: AbortSignal) => Promise<unknown>, signal: AbortSignal): Promise<RestResult> {
    const getMessages = (_channel: string, { after = null, limit = PAGE }: { after?: string | null; limit?: number }): unknown => {
      this.asked.push(after);
      const newer = this.history.filter(({ id }) => after === null || byMoment(id, after) > 0);
      const page = after === null ? newer.slice(-limit) : newer.slice(0, limit);
      return structuredClone(page.toReversed());
    };
    const api = { channels: { getMessages: (...args: Parameters<typeof getMessages>) => Promise.resolve(getMessages(...args)) } };
    const value = await work(api as unknown as API, signal);
    const { held } = this;
    if (held !== null)
      await new Promise<void>((resolve, reject) => {
        held.push(resolve);
        signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
      });
    return { kind: "done", value };
  }
}

test("VS-033 the first time the newest are asked for, then what came after the newest that is kept, and both are told as one", async () => {
  const channel = new Channel();
  for (let at = 0; at < 120; at += 1) channel.say(`early ${at}`);
  const first = channel.say("first");
  assert.deepEqual(
    await channel.before(first),
    Array.from({ length: 15 }, (_, at) => `early ${105 + at}`),
  );
  channel.say("between");
  const second = channel.say("second");
  assert.deepEqual((await channel.before(second)).slice(-3), ["early 119", "first", "between"]);
  assert.deepEqual(channel.asked, [null, first.id]);
});

test("VS-033 VS-038 a gap longer than a page is not filled from its far end: the newest are asked for, and nothing older stands beside them", async () => {
  const channel = new Channel();
  channel.say("old");
  await channel.before(channel.say("first"));
  for (let at = 0; at < 130; at += 1) channel.say(`later ${at}`);
  const second = channel.say("second");
  assert.deepEqual((await channel.before(second)).at(-1), "later 129");
  assert.equal(channel.asked.length, 3);
  assert.ok(!channel.memory.before(CHANNEL, second.id).some(({ text }) => text === "old"));
});

test("VS-038 whoever calls while the channel is being asked waits for that one answer, and asks for itself only where the first went away", async () => {
  const channel = new Channel();
  channel.say("hello");
  const call = channel.say("call");
  channel.held = [];
  const both = [channel.before(call), channel.before(call)];
  await channel.clock.advance(0);
  assert.equal(channel.asked.length, 1);
  for (const go of channel.held.splice(0)) go();
  assert.deepEqual(await Promise.all(both), [["hello"], ["hello"]]);

  const gone = new AbortController();
  const left = channel.before(call, gone.signal);
  const [stays, waits] = [channel.before(call), channel.before(call)];
  await channel.clock.advance(0);
  assert.equal(channel.asked.length, 2);
  gone.abort(new Error("taken away"));
  await assert.rejects(left, { code: "aborted" });
  await channel.clock.advance(0);
  assert.equal(channel.asked.length, 3, "once for both that stayed");
  for (const go of channel.held.splice(0)) go();
  assert.deepEqual(await Promise.all([stays, waits]), [["hello"], ["hello"]]);
});

test("VS-032 VS-038 what is changed or taken away while its page is on the way is told as it is by then", async () => {
  const channel = new Channel();
  const [wrong, secret] = [channel.say("wrong"), channel.say("secret")];
  const call = channel.say("call");
  channel.held = [];
  const told = channel.before(call);
  await channel.clock.advance(0);
  channel.edit(wrong, "right");
  channel.remove(secret);
  for (const go of channel.held.splice(0)) go();
  assert.deepEqual(await told, ["right"]);
});

test("TR-082 what is out of mind since an earlier process is told to nobody", async () => {
  const channel = new Channel();
  const old = channel.say("old");
  channel.say("new");
  channel.outOfMind = old.id;
  assert.deepEqual(await channel.before(channel.say("well?")), ["new"]);
});

test("VS-030 VS-032 VS-033 VS-038 whatever is said, changed and taken away between calls, each call is told the newest that fit of what stands before it", async () => {
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: fc.constant("say" as const), times: fc.integer({ min: 1, max: 130 }) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("edit" as const), at: fc.nat() }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("remove" as const), at: fc.nat() }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant("call" as const) }) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
      const channel = new Channel();
      let count = 0;
      for (const one of steps) {
        const raw = "at" in one ? channel.history[one.at % Math.max(1, channel.history.length)] : undefined;
        if (one.do === "say") for (let at = 0; at < one.times; at += 1) channel.say(`line ${count++}`);
        else if (one.do === "edit" && raw !== undefined) channel.edit(raw, `${raw.content}, changed`);
        else if (one.do === "remove" && raw !== undefined) channel.remove(raw);
        else if (one.do === "call") {
          const call = channel.say("call");
          const expected = channel.history
            .slice(0, -1)
            .map(({ content }) => content)
            .slice(-LIMITS.messages);
          assert.deepEqual(await channel.before(call), expected);
        }
      }
    }),
    { numRuns: 150 },
  );
});
