import assert from "node:assert/strict";
import { once } from "node:events";
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { isRuntimeError } from "../../src/foundation/errors.ts";
import { rawRequest } from "../../src/testing/raw-request.ts";
import type { HarnessOptions } from "./road-harness.ts";
import { inFolder, openHarness, says } from "./road-harness.ts";
import type { Running } from "./troupe-process.ts";
import { GOOD, NOBODY, Workshop, assertNoTrace, assertOneClearLine } from "./troupe-process.ts";

/** Each test spawns a few processes; none takes seconds on an idle machine. */
const AT_ONCE = { concurrency: 2, timeout: 120_000 };
const SECRET = "sk-live-0123456789-abcdefghij-klmnop";
const FULL_DISK = fileURLToPath(new URL("./full-disk.ts", import.meta.url));
const host = (more: string, url: string = "http://127.0.0.1:1/v1"): string =>
  `${GOOD}models: { hosts: { far: { api: openai, url: "${url}", models: [m], ${more} } } }\n`;
const operator = (entry: string): string => `${GOOD}people: { operators: ["${entry}"] }\n`;
/** Nine levels of ten: a billion entries if anybody followed it. */
const BOMB = Array.from(
  { length: 9 },
  (_, at) =>
    `${"abcdefghi".charAt(at)}: &${"abcdefghi".charAt(at)} [${Array(10)
      .fill(at === 0 ? "x" : `*${"abcdefghi".charAt(at - 1)}`)
      .join(", ")}]\n`,
).join("");

interface BadConfig {
  readonly name: string;
  readonly yaml: string;
  /** The place, the thing, the rule and the cure. */
  readonly words: readonly (string | RegExp)[];
  readonly prepare?: (shop: Workshop) => void;
  readonly environment?: Readonly<Record<string, string>>;
}

const BAD_CONFIGS: readonly BadConfig[] = [
  {
    name: "MC-104 an unknown key",
    yaml: `${GOOD}survaces: {}\n`,
    words: ["troupe.yaml:6:1", "survaces: unknown key", "did you mean surfaces?"],
  },
  {
    name: "MC-104 an unknown key deep inside",
    yaml: GOOD.replace("port: 0, character", "prot: 0, character"),
    words: ["troupe.yaml:4:26", "surfaces.parlour.prot", "did you mean port?"],
  },
  { name: "MC-088 65 KiB", yaml: `${GOOD}#${"x".repeat(66_560)}\n`, words: ["troupe.yaml", "over 65536 bytes", "shorten it"] },
  { name: "MC-104 a YAML alias bomb", yaml: BOMB, words: ["troupe.yaml:2:7 b", "anchors (&name) are not used here; write the value out"] },
  {
    name: "MC-035 a nil UUID as operator",
    yaml: operator("grid:osgrid:00000000-0000-0000-0000-000000000000"),
    words: ["troupe.yaml:6:23", "people.operators[0]", "nil UUID", "write the avatar's own"],
  },
  {
    name: "MC-035 a wildcard operator",
    yaml: operator("discord:*"),
    words: ["troupe.yaml:6:23", "wildcards are refused", "list each account by its id"],
  },
  {
    name: "SE-087 a room member as operator",
    yaml: operator("room:m-abc"),
    words: ["troupe.yaml:6:23", "room members can never be operators", "uses the console"],
  },
  {
    name: "MC-104 an address that is not http",
    yaml: host("", "ftp://127.0.0.1/v1"),
    words: ["troupe.yaml:6:", "models.hosts.far.url", "must begin with http:// or https://"],
  },
  {
    name: "MC-104 an address with a fragment",
    yaml: host("", `http://anna:${SECRET}@127.0.0.1/v1?key=${SECRET}#x`),
    words: ["troupe.yaml:6:", "models.hosts.far.url", "must have no fragment (#)"],
  },
  {
    name: "MC-105 a key_env that is not set",
    yaml: host("key_env: FAR_KEY"),
    words: ["troupe.yaml:6:", "models.hosts.far.key_env", "FAR_KEY is not set"],
  },
  {
    name: "MC-105 a key_env that is too short",
    yaml: host("key_env: FAR_KEY"),
    environment: { FAR_KEY: "sk-live-01" },
    words: ["models.hosts.far.key_env", "FAR_KEY", "shorter than 20 characters"],
  },
  {
    name: "MC-088 a key_file that others can read",
    yaml: host("key_file: far.key"),
    prepare: (shop) => void shop.write("far.key", SECRET, 0o644),
    words: ["troupe.yaml:6:", "models.hosts.far.key_file", "open to others; run chmod 600 on it"],
  },
  {
    name: "MC-088 a key_file that is a symbolic link",
    yaml: host("key_file: far.key"),
    prepare: (shop) => symlinkSync(shop.write("real.key", SECRET, 0o600), join(shop.folder, "far.key")),
    words: ["models.hosts.far.key_file", "it is a symbolic link"],
  },
  {
    name: "MC-088 a key_file that is too short",
    yaml: host("key_file: far.key"),
    prepare: (shop) => void shop.write("far.key", "sk-live-01\n", 0o600),
    words: ["models.hosts.far.key_file", "shorter than 20 characters"],
  },
  {
    name: "MC-088 a folder as configuration",
    yaml: GOOD,
    prepare: (shop) => {
      rmSync(shop.config);
      mkdirSync(shop.config);
    },
    words: ["configuration troupe.yaml", "it is a folder", "name a regular file with --config"],
  },
  {
    name: "MC-088 a named configuration that is not there",
    yaml: GOOD,
    environment: { TROUPE_CONFIG: "nowhere.yaml" },
    words: ["configuration nowhere.yaml", "does not exist", "name a regular file with --config"],
  },
];

