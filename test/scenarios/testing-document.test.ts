import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { runConformance, troupeUnderTest } from "../../src/testing/index.ts";
import type { RuntimeUnderTest } from "../../src/testing/index.ts";

const run = promisify(execFile);
const ENTRY = new URL("../../src/testing/index.ts", import.meta.url).href;

test("the examples of docs/testing.md run as they stand", async (context) => {
  const examples = [...(await readFile("docs/testing.md", "utf8")).matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = ""]) => code);
  assert.equal(examples.length, 3);
  const folder = await mkdtemp(join(tmpdir(), "troupe-examples-"));
  try {
    for (const [at, code] of examples.entries()) {
      assert.match(code, /from "troupe\/testing"/);
      const file = join(folder, `example-${at}.ts`);
      await writeFile(file, code.replaceAll('"troupe/testing"', JSON.stringify(ENTRY)));
      const { stdout } = await run(process.execPath, [file], { signal: context.signal });
      assert.notEqual(stdout, "");
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test("a runtime that answers everything twice fails the suite, and what it lacks does not count against it", async (context) => {
  const careless: RuntimeUnderTest = {
    ...troupeUnderTest,
    name: "careless",
    lacks: { splitter: "it has none" },
    async open(world, signal) {
      const living = await troupeUnderTest.open(world, signal);
      return {
        deliver: (line, platform) => living.deliver(line, platform),
        remove: (delivery, platform) => living.remove(delivery, platform),
        pass: (ms) => living.pass(ms),
        sent: (platform) => living.sent(platform).flatMap((part) => [part, part]),
        calls: () => living.calls(),
        restart: () => living.restart(),
        log: () => living.log(),
        notices: () => living.notices(),
        configuration: () => living.configuration(),
        why: (delivery, platform) => living.why(delivery, platform),
        [Symbol.asyncDispose]: () => living[Symbol.asyncDispose](),
      };
    },
  };
  const score = await runConformance(careless, context.signal, { only: [51, 53, 77] });
  assert.deepEqual(
    score.cases.map(({ case: name, result }) => `${name} ${result}`),
    ["A51 fail", "A53 fail", "A77 not_applicable"],
  );
  assert.deepEqual([score.passed, score.failed, score.notApplicable], [0, 2, 1]);
  assert.ok(score.cases.every(({ why }) => why !== ""));
});
