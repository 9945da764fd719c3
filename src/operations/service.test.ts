import assert from "node:assert/strict";
import { test } from "node:test";
import { isRuntimeError } from "../foundation/errors.ts";
import { LOCAL_ACTOR } from "./local-actor.ts";
import { serviceText } from "./service-texts.ts";
import type { ServiceFacts } from "./service.ts";
import { bindService } from "./service.ts";

const FACTS: ServiceFacts = {
  node: "/opt/node/bin/node",
  launcher: "/srv/troupe/bin/troupe.cjs",
  workingDirectory: "/srv/inn",
  stateDirectory: "/srv/inn/.troupe",
  socketFolder: null,
  config: null,
  user: "inn",
  version: "0.1.0",
};

const settingsOf = (unit: string): ReadonlyMap<string, string> =>
  new Map(
    unit
      .split("\n")
      .filter((row) => /^[A-Z]\w+=/.test(row))
      .map((row) => [row.slice(0, row.indexOf("=")), row.slice(row.indexOf("=") + 1)]),
  );

test("TR-095 the systemd unit runs this installation, may write to the state folder alone, and restarts on failure only", () => {
  const settings = settingsOf(serviceText("systemd", FACTS));
  assert.equal(settings.get("ExecStart"), "/opt/node/bin/node /srv/troupe/bin/troupe.cjs run --state /srv/inn/.troupe");
  assert.deepEqual(
    ["NoNewPrivileges", "ProtectSystem", "ReadWritePaths", "Restart", "UMask", "User"].map((name) => settings.get(name)),
    ["yes", "strict", "/srv/inn/.troupe", "on-failure", "0077", "inn"],
  );
  assert.equal(settings.has("WatchdogSec"), false, "nothing would feed it honestly");
  assert.equal(settings.has("MemoryDenyWriteExecute"), false, "JavaScript could not be compiled");
});

test("TR-095 paths with spaces, quotes, percent and dollar signs stay one word of the unit and text of the agent", () => {
  const facts: ServiceFacts = {
    ...FACTS,
    stateDirectory: '/srv/my "inn" 100%/$HOME',
    config: "/srv/a b.yaml",
    workingDirectory: "/srv/<a> & b",
  };
  const unit = settingsOf(serviceText("systemd", facts));
  assert.equal(unit.get("ReadWritePaths"), '"/srv/my \\"inn\\" 100%%/$HOME"');
  assert.ok(
    unit.get("ExecStart")?.endsWith('run --state "/srv/my \\"inn\\" 100%%/$$HOME" --config "/srv/a b.yaml"'),
    unit.get("ExecStart"),
  );
  const agent = serviceText("launchd", facts);
  assert.ok(agent.includes("<string>/srv/&lt;a&gt; &amp; b</string>"));
  assert.ok(agent.includes("<string>/srv/a b.yaml</string>"));
  assert.throws(
    () => serviceText("systemd", { ...FACTS, stateDirectory: "/srv/inn\nExecStartPre=/bin/sh" }),
    (error) => isRuntimeError(error, "usage"),
  );
});

test("TR-095 a unit hides other programs' temporary files only where nothing of ours has to be found among them", () => {
  const settings = (more: Partial<ServiceFacts>): readonly (string | undefined)[] => {
    const unit = serviceText("systemd", { ...FACTS, ...more });
    return [settingsOf(unit).get("PrivateTmp"), unit.includes("\nReadWritePaths=/tmp\n") ? "/tmp" : undefined];
  };
  assert.deepEqual(settings({}), ["yes", undefined]);
  assert.deepEqual(settings({ stateDirectory: "/tmp/inn/.troupe" }), ["no", undefined]);
  assert.deepEqual(settings({ socketFolder: "/tmp" }), ["no", "/tmp"]);
});

test("TR-095 the container pins Node.js, runs as no root, keeps its house in a volume, and asks for its health without a token", () => {
  const file = serviceText("container", FACTS);
  const rows = file.split("\n").filter((row) => !row.startsWith("#"));
  const images = rows.filter((row) => row.startsWith("FROM "));
  assert.equal(images.length, 2);
  for (const image of images) assert.match(image, new RegExp(`node:${process.versions.node.replaceAll(".", "\\.")}-slim`));
  assert.ok(rows.indexOf("USER node") < rows.indexOf('CMD ["run"]') && rows.indexOf("USER node") > 0);
  assert.ok(rows.includes("VOLUME /house"));
  assert.ok(rows.some((row) => row.includes("http://127.0.0.1:7778/healthz")));
  assert.doesNotMatch(file, /authorization|token/i);
});

test("TR-009 service prints its text as it is, and takes no other kind", async () => {
  const operation = bindService(FACTS);
  const context = { actor: LOCAL_ACTOR, signal: new AbortController().signal };
  const answer = await operation.run({ action: "print", kind: "launchd" }, context);
  const { lines, exit } = operation.present(answer);
  assert.equal(exit, "done");
  assert.equal(`${lines.map(({ text }) => text).join("\n")}\n`, serviceText("launchd", FACTS));
  await assert.rejects(operation.run({ action: "print", kind: "cron" }, context), (error) => isRuntimeError(error, "usage"));
  await assert.rejects(operation.run({ action: "install", kind: "systemd" }, context), (error) => isRuntimeError(error, "usage"));
});