const CHECKED = z.object({
  findings: z.array(z.object({ level: z.string(), message: z.string(), cure: z.string() })),
  triggers: z.array(z.object({ surface: z.string(), answered: z.string() })),
});

describe("bad configuration", AT_ONCE, () => {
  for (const { name, yaml, words, prepare, environment = {} } of BAD_CONFIGS) {
    test(`${name} is one clear line, exit 1, nothing is touched, and check finds the same`, async () => {
      await using shop = new Workshop(yaml);
      prepare?.(shop);
      const before = shop.listing();
      const ended = await shop.run(["run"], { environment });
      assertOneClearLine(ended, words);
      const checked = await shop.run(["check", "--json"], { environment });
      assert.equal(checked.code, 1, checked.out);
      assert.equal(checked.error, "");
      const errors = CHECKED.parse(JSON.parse(checked.out)).findings.filter(({ level }) => level === "error");
      assert.ok(errors.length > 0);
      for (const { message, cure } of errors.slice(0, 20)) {
        assert.ok(ended.error.includes(message), `${message}\nis not in\n${ended.error}`);
        assert.notEqual(cure, "");
      }
      for (const text of [ended.error, checked.out]) assert.doesNotMatch(text, /sk-live/, "no secret is shown");
      withoutLauncher(before, shop);
    });
  }

  test("TR-086 check on a good configuration ends with 0 and says who may trigger what", async () => {
    await using shop = new Workshop();
    const before = shop.listing();
    const { code, out, error } = await shop.run(["check"]);
    assert.deepEqual([code, error], [0, ""], out);
    assert.match(out, /Who may trigger what/);
    assert.match(out, /^ +parlour +this computer +everyone who speaks to a character/m);
    assert.match(out, /^ +terminal +this user +you/m);
    assert.doesNotMatch(out, /✗/);
    assert.deepEqual(shop.listing(), before, "check changes nothing");
  });
});

/** What was there is there, byte for byte; only the launcher may have made the (empty) state folder for its compile cache. */
function withoutLauncher(before: Readonly<Record<string, string>>, shop: Workshop): void {
  const { state, ...rest } = shop.listing();
  assert.ok(state === before["state"] || state === "folder 700");
  const { state: _, ...expected } = before;
  assert.deepEqual(rest, expected);
}

