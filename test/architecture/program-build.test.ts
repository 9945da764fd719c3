import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { before, suite, test } from "node:test";
import type { Rolldown } from "vite";
import { build } from "vite";
import { PROGRAM, programConfig, programSources } from "../../tools/program.config.ts";

const USING = /^\s*(?:await )?using \w+ =/gm;
const countUsing = (code: string): number => code.match(USING)?.length ?? 0;

suite("the program as it ships", () => {
  let chunks: readonly Rolldown.OutputChunk[] = [];

  before(async () => {
    const config = programConfig(programSources(), "dist");
    const built = await build({ ...config, logLevel: "silent", build: { ...config.build, write: false } });
    assert.ok("output" in built);
    chunks = built.output.filter((file) => file.type === "chunk");
  });

  test("what is started or imported by its name has that name, and what is shared lies one folder below the root", () => {
    const entries = chunks.filter(({ isEntry }) => isEntry).map(({ fileName }) => fileName);
    assert.deepEqual(entries.toSorted(), PROGRAM.map((name) => `${name}.js`).toSorted());
    for (const { fileName, isEntry } of chunks) if (!isEntry) assert.match(fileName, /^chunks\/[^/]+\.js$/);
    const holder = chunks.find(({ moduleIds }) => moduleIds.some((id) => id.endsWith("/src/foundation/own-files.ts")));
    assert.match(holder?.fileName ?? "", /^chunks\//, "own-files.ts would look for everything in the wrong folder");
  });

  test("only an entry and own-files.ts ask where they lie: what a build puts elsewhere would look for everything in the wrong folder", () => {
    const asks = globSync("src/**/*.{ts,tsx}").filter(
      (path) => !/\.test\.tsx?$/.test(path) && /import\.meta\.(?:url|dirname|filename)/.test(readFileSync(path, "utf8")),
    );
    const entries: readonly string[] = PROGRAM.map((name) => `src/${name}.ts`);
    assert.deepEqual(
      asks.filter((path) => !entries.includes(path)),
      ["src/foundation/own-files.ts"],
    );
  });

  test("packages stay packages, so that an audit sees them", () => {
    const ids = chunks.flatMap(({ moduleIds }) => moduleIds);
    assert.ok(ids.length > 300, `${ids.length} modules`);
    assert.deepEqual(
      ids.filter((id) => id.includes("/node_modules/")),
      [],
    );
  });

  test("every `using` of the sources is one still: a bundler that makes it a variable leaves locks and threads behind", () => {
    const modules = new Set(chunks.flatMap(({ moduleIds }) => moduleIds).filter((id) => id.includes("/src/")));
    const inSources = [...modules].reduce((sum, id) => sum + countUsing(readFileSync(id, "utf8")), 0);
    const inProgram = chunks.reduce((sum, { code }) => sum + countUsing(code), 0);
    assert.ok(inSources > 50, String(inSources));
    assert.equal(inProgram, inSources);
  });
});
