import assert from "node:assert/strict";
import { connect } from "node:net";
import { once } from "node:events";
import { test } from "node:test";
import { systemClock } from "../foundation/clock.ts";
import { silentLog } from "../foundation/log.ts";
import { answerStream } from "./answers.ts";
import { EventStream } from "./event-stream.ts";
import { openListener } from "./web.ts";
test("a stream whose reader went while it was being opened ends", async () => {
  const never = new AbortController().signal;
  const asked = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const handler = async (request: Request): Promise<Response> => {
    asked.resolve();
    if (!request.signal.aborted) await once(request.signal, "abort"); // a commit is waited for: Members.#renew
    const stream = new EventStream<{ type: string }>({
      clock: systemClock,
      beat: () => ({ type: "beat" }),
      slow: { type: "slow" },
      onEnd: () => ended.resolve(),
    });
    stream.push({ type: "snapshot" });
    return answerStream(stream.body);
  };
  await using listener = await openListener(
    { clock: systemClock, log: silentLog },
    { reach: { kind: "loopback", handler }, port: 0, key: "k", assets: new Map() },
    never,
  );
  const socket = connect(listener.port, "127.0.0.1");
  socket.write(`GET /api/stream HTTP/1.1\r\nhost: 127.0.0.1:${listener.port}\r\nauthorization: Bearer x\r\n\r\n`);
  await asked.promise;
  socket.destroy();
  const late = systemClock.sleep(1_500, never).then(() => "still open");
  assert.equal(await Promise.race([ended.promise.then(() => "ended"), late]), "ended");
});