describe("the command line", AT_ONCE, () => {
  const USAGE: readonly [name: string, args: readonly string[], words: readonly (string | RegExp)[]][] = [
    ["an unknown command", ["chekc"], ["unknown command 'chekc'", "Did you mean check?"]],
    ["an unknown command like no other", ["frobnicate"], ["unknown command 'frobnicate'", "--help lists what there is"]],
    ["an unknown option", ["why", "--lsat", "3"], ["unknown option '--lsat'", "Did you mean --last?"]],
    ["help on an unknown command", ["help", "nope"], ["unknown command 'nope'", "--help lists what there is"]],
    ["help on a mistyped command", ["help", "chekc"], ["unknown command 'chekc'", "Did you mean check?"]],
    ["a missing argument", ["trust"], ["missing required argument 'person'", "--help"]],
    ["a surplus argument", ["check", "all"], ["too many arguments", "--help"]],
    ["a number that is none", ["why", "--last", "many"], ["last"]],
  ];
  for (const [name, args, words] of USAGE) {
    test(`TR-009 ${name} is one line and exit 2`, async () => {
      await using shop = new Workshop();
      const before = shop.listing();
      assertOneClearLine(await shop.run(args), words, 2);
      assert.deepEqual(shop.listing(), before);
    });
  }

  test("SE-094 why with an unknown or an ambiguous id says so, with a running process and without", async () => {
    await using shop = new Workshop();
    assertOneClearLine(await shop.run(["why", "m-none"]), [shop.state, "nothing was kept yet", "troupe run"]);
    const running = await shop.start();
    const secret = await running.join("Kim");
    for (const id of ["a", "b"]) assert.equal(await running.say(secret, { id, text: `hello Mirelle, ${id}` }), 202);
    for (const alive of [true, false]) {
      if (!alive) assert.equal(await running.stop(), 0);
      const before = alive ? null : rowsOf(shop);
      assertOneClearLine(await shop.run(["why", "zzz"]), ["no message has an id that begins so"]);
      assertOneClearLine(await shop.run(["why", "m"]), ["several messages begin so", "give more of the id"], 2);
      if (before !== null) assert.deepEqual(rowsOf(shop), before);
    }
  });
});

/** Every row of every table but the lease, which each opening renews, and the epoch, which it raises. */
function rowsOf(shop: Workshop): unknown {
  using db = new DatabaseSync(join(shop.state, "troupe.db"), { readOnly: true });
  const tables = z.array(z.object({ name: z.string() })).parse(db.prepare("select name from sqlite_schema where type = 'table'").all());
  return Object.fromEntries(
    tables
      .filter(({ name }) => name !== "lease")
      .map(({ name }) => [name, db.prepare(`select * from "${name}"${name === "meta" ? " where key <> 'epoch'" : ""}`).all()]),
  );
}

function leaseOwner(shop: Workshop): unknown {
  using db = new DatabaseSync(join(shop.state, "troupe.db"), { readOnly: true });
  return db.prepare("select owner from lease where id = 1").get()?.["owner"];
}

/** A line waits a moment for more of the same thought, and its answer keeps the room's pace. */
async function untilAnswered(shop: Workshop): Promise<void> {
  for (let wait = 0; wait < 100 && openRows(shop).length > 0; wait += 1) await new Promise((resolve) => setTimeout(resolve, 100));
}

/** A state folder in which people have talked. */
async function talkIn(shop: Workshop): Promise<void> {
  const running = await shop.start();
  const secret = await running.join("Kim");
  for (let n = 0; n < 4; n += 1)
    assert.equal(await running.say(secret, { id: `line-${n}`, text: `Mirelle, ${"word ".repeat(300)}`, private: true }), 202);
  await untilAnswered(shop);
  assert.equal(await running.stop(), 0);
}

describe("ports", AT_ONCE, () => {
  for (const [name, key, yaml] of [
    ["the room's", "surfaces.parlour.port", (port: number) => GOOD.replace("kind: room, port: 0", `kind: room, port: ${port}`)],
    ["the console's", "console.port", (port: number) => GOOD.replace("console: { port: 0 }", `console: { port: ${port} }`)],
  ] as const) {
    test(`TR-085 ${name} port in use: one line with port and key, messages keep their tries, the lease is given back, the other program is unharmed`, async () => {
      await using shop = new Workshop();
      await talkIn(shop);
      leaveHalfDone(shop);
      const other = createServer((_, answer) => answer.end("mine"));
      await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
      try {
        const { port } = z.custom<AddressInfo>().parse(other.address());
        shop.write("troupe.yaml", yaml(port));
        const [rows, files] = [rowsOf(shop), Object.keys(shop.listing())];
        for (const _ of [1, 2])
          assertOneClearLine(await shop.run(["run"]), [`127.0.0.1:${port}`, "the port is taken", `set ${key} to another one`]);
        assert.deepEqual(rowsOf(shop), rows);
        assert.deepEqual(Object.keys(shop.listing()), files, "no debris");
        assert.equal(leaseOwner(shop), "");
        const checked = await shop.run(["check"]);
        assert.equal(checked.code, 1);
        assert.match(checked.out, new RegExp(`✗ +${key.replaceAll(".", "\\.")} +port ${port} is taken by another program\n +→ `));
        assert.equal((await rawRequest(port, { path: "/" })).text, "mine");
      } finally {
        other.close();
      }
      shop.write("troupe.yaml", GOOD);
      const again = await shop.start();
      assert.deepEqual([again.recovered.messagesAgain, again.recovered.interrupted], [1, 0]);
      assert.equal(await again.stop(), 0);
    });
  }
});

