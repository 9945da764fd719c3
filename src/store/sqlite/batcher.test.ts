import assert from "node:assert/strict";
import { test } from "node:test";
import { onNextTurn } from "../../foundation/clock.ts";
import { Batcher } from "./batcher.ts";
import type { WriterAnswer, WriterRequest } from "./protocol.ts";

/** Answers each batch at once, within the same turn of the event loop, as a writer does that is faster than this thread. */
function instantly(request: WriterRequest): Promise<WriterAnswer> {
  const calls = request.kind === "batch" ? request.calls : [];
  return Promise.resolve({ kind: "committed", outcomes: calls.map(() => ({ kind: "done", result: null })), commitMs: 0 });
}

test("a writer that answers at once never keeps the event loop from turning, however much there is to write", async () => {
  const batcher = new Batcher(instantly, (failure) => assert.fail(failure));
  const calls = 10_000;
  let [turns, done] = [0, false];
  const turn = (): void => {
    turns += 1;
    if (!done) onNextTurn(turn);
  };
  onNextTurn(turn);
  // Two chains, so that something always waits when a batch is answered.
  const chain = async (): Promise<void> => {
    for (let call = 0; call < calls; call += 1) await batcher.call({ verb: "heartbeat", row: { atMs: call } });
  };
  await Promise.all([chain(), chain()]);
  done = true;
  assert.ok(turns >= calls / 2, `the loop turned ${turns} times beside ${calls} batches`);
  await batcher.drain();
});
