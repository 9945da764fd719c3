import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isRuntimeError } from "../foundation/errors.ts";
import type { ErrorCode } from "../foundation/errors.ts";
import { ManualClock } from "../testing/manual-clock.ts";
import { scratchRoot } from "../testing/scratch-root.ts";
import { LOCAL_OWNER } from "../vocabulary/principal.ts";
import { haltFileThere, watchHaltFile } from "../wiring/halt-file.ts";
import { runOverHttp } from "./faces/http.ts";
import { bindHalt } from "./halt.ts";
import { createOperations } from "./operations.ts";

const OWNER = { principal: LOCAL_OWNER, role: "operator", assurance: "local", channel: "direct" } as const;
const signal = new AbortController().signal;

function bench(more: { readonly file?: boolean; readonly halted?: boolean } = {}) {
  const did: string[] = [];
  const operations = createOperations(
    bindHalt(
      {
        halt: ({ by, via }) => (did.push(`halt ${via} ${by}`), Promise.resolve({ ended: 3 })),
        rearm: ({ by }) => (did.push(`rearm ${by}`), Promise.resolve({ rearmed: more.halted !== false })),
        fileThere: () => more.file === true,
      },
      new ManualClock(),
    ),
  );
  return { did, operations };
}

const fails = (code: ErrorCode) => (error: unknown) => isRuntimeError(error, code);

test("TR-073 halt works from a page and the command line; rearm from no page, whoever calls", async () => {
  const { did, operations } = bench();
  const call = (name: string): ReturnType<typeof runOverHttp> =>
    runOverHttp(operations, { name, body: { args: {} }, actor: OWNER }, signal);
  assert.deepEqual((await call("halt")).status, 200);
  const refused = await call("rearm");
  assert.deepEqual([refused.status, refused.body.kind === "failed" && refused.body.code], [403, "forbidden"]);
  await operations.run("rearm", {}, OWNER, signal);
  assert.deepEqual(did, ["halt command local:owner", "rearm local:owner"]);
  await assert.rejects(() => operations.run("rearm", {}, { ...OWNER, assurance: "platform" }, signal), fails("forbidden"));
  for (const actor of [
    { ...OWNER, assurance: "relayed" },
    { ...OWNER, role: "trusted" },
  ] as const)
    for (const name of ["halt", "rearm"]) await assert.rejects(() => operations.run(name, {}, actor, signal), fails("forbidden"));
  assert.equal(did.length, 2);
});

test("TR-073 nothing is taken up again while the file lies there, or where nothing stands", async () => {
  const there = bench({ file: true });
  await assert.rejects(() => there.operations.run("rearm", {}, OWNER, signal), fails("usage"));
  assert.deepEqual(there.did, []);
  await assert.rejects(() => bench({ halted: false }).operations.run("rearm", {}, OWNER, signal), fails("not_found"));
});

test("TR-073 a file named halt in the state folder is seen within a second, and told once", async (context) => {
  const folder = mkdtempSync(join(scratchRoot(), "troupe-halt-"));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const clock = new ManualClock();
  let came = 0;
  using _watch = watchHaltFile(folder, clock, () => (came += 1));
  await clock.advance(5_000);
  assert.equal(came, 0);
  writeFileSync(join(folder, "halt"), "");
  await clock.advance(3_000);
  assert.deepEqual([came, haltFileThere(folder)], [1, true]);
  rmSync(join(folder, "halt"));
  await clock.advance(1_000);
  writeFileSync(join(folder, "halt"), "");
  await clock.advance(1_000);
  assert.equal(came, 2);
  assert.ok(existsSync(join(folder, "halt")));
});