/** As a process leaves it that was killed while it thought: the last message is running, on its first try. */
function leaveHalfDone(shop: Workshop): void {
  using db = new DatabaseSync(join(shop.state, "troupe.db"));
  const { changes } = db
    .prepare(
      `update inbox set state = 'running', end = null, end_reason = null, ended_at_ms = null, attempts = 1
       where n = (select max(n) from inbox)`,
    )
    .run();
  assert.equal(changes, 1);
}

describe("the state folder", AT_ONCE, () => {
  for (const [name, spoil, words] of [
    [
      "a database of a newer version",
      (file: string) => {
        using db = new DatabaseSync(file);
        db.exec("update meta set value = '999' where key = 'schema'");
      },
      ["a newer version wrote it (format 999", "TROUPE_STATE"],
    ],
    [
      "a database with garbage for a header",
      (file: string) => writeFileSync(file, Buffer.concat([Buffer.alloc(100, "x"), readFileSync(file).subarray(100)])),
      ["damaged", "backup"],
    ],
    [
      "a database that ends in the middle",
      (file: string) => truncateSync(file, 4_096 * Math.floor(readFileSync(file).length / 8_192) + 100),
      ["damaged", "backup"],
    ],
    ["a database that is something else", (file: string) => writeFileSync(file, "once upon a time\n".repeat(500)), ["damaged", "backup"]],
  ] as const) {
    test(`TR-085 ${name} is one line, and not a byte is changed`, async () => {
      await using shop = new Workshop();
      await talkIn(shop);
      const file = join(shop.state, "troupe.db");
      spoil(file);
      const before = shop.listing();
      for (const args of [["run"], ["why"], ["chat"]]) assertOneClearLine(await shop.run(args), [file, ...words]);
      assert.deepEqual(shop.listing(), before);
    });
  }

  test("TR-085 a read-only state folder, a read-only database, and a folder nobody may make: one line each, as a user without rights", async () => {
    await using shop = new Workshop();
    await talkIn(shop);
    shop.giveAway();
    const file = join(shop.state, "troupe.db");
    for (const [path, mode, right, named] of [
      [shop.state, 0o500, 0o700, shop.state],
      [file, 0o400, 0o600, file],
    ] as const) {
      chmodSync(path, mode);
      const before = shop.listing();
      for (const args of [["run"], ["chat"]]) assertOneClearLine(await shop.run(args, { as: NOBODY }), [named, /TROUPE_STATE/]);
      assert.deepEqual(shop.listing(), before);
      chmodSync(path, right);
    }
    chmodSync(shop.folder, 0o555);
    const elsewhere = join(shop.folder, "new");
    const denied = await shop.run(["run"], { as: NOBODY, environment: { TROUPE_STATE: elsewhere } });
    assertOneClearLine(denied, [elsewhere, "may not write", "TROUPE_STATE"]);
    const checked = await shop.run(["check"], { as: NOBODY, environment: { TROUPE_STATE: elsewhere } });
    assert.match(checked.out, /✗ +state +\S+ cannot be used: this user may not write/);
    assert.equal(checked.code, 1);
    chmodSync(shop.folder, 0o755);
    assert.equal((await shop.run(["why", "--last", "1"], { as: NOBODY })).code, 0, "with its rights back it works");
  });

  test("TR-085 TROUPE_STATE at a file, and a folder that everyone can write to: one line with the cure, and check says the same", async () => {
    await using shop = new Workshop();
    const file = shop.write("file", "mine");
    const open = join(shop.folder, "open");
    mkdirSync(open);
    chmodSync(open, 0o777);
    const before = shop.listing();
    for (const [state, why] of [
      [file, "a file stands in the way"],
      [join(file, "below"), "a file stands in the way"],
      [open, "everyone on this computer can write to it; run chmod 700 on it"],
    ] as const) {
      const environment = { TROUPE_STATE: state };
      assertOneClearLine(await shop.run(["run"], { environment }), [state, why, /TROUPE_STATE|chmod/]);
      const checked = await shop.run(["check"], { environment });
      assert.equal(checked.code, 1);
      assert.ok(checked.out.includes(`${state} cannot be used: ${why}`), checked.out);
      assertOneClearLine(await shop.run(["status"], { environment }), [state]);
    }
    assert.deepEqual(shop.listing(), before);
  });

  test("TR-041 a second process on the same folder is refused with the first one's pid, which goes on", async () => {
    await using shop = new Workshop();
    const running = await shop.start();
    const secret = await running.join("Kim");
    for (const _ of [1, 2])
      assertOneClearLine(await shop.run(["run"]), [join(shop.state, "troupe.db"), `process ${running.pid} `, "stop that process"]);
    assert.equal(await running.say(secret, { id: "still", text: "Mirelle, are you there?" }), 202);
    assert.equal((await shop.run(["status"])).code, 0, "its socket is still its own");
    assert.equal(await running.stop(), 0);
    assert.equal(running.errors, "");
  });
});

