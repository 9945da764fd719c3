import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "../../../../testing/manual-clock.ts";
import { OPERATION_MS, OperationsClient } from "./operations-client.ts";

const isText = (value: unknown): value is string => typeof value === "string";
const { signal } = new AbortController();

/** A client whose server answers this, or never. */
function clientOf(answer: string | null, clock: ManualClock = new ManualClock(), asked: RequestInit[] = []): OperationsClient {
  return new OperationsClient({
    clock,
    bearer: () => "token",
    fetch: (path, init) => {
      asked.push(init);
      assert.equal(path, "/api/operations/status");
      if (answer !== null) return Promise.resolve(new Response(answer));
      return new Promise((_, reject) => init.signal?.addEventListener("abort", () => reject(new DOMException("gone", "AbortError"))));
    },
  });
}

test("SE-086 an operation is asked for with the token in a header and its arguments in the body", async () => {
  const asked: RequestInit[] = [];
  const told = await clientOf('{"kind":"done","text":"","data":"fine"}', new ManualClock(), asked).run(
    { name: "status", args: { limit: 1 } },
    isText,
    signal,
  );
  assert.deepEqual(told, { kind: "done", value: "fine" });
  assert.deepEqual(
    [asked[0]?.method, asked[0]?.body, asked[0]?.headers],
    ["POST", '{"args":{"limit":1}}', { "content-type": "application/json", authorization: "Bearer token" }],
  );
});

test("what fails has a code and a sentence, whatever came back", async () => {
  const cases: readonly (readonly [string, string])[] = [
    ['{"kind":"failed","code":"not_found","message":"Cannot."}', "not_found"],
    ['{"code":"unauthorized","message":"Come in first."}', "unauthorized"],
    ['{"kind":"done","data":7}', "failed"],
    ['{"kind":"done"}', "failed"],
    ["[]", "failed"],
    ["no json", "unreachable"],
  ];
  for (const [answer, code] of cases) {
    const told = await clientOf(answer).run({ name: "status" }, isText, signal);
    assert.equal(told.kind === "failed" ? told.code : told.value, code, answer);
  }
});

test("a server that never answers is given up after its time, and a caller who leaves hears its own reason", async () => {
  const clock = new ManualClock();
  const told = clientOf(null, clock).run({ name: "status" }, isText, signal);
  await clock.advance(OPERATION_MS);
  assert.deepEqual(await told, { kind: "failed", code: "unreachable", message: "No answer came." });
  const leaving = new AbortController();
  const left = clientOf(null).run({ name: "status" }, isText, leaving.signal);
  leaving.abort();
  await assert.rejects(left, /gone/);
});
