import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { systemClock } from "../foundation/clock.ts";
import { silentLog } from "../foundation/log.ts";
import { Secret } from "../foundation/secret.ts";
import { ManualClock } from "../testing/manual-clock.ts";
import type { Notice, SendNotice } from "./notices.ts";
import { MAX_KEPT, createNotices } from "./notices.ts";
import { bindNotices } from "./notices-operation.ts";
import { createWebhook, noticeBody } from "./webhook.ts";

test("TR-093 the first of a kind goes out at once, the rest of its minute as one, and kinds do not mix", async () => {
  const clock = new ManualClock();
  const sent: Notice[] = [];
  await using notices = createNotices({ clock, log: silentLog, send: (notice) => Promise.resolve(sent.push(notice) > 0) });
  const told = (): readonly unknown[] => sent.map(({ kind, count, ids, counts }) => [kind, count, ids, counts]);
  notices.note("loop", { ids: ["m-1"] });
  for (let at = 2; at <= 30; at += 1) notices.note("loop", { ids: [`m-${at}`], counts: { rounds: 2 } });
  notices.note("host_down");
  await clock.advance(59_000);
  assert.deepEqual(told(), [
    ["loop", 1, ["m-1"], {}],
    ["host_down", 1, [], {}],
  ]);
  await clock.advance(1_000);
  assert.deepEqual(told().slice(2), [["loop", 29, ["m-23", "m-24", "m-25", "m-26", "m-27", "m-28", "m-29", "m-30"], { rounds: 58 }]]);
  notices.note("loop", { ids: ["m-31"] });
  await clock.advance(59_999);
  assert.equal(sent.length, 3, "a minute follows each that was sent");
  await clock.advance(1);
  assert.equal(sent.length, 4);
  await clock.advance(60_000);
  notices.note("loop");
  assert.equal(sent.length, 5, "after a quiet minute the next goes out at once");
});

test("TR-093 only ids and numbers get in", async () => {
  const clock = new ManualClock();
  await using notices = createNotices({ clock, log: silentLog, send: null });
  notices.note("somebody_tried", { ids: ["m-1", "Ben says hello", "x\ny", "z".repeat(81)], counts: { "a b": 1, tries: 2 } });
  const [notice] = notices.recent();
  assert.deepEqual([notice?.ids, notice?.counts], [["m-1"], { tries: 2 }]);
  assert.deepEqual(Object.keys(JSON.parse(notice === undefined ? "{}" : noticeBody(notice))).toSorted(), [
    "content",
    "count",
    "counts",
    "firstAtMs",
    "ids",
    "kind",
    "lastAtMs",
    "program",
    "text",
  ]);
});

test("TR-093 the last two hundred are kept, newest first, and an operator lists them", async () => {
  const clock = new ManualClock();
  await using notices = createNotices({ clock, log: silentLog, send: null });
  for (let at = 0; at < MAX_KEPT + 50; at += 1) {
    notices.note("loop", { ids: [`m-${at}`] });
    await clock.advance(61_000);
  }
  notices.note("budget");
  notices.note("budget");
  assert.equal(notices.recent().length, MAX_KEPT);
  assert.equal(notices.recent()[0]?.kind, "budget");
  const operation = bindNotices(notices);
  const actor = { principal: "local:owner", role: "operator", assurance: "local", channel: "direct" } as const;
  const answer = await Reflect.apply(operation.run, operation, [{ limit: 2 }, { actor, signal: new AbortController().signal }]);
  assert.deepEqual(operation.present(answer).lines.length, 2);
  assert.match(operation.present(answer).lines[0]?.text ?? "", /budget {2}1 ×/);
});

test("TR-093 a notice is tried three times, then dropped and counted, and nothing waits for it", async () => {
  const clock = new ManualClock();
  let tries = 0;
  const send: SendNotice = () => {
    tries += 1;
    return Promise.resolve(false);
  };
  await using notices = createNotices({ clock, log: silentLog, send });
  notices.note("loop");
  await clock.advance(1_000);
  assert.deepEqual([tries, notices.dropped], [1, 0]);
  await clock.advance(1_000);
  assert.equal(tries, 2);
  await clock.advance(8_000);
  assert.deepEqual([tries, notices.dropped], [3, 1]);
  await clock.advance(100_000);
  assert.equal(tries, 3);
});

test("TR-093 an address that never answers holds nothing up, and the end does not wait for it", async () => {
  const clock = new ManualClock();
  const send: SendNotice = (_notice, signal) =>
    new Promise((_, reject) =>
      signal.addEventListener("abort", () => reject(signal.reason instanceof Error ? signal.reason : new RangeError())),
    );
  const notices = createNotices({ clock, log: silentLog, send });
  for (let at = 0; at < 100; at += 1) {
    notices.note("loop");
    await clock.advance(61_000);
  }
  assert.equal(notices.recent().length, 100);
  assert.equal(notices.dropped, 100 - 1 - 64);
  await notices[Symbol.asyncDispose]();
  notices.note("loop");
  assert.equal(clock.pending, 0);
});

test("TR-093 the webhook gets one POST of JSON, follows no redirect, and says only whether it was taken", async () => {
  const seen: { method: string | undefined; url: string | undefined; body: string }[] = [];
  await using server = createServer((request, response) => {
    let body = "";
    request.on("data", (piece: Buffer) => (body += piece.toString("utf8")));
    request.on("end", () => {
      seen.push({ method: request.method, url: request.url, body });
      const status = request.url === "/hook/moved" ? 307 : request.url === "/hook/broken" ? 500 : 204;
      response.writeHead(status, { location: "/hook/stolen" }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? (address satisfies AddressInfo).port : 0;
  const notice: Notice = { kind: "loop", count: 3, firstAtMs: 1, lastAtMs: 2, ids: ["m-1"], counts: { rounds: 6 } };
  const signal = new AbortController().signal;
  const to = (path: string): Promise<boolean> =>
    createWebhook(Secret.parse(`http://127.0.0.1:${port}${path}`, "test"), systemClock)(notice, signal);
  assert.equal(await to("/hook/good"), true);
  assert.equal(await to("/hook/moved"), false);
  assert.equal(await to("/hook/broken"), false);
  assert.deepEqual(
    seen.map(({ method, url }) => [method, url]),
    [
      ["POST", "/hook/good"],
      ["POST", "/hook/moved"],
      ["POST", "/hook/broken"],
    ],
  );
  assert.deepEqual(JSON.parse(seen[0]?.body ?? ""), {
    program: "troupe",
    ...notice,
    text: "Troupe: loop (3 times) · rounds 6 · m-1",
    content: "Troupe: loop (3 times) · rounds 6 · m-1",
  });
  server.closeAllConnections();
});