describe("a full disk", AT_ONCE, () => {
  const way = (shop: Workshop): { preload: string[]; environment: Record<string, string> } => ({
    preload: [FULL_DISK],
    environment: { TROUPE_TEST_FULL: join(shop.folder, "full") },
  });

  test("TR-085 at the first start is one line; with room again the same folder works", async () => {
    await using shop = new Workshop();
    shop.write("full", "");
    assertOneClearLine(await shop.run(["run"], way(shop)), [
      join(shop.state, "troupe.db"),
      "the disk is full",
      "make room and start again",
    ]);
    rmSync(join(shop.folder, "full"));
    await talkIn(shop);
  });

  test("TR-085 while a small file is written is one line with its path, and nothing half-written stays", async () => {
    await using shop = new Workshop();
    shop.write("full", "files");
    rmSync(shop.config);
    const before = shop.listing();
    assertOneClearLine(await shop.run(["init", "--yes"], way(shop)), [join(shop.folder, "troupe.yaml"), "the disk is full", "make room"]);
    assertOneClearLine(await shop.run(["run"], way(shop)), [join(shop.state, "install.key"), "the disk is full", "make room"]);
    assert.deepEqual(shop.listing(), { ...before, state: "folder 700" });
  });

  test("V4 TR-085 while it runs: what was acknowledged is kept, nothing else is acknowledged, and the process ends in order with one line", async () => {
    await using shop = new Workshop();
    const running = await shop.start(way(shop));
    const secret = await running.join("Kim");
    const acknowledged = await talkUntilRefused(shop, running, secret);
    const [code, signal] = await running.ended();
    assert.deepEqual([code, signal], [1, null], running.errors);
    // It was started for a program to read, so its last word is JSON.
    assert.equal(running.later.length, 1);
    const { error } = FAILED.parse(JSON.parse(running.later[0] ?? ""));
    assert.equal(error.code, "disk_full");
    assert.match(error.message, /^Cannot use .*troupe\.db: the disk is full, .*; make room and start again$/);
    const lines = running.errors.trimEnd().split("\n");
    assert.equal(lines.filter((line) => line.includes('"store_failed"')).length, 1, running.errors);
    for (const line of lines) assert.match(line, /^\{"at":.*"code":"disk_full"\}$/);
    assertNoTrace(running.errors);
    assert.doesNotMatch(running.errors, /word word/, "no message text in a log");
    assertClosed(shop);
    assert.deepEqual(heardIn(shop).toSorted(), acknowledged.toSorted());

    rmSync(join(shop.folder, "full"));
    const again = await shop.start();
    assert.equal(again.recovered.interrupted, 0);
    assert.equal(await again.say(secret, { id: "after", text: "Mirelle, is there room again?" }), 202);
    await untilAnswered(shop);
    assert.equal(await again.stop(), 0);
    assert.deepEqual(openRows(shop), [], "every message that was acknowledged came to its end");
  });

  test("V4 TR-085 a chat that can keep nothing any more ends with one line", async () => {
    await using shop = new Workshop();
    await talkIn(shop);
    shop.write("full", "");
    const ended = await shop.run(["chat"], { ...way(shop), input: `${"word ".repeat(300)}\n`.repeat(60) });
    assert.equal(ended.code, 1, ended.error);
    const told = ended.error.split("\n").filter((line) => line.startsWith("troupe: "));
    assert.equal(told.length, 1, ended.error);
    assert.match(told[0] ?? "", /troupe\.db: the disk is full, .*; make room and start again$/);
    assertNoTrace(ended.error + ended.out);
    assertClosed(shop);
  });

  test("V4 MC-096 a message that still waits in its lane when the store fails breaks nothing but itself", () =>
    inFolder(async (folder) => {
      const unhandled: unknown[] = [];
      const note = (error: unknown): number => unhandled.push(error);
      process.on("unhandledRejection", note);
      const voice: HarnessOptions["voice"] = async (_, signal) => {
        await once(signal, "abort");
        return says("too late");
      };
      {
        await using one = await openHarness({ folder, voice });
        assert.equal((await one.hear({ deliveryId: "speaks" })).kind, "admitted");
        await one.settle();
        using db = new DatabaseSync(join(folder, "troupe.db"));
        db.exec("update lease set owner = 'another'");
        await assert.rejects(one.hear({ deliveryId: "waits" }), (error) => isRuntimeError(error, "state_busy"));
        assert.equal(one.store.failed.aborted, true);
        await new Promise((resolve) => setImmediate(resolve));
      }
      process.off("unhandledRejection", note);
      assert.deepEqual(unhandled, []);
    }));
});

