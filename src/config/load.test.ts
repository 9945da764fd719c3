import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { inspect } from "node:util";
import fc from "fast-check";
import { isRuntimeError } from "../foundation/errors.ts";
import { roomsOf } from "./config.ts";
import type { LoadOptions, LoadedConfig } from "./load.ts";
import { loadConfig } from "./load.ts";
import { ConfigInvalid, MAX_LISTED_PROBLEMS } from "./problem.ts";

const GOOD = `characters:
  mirelle: { description: An innkeeper., aliases: [miri] }
  tobias: {}
surfaces:
  parlour: { kind: room, port: 7777, characters: [mirelle, tobias] }
`;

class Folder {
  readonly path = mkdtempSync(join(tmpdir(), "troupe-config-"));
  write(name: string, data: string | Uint8Array, mode = 0o600): string {
    const path = join(this.path, name);
    writeFileSync(path, data);
    chmodSync(path, mode);
    return path;
  }
  load(text: string | Uint8Array, more: Partial<LoadOptions> = {}): LoadedConfig {
    this.write("troupe.yaml", text);
    return loadConfig({ cwd: this.path, environment: {}, ...more });
  }
  /** The problems of a file that must be refused. */
  refusal(text: string | Uint8Array, more: Partial<LoadOptions> = {}): ConfigInvalid {
    try {
      this.load(text, more);
    } catch (error) {
      assert.ok(error instanceof ConfigInvalid, `threw ${inspect(error)}`);
      assert.equal(error.code, "config_invalid");
      return error;
    }
    assert.fail("the file was accepted");
  }
  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

test("TR-086 without a file the built-in example is used: one room, one character, no model, nobody listed", () => {
  using folder = new Folder();
  const { config, file } = loadConfig({ cwd: folder.path, environment: {} });
  assert.equal(file, null);
  assert.equal(config.source.path, null);
  assert.equal(config.stateDirectory, join(folder.path, ".troupe"));
  assert.deepEqual([...config.characters.keys()], ["mirelle"]);
  assert.deepEqual(
    roomsOf(config).map(({ name, kind, port, admission, characters }) => ({ name, kind, port, admission, characters })),
    [{ name: "parlour", kind: "room", port: 7777, admission: "addressed", characters: ["mirelle"] }],
  );
  assert.equal(config.console.port, 7778);
  assert.equal(config.models.defaultModel, null);
  assert.deepEqual(config.people.operators, []);
});

test("a file is found in the working folder, by name, or by TROUPE_CONFIG, and the state stands beside it unless it is named", () => {
  using folder = new Folder();
  mkdirSync(join(folder.path, "sub"));
  folder.write("sub/other.yaml", GOOD.replace("7777", "7111"));
  const found = folder.load(GOOD);
  assert.equal(found.config.source.path, join(folder.path, "troupe.yaml"));
  assert.equal(found.config.stateDirectory, join(folder.path, ".troupe"));
  const options = { cwd: folder.path, environment: { TROUPE_CONFIG: "sub/other.yaml" } };
  const byVariable = loadConfig(options).config;
  assert.deepEqual(
    roomsOf(byVariable).map((room) => room.port),
    [7111],
  );
  assert.equal(byVariable.stateDirectory, join(folder.path, "sub", ".troupe"));
  assert.deepEqual(
    roomsOf(loadConfig({ ...options, path: "troupe.yaml" }).config).map((room) => room.port),
    [7777],
  );
  assert.equal(loadConfig({ cwd: folder.path, environment: { TROUPE_STATE: "kept" } }).config.stateDirectory, join(folder.path, "kept"));
  assert.equal(
    loadConfig({ cwd: folder.path, environment: { TROUPE_STATE: "kept" }, stateDirectory: "/else" }).config.stateDirectory,
    "/else",
  );
});

test("MC-088 a named file that is missing, a folder, a link or a pipe, also as troupe.yaml itself, is config_missing and never the example", () => {
  using folder = new Folder();
  const real = folder.write("real.yaml", GOOD);
  symlinkSync(real, join(folder.path, "link.yaml"));
  mkdirSync(join(folder.path, "dir.yaml"));
  for (const [path, why] of [
    ["none.yaml", /does not exist/],
    ["link.yaml", /symbolic link/],
    ["dir.yaml", /folder/],
    ["/dev/null", /no regular file/],
    ["real.yaml/x", /does not exist/],
  ] as const) {
    assert.throws(
      () => loadConfig({ cwd: folder.path, environment: {}, path }),
      (error) => isRuntimeError(error, "config_missing") && why.test(error.message),
      path,
    );
  }
  mkdirSync(join(folder.path, "troupe.yaml"));
  assert.throws(
    () => loadConfig({ cwd: folder.path, environment: {} }),
    (error) => isRuntimeError(error, "config_missing") && /folder/.test(error.message),
  );
});

test("MC-088 64 KiB are read, one byte more is refused", () => {
  using folder = new Folder();
  const padded = (bytes: number): string => GOOD + "#".repeat(bytes - Buffer.byteLength(GOOD));
  assert.equal(folder.load(padded(65_536)).config.characters.size, 2);
  assert.match(folder.refusal(padded(65_537)).message, /troupe\.yaml:1:1 is over 65536 bytes/);
});

test("MC-104 text that is no UTF-8, holds NUL, or says nothing is refused", () => {
  using folder = new Folder();
  assert.match(folder.refusal(Buffer.from([0x61, 0x3a, 0x20, 0xff])).message, /not UTF-8/);
  assert.match(folder.refusal("a: \0").message, /NUL/);
  assert.match(folder.refusal("").message, /is empty/);
  assert.match(folder.refusal("# nothing\n").message, /is empty/);
  assert.match(folder.refusal("- a\n").message, /1:1 must be a map of keys, but is a list/);
});

/** Each file is refused with exactly this one line. */
const REFUSED: readonly [title: string, text: string, line: RegExp][] = [
  ["an unknown key, with the nearest known one", `${GOOD}surface: {}\n`, /troupe\.yaml:6:1 surface: unknown key; did you mean surfaces\?$/],
  [
    "an unknown key inside a section",
    GOOD.replace("port: 7777", "port: 7777, titel: x"),
    /5:38 surfaces\.parlour\.titel: unknown key; did you mean title\?$/,
  ],
  ["a known key in the wrong section", `${GOOD}admission: trusted\n`, /6:1 admission: unknown key; admission belongs to surfaces\.<name>$/],
  [
    "a key that is not built yet",
    GOOD.replace("tobias: {}", "tobias: { card: ./tobias.png }"),
    /3:13 characters\.tobias\.card: unknown key/,
  ],
  ["a key that stands twice", `${GOOD}console: { port: 1, port: 2 }\n`, /6:21 console: the key port stands here twice$/],
  ["a section that stands twice", `${GOOD}console: { port: 1 }\nconsole: { port: 2 }\n`, /7:1 the key console stands here twice$/],
  [
    "a __proto__ key",
    GOOD.replace("tobias: {}", "tobias: { __proto__: { name: x } }"),
    /3:13 characters\.tobias: __proto__ is a reserved word$/,
  ],
  ["a __proto__ key at the top", `${GOOD}__proto__: { console: { port: 1 } }\n`, /6:1 __proto__ is a reserved word$/],
  [
    "a character called constructor",
    GOOD.replace("tobias", "constructor").replace(", tobias", ""),
    /3:3 characters\.constructor: the name is a reserved word$/,
  ],
  ["a key that is a number", GOOD.replace("tobias: {}", "7: {}").replace(", tobias", ""), /3:3 characters: keys must be plain text/],
  [
    "an alias",
    GOOD.replace("An innkeeper.", "&x hi").replace("tobias: {}", "tobias: { private: *x }"),
    /anchors \(&name\) are not used here[^]*3:22 .*aliases \(\*name\) are not used here/,
  ],
  ["a tag", GOOD.replace("An innkeeper.", "!!str hi"), /2:33 characters\.mirelle\.description: tags \(!name\) are not used here$/],
  ["a tag of its own", GOOD.replace("An innkeeper.", "!js hi"), /2:27 tags \(!name\) are not used here$/],
  ["YAML 1.1", `%YAML 1.1\n---\n${GOOD}`, /1:1 directives \(%\) are not used here/],
  ["a second document", `${GOOD}---\n${GOOD}`, /6:1 a second document begins here/],
  ["a tab as indentation", "characters:\n\tmirelle: {}\n", /2:1 tabs cannot indent/],
  ["yes where a number belongs", `${GOOD}console: { port: yes }\n`, /6:18 console\.port: must be a number, but is text$/],
  ["no where a map belongs", `${GOOD}console: no\n`, /6:10 console: must be a map of keys, but is text$/],
  ["a number in quotes", `${GOOD}console: { port: "7778" }\n`, /6:18 console\.port: must be a number, but is text$/],
  ["a half port", `${GOOD}console: { port: 7778.5 }\n`, /6:18 console\.port: must be a whole number, but is a number$/],
  ["a port beyond all", `${GOOD}console: { port: 70000 }\n`, /6:18 console\.port: must be at most 65535$/],
  [
    "an admission that is none",
    GOOD.replace("port: 7777", "port: 7777, admission: truste"),
    /must be one of addressed, trusted, silent; did you mean trusted\?$/,
  ],
  ["a surface without a port", GOOD.replace("port: 7777, ", ""), /5:3 surfaces\.parlour\.port: is required, and must be a number$/],
  ["a surface without a kind", GOOD.replace("kind: room, ", ""), /5:3 surfaces\.parlour\.kind: is required: one of room, discord$/],
  [
    "a kind that is not built yet",
    GOOD.replace("kind: room", "kind: discrod"),
    /5:20 surfaces\.parlour\.kind: must be one of room, discord; did you mean discord\?$/,
  ],
  ["no character at all", "characters: {}\n", /1:13 characters: must name at least one character$/],
  ["no characters section", "console: { port: 1 }\n", /characters: is required/],
  [
    "an unknown character",
    GOOD.replace("[mirelle, tobias]", "[mirelle, tobia]"),
    /5:60 surfaces\.parlour\.characters\[1\]: there is no character tobia; did you mean tobias\?$/,
  ],
  [
    "a character twice",
    GOOD.replace("[mirelle, tobias]", "[mirelle, mirelle]"),
    /characters\[1\]: the character mirelle stands here twice$/,
  ],
  [
    "character and characters",
    GOOD.replace("port: 7777", "port: 7777, character: mirelle"),
    /5:49 surfaces\.parlour\.character: either `character` or `characters`/,
  ],
  ["a surface without characters", GOOD.replace(", characters: [mirelle, tobias]", ""), /5:12 surfaces\.parlour: needs a `character`/],
  [
    "an alias of two",
    GOOD.replace("tobias: {}", "tobias: { aliases: [MIRI] }"),
    /the characters mirelle and tobias answer to the same alias$/,
  ],
  [
    "two rooms on one port",
    `${GOOD}  other: { kind: room, port: 7777, character: mirelle }\n`,
    /6:30 surfaces\.other\.port: the port is already that of surfaces\.parlour$/,
  ],
  [
    "the console on a room's port",
    `${GOOD}console: { port: 7777 }\n`,
    /5:32 surfaces\.parlour\.port: the port is already that of the console$/,
  ],
  [
    "silent with a greeting",
    GOOD.replace("tobias: {}", "tobias: { greeting: Hi }").replace("7777,", "7777, admission: silent,"),
    /3:23 characters\.tobias\.greeting: can never be said/,
  ],
  ["a raised ceiling", `${GOOD}limits: { concurrent_turns: 65 }\n`, /6:29 limits\.concurrent_turns: must be at most 64, the hard ceiling$/],
  ["a budget over tenfold", `${GOOD}budgets: { replies_per_minute_per_room: 121 }\n`, /must be at most 120, the hard ceiling$/],
  ["a disclosure without words", `${GOOD}delivery: { disclosure: { what: "" } }\n`, /6:33 delivery\.disclosure\.what: must not be blank$/],
  ["a blank disclosure", `${GOOD}delivery: { disclosure: { operator: "  " } }\n`, /delivery\.disclosure\.operator: must not be blank$/],
  [
    "a name with a direction mark",
    GOOD.replace("tobias: {}", 'tobias: { name: "a\\u202eb" }'),
    /3:19 characters\.tobias\.name: must be one line without control/,
  ],
  ["a link that is no web address", GOOD.replace("7777,", "7777, links: ['javascript:x'],"), /links\[0\]: must begin with http/],
];

for (const [title, text, line] of REFUSED) {
  test(`MC-104 refuses ${title}`, () => {
    using folder = new Folder();
    const error = folder.refusal(text);
    assert.match(error.message, line);
    assert.equal(error.problems.length, title === "an alias" ? 2 : 1, error.message);
  });
}

const HOST = (more: string): string =>
  `${GOOD}models: { hosts: { local: { api: openai, url: "http://127.0.0.1:8080/v1", models: [a], ${more} } } }\n`;

const HOSTS_REFUSED: readonly [title: string, text: string, line: RegExp][] = [
  [
    "a file address",
    HOST("").replace("http://127.0.0.1:8080/v1", "file:///etc/passwd"),
    /6:47 models\.hosts\.local\.url: must begin with http:\/\/ or https:\/\/ and name a host$/,
  ],
  ["an address without a host", HOST("").replace("http://127.0.0.1:8080/v1", "http:///v1"), /url: must begin with http/],
  ["an address with a fragment", HOST("").replace("8080/v1", "8080/v1#x"), /url: must have no fragment/],
  ["a deadline over ten minutes", HOST("deadline_s: 601"), /deadline_s: must be at most 600$/],
  ["a key variable that is not set", HOST("key_env: NOT_SET"), /key_env: the environment variable NOT_SET is not set$/],
  ["a key of 19 characters", HOST("key_env: SHORT"), /key_env: SHORT: it is shorter than 20 characters$/],
  ["a key on two lines", HOST("key_env: TWO_LINES"), /key_env: TWO_LINES: it holds line breaks or control characters$/],
  ["two sources of a key", HOST("key_env: LONG, key_file: ./good.key"), /key_file: either `key_env` or `key_file`, not both$/],
  ["a key file open to others", HOST("key_file: ./open.key"), /key_file: the key file is open to others; run chmod 600 on it$/],
  ["a key file that is a link", HOST("key_file: ./link.key"), /key_file: the key file cannot be used: it is a symbolic link$/],
  ["a key file that is a folder", HOST("key_file: ."), /key_file: the key file cannot be used: it is a folder$/],
  ["a key file over 16 KiB", HOST("key_file: ./big.key"), /key_file: the key file is over 16384 bytes$/],
  ["a key file that is missing", HOST("key_file: ./none.key"), /key_file: the key file does not exist$/],
  ["a key file of two lines", HOST("key_file: ./lines.key"), /key_file: the key file: it holds line breaks/],
  [
    "a key beside an address with a password",
    HOST("key_env: LONG").replace("http://127", "http://me:hunter2hunter2@127"),
    /url: the address and a key cannot both carry credentials$/,
  ],
  [
    "an unknown default",
    `${HOST("")}`.replace("} }\n", "}, default: local/b }\n"),
    /models\.default: the host local has no such model; did you mean "local\/a"\?$/,
  ],
  ["several models without a default", HOST("").replace("[a]", "[a, b]"), /models\.default: is required when there are several models/],
  ["no model", HOST("").replace("[a]", "{}"), /models: must name at least one model$/],
  ["a model that is no name", HOST("").replace("[a]", "['a b']"), /models\[0\]: must be a model's name/],
];

const LONG = "k-0123456789abcdefghijklmnop";

for (const [title, text, line] of HOSTS_REFUSED) {
  test(`MC-104 MC-105 SE-093 refuses ${title}, and quotes no secret`, () => {
    using folder = new Folder();
    folder.write("good.key", LONG);
    folder.write("open.key", LONG, 0o644);
    folder.write("big.key", "x".repeat(16_385));
    folder.write("lines.key", `${LONG}\n${LONG}\n`);
    symlinkSync(join(folder.path, "good.key"), join(folder.path, "link.key"));
    const environment = { LONG, SHORT: LONG.slice(0, 19), TWO_LINES: `${LONG}\n${LONG}` };
    const error = folder.refusal(text, { environment });
    assert.match(error.message, line);
    assert.equal(error.problems.length, 1, error.message);
    for (const secret of [LONG.slice(0, 10), "hunter2"]) assert.ok(!inspect(error, { depth: 9 }).includes(secret));
  });
}

test("MC-105 a host takes its key from a private file or the environment, and no face of the configuration shows it", () => {
  using folder = new Folder();
  folder.write("good.key", `${LONG}\n`);
  for (const more of ["key_file: good.key", "key_env: LONG"]) {
    const { config } = folder.load(
      HOST(`${more}, deadline_s: 600`).replace("[a]", "{ 'org/a:b': { context: 4096, price: { prompt: 0.2, completion: 1.5 } } }"),
      { environment: { LONG } },
    );
    const host = config.models.hosts.get("local");
    assert.equal(host?.key?.reveal(), LONG);
    assert.equal(host.deadlineMs, 600_000);
    assert.equal(config.models.defaultModel, "local/org/a:b");
    assert.deepEqual(host.models.get("org/a:b"), {
      contextTokens: 4096,
      maxOutputTokens: 1024,
      think: null,
      price: { promptMicros: 200_000, completionMicros: 1_500_000, cacheReadMicros: 200_000, cacheWriteMicros: 200_000 },
    });
    assert.ok(!inspect(config, { depth: 9 }).includes(LONG) && !JSON.stringify([...config.models.hosts]).includes(LONG));
  }
});

const OPERATORS_REFUSED: readonly [entry: string, rule: RegExp][] = [
  ["*", /wildcards are refused/],
  ["discord:*", /wildcards are refused/],
  ["everyone", /wildcards are refused/],
  ["room:abc", /room members can never be operators/],
  ["mcp:helper", /programs can never be operators/],
  ["discord:anna", /user id of 17 to 20 digits/],
  ["discord:123", /user id of 17 to 20 digits/],
  ["grid:osgrid:00000000-0000-0000-0000-000000000000", /nil UUID/],
  ["grid:osgrid:6F3C0000-0000-4000-8000-000000000001", /UUID in lower case/],
  ["grid:osgrid:{6f3c0000-0000-4000-8000-000000000001}", /UUID in lower case/],
  ["grid:osgrid:6f3c000000004000800000000000000001--", /UUID in lower case/],
  ["grid:6f3c0000-0000-4000-8000-000000000001", /grid:<grid>:<avatar uuid>/],
  ["anna", /must be discord:<user id> or/],
  [" local:owner", /must be discord:<user id> or/],
];

test("MC-035 TR-011 SE-087 SE-082 operators are listed by immutable ids: no wildcard, nil or loosely written UUID, name, room member or program", () => {
  using folder = new Folder();
  for (const [entry, rule] of OPERATORS_REFUSED) {
    const error = folder.refusal(`${GOOD}people: { operators: [${JSON.stringify(entry)}] }\n`);
    assert.equal(error.problems.length, 1);
    assert.match(error.message, /troupe\.yaml:6:23 people\.operators\[0\]: /);
    assert.match(error.message, rule, entry);
  }
  const good = ["discord:12345678901234567", "grid:osgrid:6f3c0000-0000-4000-8000-000000000001"];
  const { config } = folder.load(`${GOOD}people: { operators: ${JSON.stringify(good)} }\n`);
  assert.deepEqual(config.people.operators, good);
  assert.ok(Object.isFrozen(config.people.operators));
  assert.match(
    folder.refusal(`${GOOD}people: { operators: ${JSON.stringify([...good, good[0]])} }\n`).message,
    /operators\[2\]: this account stands here twice/,
  );
  assert.match(folder.refusal(`${GOOD}people: { operators: ["*", } }\n`).message, /6:/);
  const own = (accounts: readonly string[]): string =>
    `${GOOD}people: { operators: ${JSON.stringify(good)}, own_accounts: ${JSON.stringify(accounts)} }\n`;
  assert.deepEqual(folder.load(own(good.slice(0, 1))).config.people.ownAccounts, good.slice(0, 1));
  assert.match(
    folder.refusal(own(["discord:12345678901234568"])).message,
    /own_accounts\[0\]: this account does not stand under people\.operators/,
  );
});

test("MC-035 at most 1,024 operators, fewer where limits.operators says so; an empty list makes nobody one", () => {
  using folder = new Folder();
  const list = (count: number): string => Array.from({ length: count }, (_, index) => `"discord:${10n ** 17n + BigInt(index)}"`).join(",");
  assert.equal(folder.load(`${GOOD}people: { operators: [${list(1_024)}] }\n`).config.people.operators.length, 1_024);
  assert.match(folder.refusal(`${GOOD}people: { operators: [${list(1_025)}] }\n`).message, /must be at most 1024 entries/);
  assert.match(
    folder.refusal(`${GOOD}people: { operators: [${list(3)}] }\nlimits: { operators: 2 }\n`).message,
    /must be at most 2 entries/,
  );
  assert.deepEqual(folder.load(`${GOOD}people: { operators: [] }\n`).config.people.operators, []);
});

test("variables override the file, and an error in one names the variable", () => {
  using folder = new Folder();
  const text = `${GOOD}console: { port: 7000 }\n`;
  assert.equal(folder.load(text, { environment: { TROUPE_CONSOLE_PORT: "7001", TROUPE_LOG_LEVEL: "warn" } }).config.console.port, 7001);
  assert.equal(folder.load(text, { environment: { TROUPE_CONSOLE_PORT: "" } }).config.console.port, 7000);
  assert.match(
    folder.refusal(text, { environment: { TROUPE_CONSOLE_PORT: "many" } }).message,
    /: TROUPE_CONSOLE_PORT console\.port: must be a number, but is text$/,
  );
});

test("MC-104 all broken rules are told at once, in order of position, at most 20 of them", () => {
  using folder = new Folder();
  const text = `${GOOD}console: { prt: 1 }\nlimits: { senders: 0 }\npeople: { operators: ['*'] }\nlog: { level: loud }\n`;
  const error = folder.refusal(text);
  assert.deepEqual(
    error.problems.map((problem) => problem.position?.line),
    [6, 7, 8, 9],
  );
  const many = folder.refusal(`${GOOD}${Array.from({ length: 50 }, (_, index) => `unknown${index}: 1\n`).join("")}`);
  assert.equal(many.message.split("\n").length, 1 + MAX_LISTED_PROBLEMS + 1);
  assert.match(many.message, /and 30 more$/);
  assert.match(many.message.split("\n")[1] ?? "", /:6:1 unknown0/);
});

test("TR-072 SE-103 errors never quote a value, a long name, a pasted key or a control character", () => {
  using folder = new Folder();
  const planted = "sk-proj-0123456789abcdefghij";
  const error = folder.refusal(
    `${GOOD}${planted}: 1\nconsole: { port: ${planted} }\nlog: { level: ${planted} }\n"\\u202Ex\\n": 1\n${"y".repeat(300)}: 1\n`,
  );
  assert.equal(error.problems.length, 5);
  assert.ok(!error.message.includes(planted.slice(3, 12)) && !error.message.includes("y".repeat(41)));
  assert.doesNotMatch(error.message, /\u202e/);
  assert.equal(error.message.split("\n").length, 6);
});

test("MC-104 words of the language's own objects are no keys, and nothing of a file reaches a prototype", () => {
  using folder = new Folder();
  for (const word of ["toString", "hasOwnProperty", "constructor", "prototype", "valueOf"]) {
    assert.match(folder.refusal(`${GOOD}${word}: { x: 1 }\n`).message, /unknown key/);
    assert.match(
      folder.refusal(GOOD.replace("[mirelle, tobias]", `[mirelle, ${word.toLowerCase()}]`)).message,
      /there is no character|reserved word/,
    );
  }
  assert.equal(Object.hasOwn(Object.prototype, "x"), false);
});

test("the configuration in force is frozen, and its file is never written", () => {
  using folder = new Folder();
  const { config } = folder.load(GOOD);
  const room = [...config.surfaces.values()][0];
  assert.ok(
    room !== undefined &&
      Object.isFrozen(config) &&
      Object.isFrozen(room) &&
      Object.isFrozen(room.characters) &&
      Object.isFrozen(config.delivery.disclosure),
  );
  assert.equal(readFileSync(join(folder.path, "troupe.yaml"), "utf8"), GOOD);
});

/** Processor time since a mark: other work on the machine does not count. */
function cpuMs(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** Text that looks like YAML often enough to get past the first check. */
const yamlish = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .array(
        fc.constantFrom(
          "characters",
          "surfaces",
          "models",
          "mirelle",
          ": ",
          ":",
          "\n",
          "  ",
          "- ",
          "{",
          "}",
          "[",
          "]",
          ",",
          "&a ",
          "*a ",
          "!!str ",
          "!x ",
          "|",
          ">",
          "'",
          '"',
          "#",
          "%YAML 1.1",
          "---",
          "...",
          "? ",
          "kind",
          "room",
          "port",
          "7777",
          "yes",
          "null",
          "~",
          "__proto__",
          "<<",
          "\t",
          "0x1f",
          ".inf",
          "\u202e",
          "é",
          "\r\n",
        ),
        { maxLength: 120 },
      )
      .map((parts) => parts.join("")),
  },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 200 }) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.constantFrom("[", "{a: ", "- ", "? ", "a: ", "&a ", "!a ", '"', "a:\n", "k: |\n", "*a "),
        fc.integer({ min: 1, max: 2_000 }),
      )
      .map(([part, times]) => part.repeat(times).slice(0, 65_536)),
  },
  { weight: 1, arbitrary: fc.json({ maxDepth: 6 }) },
);

