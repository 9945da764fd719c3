import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import type { LivePacket } from "../../vocabulary/packet.ts";

/** The mode in which a responder searches by itself: for captures and training runs alone. */
const SEARCHING = ["responder", "scoped", "repository", "search"].join("_");

test("TR-037 AE-033 a live packet has one mode and one lane: what searches by itself is no value of their types, and stands in no source that ships", () => {
  const mode: LivePacket["lore_access"]["mode"] = "curated_excerpts_only";
  const lane: LivePacket["generation_lane"] = "packet_only";
  const closed: LivePacket["isolation_requirements"]["no_repo_access"] = true;
  // @ts-expect-error no live reply can select it
  const searching: LivePacket["lore_access"]["mode"] = "responder_scoped_repository_search";
  // @ts-expect-error and none may say that the repository is open
  const open: LivePacket["isolation_requirements"]["no_repo_access"] = false;
  assert.deepEqual([mode, lane, closed, searching, open], ["curated_excerpts_only", "packet_only", true, SEARCHING, false]);
  const sources = globSync("src/**/*.{ts,tsx}").filter((path) => !path.includes(".test."));
  assert.ok(sources.length > 100);
  assert.deepEqual(
    sources.filter((path) => readFileSync(path, "utf8").includes(SEARCHING)),
    [],
  );
});