/** It ended in order: lease, journal and socket are gone. */
function assertClosed(shop: Workshop): void {
  // Before the database is looked at: a reader makes files of its own.
  assert.deepEqual(
    Object.keys(shop.listing()).filter((name) => /-wal$|-shm$|\.sock$/.test(name)),
    [],
  );
  assert.equal(leaseOwner(shop), "");
}

const FAILED = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

/** Say lines, some of them with a full disk; gives those that were acknowledged. */
async function talkUntilRefused(shop: Workshop, running: Running, secret: string): Promise<readonly string[]> {
  const acknowledged: string[] = [];
  for (let n = 0; n < 60; n += 1) {
    if (n === 3) shop.write("full", "");
    const id = `line-${n}`;
    const status = await running.say(secret, { id, text: `Mirelle, ${"word ".repeat(200)}`, private: true });
    if (status === 202) acknowledged.push(id);
    else if (status === null) break;
    else assert.ok(status === 500 || status === 503, `status ${status}`);
  }
  assert.ok(acknowledged.length >= 3 && acknowledged.length < 60, `${acknowledged.length} lines`);
  return acknowledged;
}

/** The visitor's own ids of the lines that are kept. */
function heardIn(shop: Workshop): string[] {
  using db = new DatabaseSync(join(shop.state, "troupe.db"), { readOnly: true });
  assert.equal(db.prepare("pragma integrity_check").get()?.["integrity_check"], "ok");
  const rows = db.prepare("select delivery from event where author_kind = 'person'").all();
  return rows.map((row) => String(row["delivery"]).replace(/^.*(?=line-\d+$)/, ""));
}

function openRows(shop: Workshop): unknown[] {
  using db = new DatabaseSync(join(shop.state, "troupe.db"), { readOnly: true });
  return db.prepare("select id, state from inbox where state <> 'ended'").all();
}

describe("standard streams", AT_ONCE, () => {
  test("TR-009 without a standard input every command still does its work, and a chat ends at once", async () => {
    await using shop = new Workshop();
    const checked = await shop.run(["check"], { shell: "<&-" });
    assert.deepEqual([checked.code, checked.error], [0, ""]);
    const chatted = await shop.run(["chat"], { shell: "<&-" });
    assert.deepEqual([chatted.code, chatted.error], [0, ""], chatted.out);
    const running = await shop.start({ shell: "<&-" });
    assert.equal(await running.answers(), true);
    assert.equal(await running.stop(), 0);
    assert.equal(running.errors, "");
  });

  test("TR-009 without a standard output, or with one that nobody reads, there is no trace and no half-written state", async () => {
    await using shop = new Workshop();
    for (const args of [["check"], ["--help"], ["init", "--json"], ["chat"]]) {
      const ended = await shop.run(args, { shell: ">&-" });
      assertNoTrace(ended.error);
      assert.equal(ended.signal, null);
      assert.ok((ended.error.match(/\n/g) ?? []).length <= 1, ended.error);
    }
    const piped = await shop.run(["check"], { shell: "| true" });
    assertNoTrace(piped.error);
    const bad = await shop.run(["run", "--config", "nowhere.yaml"], { shell: ">&-" });
    assertOneClearLine(bad, ["nowhere.yaml"]);
    const mute = await shop.run(["run", "--config", "nowhere.yaml"], { shell: "2>&-" });
    assert.deepEqual([mute.code, mute.out, mute.error], [1, "", ""]);
  });

  test("TR-009 a start whose reader goes away stays up and ends in order", async () => {
    await using shop = new Workshop();
    const running = await shop.start();
    running.deafen();
    assert.equal(await running.answers(), true);
    assert.equal(await running.stop(), 0);
    assert.equal(running.errors, "");
  });
});
