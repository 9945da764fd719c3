import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import type { CheckReport, PortAt, PortState } from "./check-config.ts";
import { checkConfig } from "./check-config.ts";
import type { Environment } from "../files/host-key.ts";

const signal = new AbortController().signal;

async function check(
  text: string | null,
  more: { ports?: Readonly<Record<number, PortState>>; environment?: Environment; path?: string; state?: string } = {},
): Promise<CheckReport & { lookedAt: number[]; addresses: string[] }> {
  const cwd = mkdtempSync(join(tmpdir(), "troupe-check-"));
  const lookedAt: number[] = [];
  const addresses: string[] = [];
  try {
    if (text !== null) writeFileSync(join(cwd, "troupe.yaml"), text);
    const options = {
      cwd,
      environment: more.environment ?? {},
      ...(more.path === undefined ? {} : { path: more.path }),
      ...(more.state === undefined ? {} : { stateDirectory: more.state }),
    };
    const portState = async ({ port, address }: PortAt): Promise<PortState> => {
      lookedAt.push(port);
      addresses.push(address);
      return await Promise.resolve(more.ports?.[port] ?? "free");
    };
    return { ...(await checkConfig({ options, portState }, signal)), lookedAt, addresses };
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

test("TR-086 check on a bare folder: all well, the example, no model, both ports looked at, and who may trigger what", async () => {
  const report = await check(null);
  assert.deepEqual(
    report.findings.filter((finding) => finding.level !== "ok"),
    [],
  );
  assert.deepEqual(report.lookedAt, [7777, 7778]);
  assert.match(report.findings.find((finding) => finding.path === "models")?.message ?? "", /understudy/);
  assert.deepEqual(
    report.triggers.map(({ surface, admission, answered }) => [surface, admission, answered]),
    [
      ["parlour", "addressed", "everyone who speaks to a character"],
      ["terminal", "addressed", "you"],
    ],
  );
});

test("MC-104 a broken file gives one finding a problem, with path and line, and no table", async () => {
  const report = await check("characters: { a: {} }\nsurfces: {}\nlog: { level: loud }\n");
  assert.deepEqual(
    report.findings.map(({ level, path, line }) => ({ level, path, line })),
    [
      { level: "error", path: "surfces", line: 2 },
      { level: "error", path: "log.level", line: 3 },
    ],
  );
  assert.deepEqual(report.triggers, []);
  const missing = await check(null, { path: "none.yaml" });
  assert.deepEqual(
    missing.findings.map(({ level, path }) => ({ level, path })),
    [{ level: "error", path: "configuration" }],
  );
});

test("a taken or forbidden port is an error at its line; port 0 and one's own running troupe are none", async () => {
  const text =
    "characters: { a: {} }\nsurfaces:\n  r: { kind: room, port: 80, character: a }\n  s: { kind: room, port: 0, character: a }\n  t: { kind: room, port: 7002, character: a }\nconsole: { port: 7001 }\n";
  const report = await check(text, { ports: { 80: "forbidden", 7001: "taken", 7002: "own" } });
  assert.deepEqual(
    report.findings.filter((finding) => finding.path.endsWith("port")).map(({ level, path, line }) => [level, path, line]),
    [
      ["error", "surfaces.r.port", 3],
      ["ok", "surfaces.s.port", 4],
      ["ok", "surfaces.t.port", 5],
      ["error", "console.port", 6],
    ],
  );
  assert.deepEqual(report.lookedAt, [80, 7002, 7001]);
});

test("SE-088 real things in an author's text are a warning at the text's line, and the warning does not repeat them", async () => {
  const text = `characters:
  a:
    description: Ask me about 221 Baker Street.
    private: |
      My key is sk-proj-4f9aB27cD01eF56gH88i, and Greta Meinhold made me.
delivery: { disclosure: { operator: Greta Meinhold } }
`;
  const warnings = (await check(text)).findings.filter((finding) => finding.path.startsWith("characters"));
  assert.deepEqual(
    warnings.map(({ level, path, line }) => [level, path, line]),
    [
      ["warn", "characters.a.private", 5],
      ["warn", "characters.a.description", 3],
    ].map(([level, path, line]) => [level, path, line === 5 ? 4 : line]),
  );
  assert.match(warnings[0]?.message ?? "", /credential, a configured name; visitors can talk/);
  assert.doesNotMatch(JSON.stringify(warnings), /sk-proj|Greta|Baker/);
});

test("TR-091 check warns when the disclosure does not say that an AI speaks", async () => {
  const warned = async (what: string): Promise<boolean> =>
    (await check(`characters: { a: {} }\ndelivery: { disclosure: { what: "${what}" } }\n`)).findings.some(
      (finding) => finding.level === "warn" && finding.path === "delivery.disclosure.what",
    );
  assert.equal(await warned("Innkeeper"), true);
  assert.equal(await warned("A maid"), true);
  assert.equal(await warned("AI character"), false);
  assert.equal(await warned("KI-Figur"), false);
});

test("TR-072 a model is named with its address, without key, password or query", async () => {
  const text =
    'characters: { a: {} }\nmodels: { hosts: { h: { api: openai, url: "https://models.example.org/v1?token=abcdef", models: [m], key_env: TROUPE_MODEL_KEY } } }\n';
  const report = await check(text, { environment: { TROUPE_MODEL_KEY: "k-0123456789abcdefghij" } });
  const model = report.findings.find((finding) => finding.path === "models.default");
  assert.match(model?.message ?? "", /^h\/m at https:\/\/models\.example\.org\/v1\?\[hidden\], with a key$/);
  assert.doesNotMatch(JSON.stringify(report), /abcdef|k-0123/);
  assert.ok(!report.findings.some((finding) => finding.path === "TROUPE_MODEL_KEY"));
});

test("a mistyped variable, an empty trusted room and a folder that cannot be written are said", async () => {
  const text = "characters: { a: {} }\nsurfaces: { r: { kind: room, port: 7001, character: a, admission: trusted } }\n";
  const report = await check(text, { environment: { TROUPE_LOGLEVEL: "debug" }, state: "/dev/null/state" });
  const said = report.findings.filter((finding) => finding.level !== "ok").map(({ level, path }) => `${level} ${path}`);
  assert.deepEqual(said.toSorted(), ["error state", "warn TROUPE_LOGLEVEL", "warn surfaces.r.admission"]);
});

/** Levels, keys and messages that check gives of how the room is reached. */
async function reached(keys: string): Promise<readonly string[]> {
  const { findings } = await check(`characters: { a: {} }\nsurfaces: { inn: { kind: room, port: 7777, character: a, ${keys} } }\n`);
  return findings
    .filter(({ path, message }) => /\.(?:public_url|listen|proxies|door)$/.test(path) && !message.startsWith("port "))
    .map(({ level, path, message }) => `${level} ${path.replace("surfaces.inn.", "")}: ${message}`);
}

test("TR-094 check says what is open to whom, and what would make it safer", async () => {
  assert.deepEqual(await reached(""), []);
  const behindProxy = "listen: 127.0.0.1, public_url: 'https://inn.example.org', proxies: ['127.0.0.1']";
  assert.deepEqual(await reached(behindProxy), [
    "ok public_url: open at https://inn.example.org, through 127.0.0.1:7777: only whom you sent a link, as guests; the console and its commands stay on this computer",
  ]);
  const told = async (keys: string): Promise<string> => (await reached(keys)).slice(1).join("\n");
  assert.match(await told(`${behindProxy}, door: open`), /^warn door: anyone who finds the address comes in/);
  assert.match(await told("listen: 127.0.0.1, public_url: 'https://inn.example.org'"), /^warn proxies: .* none is named/);
  assert.match(
    await told("listen: '::', public_url: 'https://inn.example.org', proxies: ['::1']"),
    /^warn listen: the port itself is reached without https, at \[::\]:7777$/,
  );
  assert.match(await told("listen: 0.0.0.0, public_url: 'http://192.168.1.5:7777'"), /^warn public_url: plain http/);
  const { addresses, triggers } = await check(
    "characters: { a: {} }\nsurfaces: { inn: { kind: room, port: 7777, character: a, listen: 0.0.0.0, public_url: 'https://inn.example.org' } }\n",
  );
  assert.deepEqual(addresses, ["0.0.0.0", "127.0.0.1"], "ports are looked at where they are opened");
  assert.deepEqual(
    triggers.map((row) => row.reached),
    ["https://inn.example.org, by invitation", "this user"],
  );
});

test("CH-079 check tells how many rules over calls vote, and warns where they may ask nothing", async () => {
  const rules = `  rules:\n    a: { tool: [x], verdict: ask, reason: R. }\n    b: { tool: [x], verdict: ask, reason: R., modes: [strict] }\n`;
  const found = async (more: string): Promise<readonly string[]> =>
    (await check(`characters: { a: {} }\nguardrails:\n${more}`)).findings
      .filter(({ path }) => path.startsWith("guardrails"))
      .map(({ level, path, line, message }) => `${level} ${path} ${line} ${message.slice(0, 20)}`);
  assert.deepEqual(await found(rules), ["ok guardrails.rules null 1 of 2 rules vote, m"]);
  assert.deepEqual(await found(`${rules}  mode: strict\n  disable: [a]\n  enabled: false\n`), [
    "ok guardrails.rules null 1 of 2 rules vote, m",
    "warn guardrails.enabled 8 rules and hooks ask ",
  ]);
  assert.deepEqual(await found("  mode: strict\n"), []);
});

test("CH-084 SE-092 TR-071 check names each hook with its digest, and what to do about one that is not the file that was named", async () => {
  const text = "export default () => null;\n";
  const folder = mkdtempSync(join(tmpdir(), "troupe-hooks-"));
  writeFileSync(join(folder, "hook.js"), text);
  const digest = createHash("sha256").update(text).digest("hex");
  const found = async (file: string, sha256: string, events: string, more = ""): Promise<string> => {
    const path = join(folder, file).replaceAll("\\", "/");
    const yaml = `characters: { a: {} }\nhooks:\n  watch: { file: ${path}, sha256: "${sha256}", events: [${events}]${more} }\n`;
    const one = (await check(yaml)).findings.find((finding) => finding.path.startsWith("hooks"));
    return `${one?.level} ${one?.line} ${one?.message} → ${one?.cure}`;
  };
  const wrong = "0".repeat(64);
  assert.match(
    await found("hook.js", digest, "before_turn"),
    new RegExp(`^ok 3 runs with what this process may do.*hears before_turn; SHA-256 ${digest}`),
  );
  assert.match(
    await found("hook.js", wrong, "after_turn"),
    new RegExp(`^warn 3 .*its SHA-256 is ${digest}; it is not heard → look at what changed`),
  );
  assert.match(await found("hook.js", wrong, "before_tool_call"), /^error 3 .*every call of a tool is denied until it can be used/);
  assert.match(await found("hook.js", wrong, "before_tool_call", ", required: false"), /^warn 3 /);
  assert.match(await found("gone.js", wrong, "after_turn"), /^warn 3 .*gone\.js does not exist; it is not heard → put it there/);
  assert.match(await found("", wrong, "after_turn"), /it is a folder/);
  rmSync(folder, { recursive: true });
  assert.match(await found("x", "abc", "after_turn"), /^error 3 .*must be the file's SHA-256, 64 digits.*troupe check shows it/);
  assert.match(await found("x", wrong, "before_tool"), /did you mean before_turn\?|must be one of/);
});