test("MC-104 no text makes the reader throw anything but config_invalid, or takes long", () => {
  using folder = new Folder();
  let slowestMs = 0;
  let refused = 0;
  fc.assert(
    fc.property(yamlish, (text) => {
      const before = process.cpuUsage();
      try {
        folder.load(text);
      } catch (error) {
        assert.ok(isRuntimeError(error, "config_invalid"), inspect(error));
        refused += 1;
      }
      slowestMs = Math.max(slowestMs, cpuMs(before));
    }),
    { numRuns: 400 },
  );
  assert.ok(refused > 300, "the generator no longer reaches the refusals");
  assert.ok(slowestMs < 3_000, `one text took ${slowestMs} ms of processor`);
});

test("MC-104 a file of good keys with any one value replaced by junk is refused or loads, and never breaks the reader", () => {
  using folder = new Folder();
  const junk = fc.oneof(
    fc.json({ maxDepth: 2 }),
    fc.constantFrom("yes", "~", "-1", "1e400", "99999999999999999999", "[[[]]]", "{a: {b: {}}}"),
  );
  const keys = [
    "characters",
    "people",
    "models",
    "surfaces",
    "console",
    "budgets",
    "delivery",
    "limits",
    "log",
    "models: { hosts: {x",
    "people: { operators",
  ];
  let loaded = 0;
  fc.assert(
    fc.property(fc.constantFrom(...keys), junk, (key, value) => {
      const open = key.split("{").length - 1;
      try {
        folder.load(`${key.startsWith("characters") ? "" : "characters: { a: {} }\n"}${key}: ${value}${" }".repeat(open)}\n`);
        loaded += 1;
      } catch (error) {
        assert.ok(isRuntimeError(error, "config_invalid"), inspect(error));
      }
    }),
    { numRuns: 600 },
  );
  assert.ok(loaded > 0, "nothing ever loads, so the property says little");
});

test("MC-104 an alias bomb and 64 KiB of the worst nesting end quickly in one clear line", () => {
  using folder = new Folder();
  const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${"bcdefghij"
    .split("")
    .map((name, at) => `${name}: &${name} [${Array(9).fill(`*${"abcdefghi"[at]}`).join(",")}]`)
    .join("\n")}\n`;
  assert.match(folder.refusal(bomb).message, /anchors \(&name\) are not used here/);
  const worst = ["[", "{a: ", "- ", "? ", "&a ", "!a ", "a: "].map((part) => part.repeat(Math.floor(65_000 / part.length)));
  worst.push(Array.from({ length: 11_000 }, (_, index) => `k${index.toString(36)}:`).join("\n"));
  for (const text of worst) {
    const before = process.cpuUsage();
    const error = folder.refusal(text.slice(0, 65_536));
    const tookMs = cpuMs(before);
    assert.ok(tookMs < 3_000, `${text.slice(0, 10)} took ${tookMs} ms of processor`);
    assert.ok(error.message.length < 10_000);
  }
});
