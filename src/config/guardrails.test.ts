import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { isRuntimeError } from "../foundation/errors.ts";
import { ManualClock } from "../testing/manual-clock.ts";
import { RULE_STEPS, holds } from "../vocabulary/calls/guardrail-rule.ts";
import { isSmallModel } from "../vocabulary/calls/small-model.ts";
import type { ReloadResult } from "./config.ts";
import { loadConfig } from "./load.ts";
import { configKeys } from "./schema/registry.ts";
import { openConfigSource } from "./reload.ts";

const CHARACTERS = "characters: { mirelle: {} }\n";

interface Folder {
  readonly path: string;
  write(text: string): void;
}

function folder(context: TestContext): Folder {
  const path = mkdtempSync(join(tmpdir(), "troupe-rules-"));
  context.after(() => rmSync(path, { recursive: true, force: true }));
  let writes = 0;
  // The length always differs, so that a file system with coarse times shows the change too.
  return { path, write: (text) => writeFileSync(join(path, "troupe.yaml"), `${text}\n#${"x".repeat((writes += 1))}\n`) };
}

function problemsOf(context: TestContext, rules: string): string {
  const { path, write } = folder(context);
  write(`${CHARACTERS}guardrails:\n${rules}`);
  try {
    loadConfig({ cwd: path, environment: {} });
  } catch (error) {
    assert.ok(isRuntimeError(error, "config_invalid"));
    return error.message;
  }
  return assert.fail(`taken: ${rules}`);
}

const rule = (more: string): string => `  rules:\n    quiet: { ${more}, verdict: deny, reason: It is late. }\n`;

test("CH-074 MC-104 a rule that cannot be meant refuses the file with file, line, rule and cure", (context) => {
  const refusals: Readonly<Record<string, RegExp>> = {
    [rule(`command: "(a"`)]:
      /troupe\.yaml:4:\d+ guardrails\.rules\.quiet\.command: is no pattern: at character 1 a parenthesis opens that none closes; write /,
    [rule(`command: "(?<=a)b"`)]: /quiet\.command: is no pattern: at character 1 look-around.*write/,
    [rule(`arguments: { text: "(a)\\\\1" }`)]: /quiet\.arguments\.text: is no pattern: at character 4 .*write it out/,
    [rule(`arguments: { "a b": x }`)]: /:4:\d+ .*must be an argument's name/,
    [rule(`tool: [NOTE]`)]: /quiet\.tool\[0\]: must be a tool's name/,
    [rule(`tool: note_write`)]: /quiet\.tool: must be a list, but is text/,
    [rule(`tool: []`)]: /quiet\.tool: must be at least 1 entries/,
    [rule(`kind: [file]`)]: /quiet\.kind\[0\]: must be one of .*did you mean files\?/,
    [rule(`path: [etc/passwd]`)]: /quiet\.path\[0\]: must begin with \/ or \*\*\//,
    [rule(`path: [/srv/../etc]`)]: /quiet\.path\[0\]: .*without \. or \.\./,
    [rule(`outside: ["/srv/*"]`)]: /quiet\.outside\[0\]: must be a folder itself.*write path for patterns/,
    [rule(`outside: [srv]`)]: /quiet\.outside\[0\]: must be an absolute folder/,
    [rule(`modes: [strict]`)]: /:4:\d+ guardrails\.rules\.quiet: must name what it is about: one of tool, .*tool: \["\*"\] is every call/,
    [rule(`tool: ["*"], scopes: [session]`)]: /quiet\.scopes: is of no use.*take it away/,
    [rule(`tool: ["*"], models: ["a b"]`)]: /quiet\.models\[0\]: must be a model as host\/model/,
    [rule(`tool: ["*"], reason: again`)]: /stands twice|a second time|doubled|twice/,
    [rule(`tool: ["*"], regex: x`)]: /quiet\.regex: unknown key/,
    [`  rules:\n    quiet: { tool: ["*"], verdict: allow, reason: No. }\n`]: /quiet\.verdict: must be one of ask, deny/,
    [`  rules:\n    quiet: { tool: ["*"], verdict: deny }\n`]: /quiet\.reason: is required, and must be text/,
    [`  rules:\n    Quiet: { tool: ["*"], verdict: deny, reason: No. }\n`]: /the name must be a lower-case word/,
    [`  mode: strickt\n`]: /:3:\d+ guardrails\.mode: must be one of auto, strict; did you mean strict\?/,
    [`${rule(`tool: ["*"]`)}  disable: [quite]\n`]: /:5:\d+ guardrails\.disable\[0\]: there is no rule quite; did you mean quiet\?/,
    [rule(`tool: [look], match: [{ tool: note }]`)]:
      /:4:\d+ guardrails\.rules\.quiet\.match\[0\]: the rule is not about this call; correct/,
    [rule(`tool: [look], not_match: [{ tool: look }]`)]: /quiet\.not_match\[0\]: the rule is about this call; correct/,
    [rule(`command: "rm", match: [{ tool: run, arguments: { command: ls } }]`)]: /quiet\.match\[0\]: the rule is not about this call/,
  };
  for (const [text, message] of Object.entries(refusals)) assert.match(problemsOf(context, text), message, text);
  const many = Array.from({ length: 129 }, (_, at) => `    r${at}: { tool: [x], verdict: ask, reason: R. }\n`).join("");
  assert.match(problemsOf(context, `  rules:\n${many}`), /guardrails\.rules: must be at most 128/);
});

test("CH-074 rules are taken in their order, each with its line, and tried on their own examples", (context) => {
  const { path, write } = folder(context);
  write(`${CHARACTERS}guardrails:
  mode: strict
  disable: [b-rule]
  small_models: [auto, "near/*"]
  rules:
    z-rule:
      command: "(?i)\\\\brm\\\\b"
      path: ["/etc/**", "**/.ssh/*"]
      outside: [/srv/work]
      verdict: ask
      reason: It removes.
      scopes: []
      match:
        - { tool: run, arguments: { command: "sudo RM x", path: /etc/passwd } }
        - { tool: run, folder: /home/ann, arguments: { command: rm x, path: .ssh/id } }
      not_match:
        - { tool: run, arguments: { command: "form", path: /etc/passwd } }
        - { tool: run, folder: /srv/work, arguments: { command: rm x, path: x } }
    b-rule: { arguments: { "*": secret }, verdict: deny, reason: Never. }
`);
  const { guardrails } = loadConfig({ cwd: path, environment: {} }).config;
  assert.deepEqual(
    guardrails.rules.map(({ id, line, verdict, scopes, modes }) => ({ id, line, verdict, scopes, modes })),
    [
      { id: "z-rule", line: 7, verdict: "ask", scopes: [], modes: ["auto", "strict"] },
      { id: "b-rule", line: 20, verdict: "deny", scopes: ["session", "always"], modes: ["auto", "strict"] },
    ],
  );
  assert.deepEqual(
    [guardrails.mode, guardrails.disabled, guardrails.small.byName, guardrails.unusable],
    ["strict", ["b-rule"], true, null],
  );
});

test("CH-080 no variable and no flag changes a rule, and each counts from the next call", () => {
  const rows = configKeys().filter(({ path }) => path.startsWith("guardrails."));
  assert.ok(rows.length >= 15);
  for (const row of rows) assert.deepEqual([row.environment, row.flag, row.reload], [undefined, undefined, "next message"], row.path);
});

test("TR-006 CH-074 a changed file whose rules cannot be used shuts every call at once, until it is right; other mistakes leave the last rules", (context) => {
  const { path, write } = folder(context);
  const good = `${CHARACTERS}guardrails:\n${rule(`tool: ["*"]`)}`;
  write(good);
  const told: ReloadResult[] = [];
  const options = { cwd: path, environment: {} };
  const source = openConfigSource({ options, first: loadConfig(options), clock: new ManualClock(), notify: (result) => told.push(result) });
  const stand = (): readonly unknown[] => {
    const result = source.reload();
    const { unusable, rules } = source.current().guardrails;
    return [result.kind === "kept" ? `kept ${result.shut ? "shut" : "open"}` : result.kind, unusable === null, rules.map(({ id }) => id)];
  };
  assert.deepEqual(stand(), ["unchanged", true, ["quiet"]]);
  write(`${good}budgets: { calls_per_day_in_all: many }`);
  assert.deepEqual(stand(), ["kept open", true, ["quiet"]]);
  write(`${CHARACTERS}guardrails: { mode: of }`);
  assert.deepEqual(stand(), ["kept shut", false, ["quiet"]]);
  assert.ok(Object.isFrozen(source.current().guardrails));
  write(`${good}budgets: { calls_per_day_in_all: many }`);
  assert.deepEqual(stand(), ["kept shut", false, ["quiet"]], "only a file that is right opens them again");
  write(good.replace("quiet", "silent"));
  assert.deepEqual(stand(), ["loaded", true, ["silent"]]);
  write(`${good}guardrails: [`);
  assert.deepEqual(stand(), ["kept shut", false, ["silent"]], "a file that is no YAML may hold any rule");
  write(good);
  assert.deepEqual(stand(), ["loaded", true, ["quiet"]]);
  assert.equal(told.length, 6);
});

test("CH-079 a small model is one whose name says at most 32 billion parameters at work", () => {
  const small = [
    "qwen3:8b",
    "near/llama-3.2-3B-instruct",
    "qwen3-30b-a3b",
    "mixtral-8x7b",
    "gemma3:27b-it",
    "phi-1.5b",
    "x:32b",
    "qwen3-235b-a22b",
  ];
  const large = ["llama-3.1-70b", "x:33b", "mixtral-8x44b", "some-model", "gpt-4o", "vast-8-big", "v2b2", "qwen-480b-a35b"];
  assert.deepEqual(
    small.filter((name) => !isSmallModel(name)),
    [],
  );
  assert.deepEqual(
    large.filter((name) => isSmallModel(name)),
    [],
  );
});

test("CH-074 what a rule names must all be so of a call, and what cannot be told counts as so", (context) => {
  const { path, write } = folder(context);
  const matches = (
    matchers: string,
    call: { tool?: string; kind?: "files" | "processes" | "session"; folder?: string; paths?: string[]; args?: unknown },
  ) => {
    write(`${CHARACTERS}guardrails:\n${rule(matchers)}`);
    const [only] = loadConfig({ cwd: path, environment: {} }).config.guardrails.rules;
    assert.ok(only);
    const { tool = "note_write", kind = null, folder: at = null, paths = [], args = {} } = call;
    return holds(only, { tool, kind, folder: at, paths, arguments: args }, { left: RULE_STEPS });
  };
  for (const [matchers, call, wanted] of [
    [`tool: [note_*]`, {}, true],
    [`tool: [note_read, "*_write"]`, {}, true],
    [`tool: [note]`, {}, false],
    [`tool: [note_*], kind: [session]`, { kind: "session" }, true],
    [`tool: [note_*], kind: [files]`, { kind: "session" }, false],
    [`kind: [files]`, {}, false],
    [`command: "rm"`, { args: { command: "ls; rm x" } }, true],
    [`command: "^rm x$"`, { args: { command: ["rm", "x"] } }, true],
    [`command: "rm"`, { args: { text: "rm" } }, false],
    [`command: "rm"`, { kind: "processes", args: { script: "x" } }, true],
    [`arguments: { text: "^a.c$" }`, { args: { text: "a\nc" } }, true],
    [`arguments: { text: ghost }`, { args: { text: "a GHOST" } }, false],
    [`arguments: { text: "(?i)ghost" }`, { args: { text: "a GHOST" } }, true],
    [`arguments: { text: ghost }`, { args: { text: "g\u200bh\u00adost" } }, true],
    [`arguments: { text: ghost }`, { args: { text: "ｇｈｏｓｔ" } }, true],
    [`arguments: { text: "^5$" }`, { args: { text: 5 } }, true],
    [`arguments: { text: ghost }`, { args: { other: "ghost" } }, false],
    [`arguments: { "*": ghost }`, { args: { other: [{ deep: "ghost" }] } }, true],
    [`arguments: { "*": ghost }`, { args: { ghost: 1 } }, true],
    [`arguments: { a: x, b: y }`, { args: { a: "x", b: "z" } }, false],
    [`arguments: { constructor: x }`, { args: {} }, false],
    [`path: ["/etc/**"]`, { args: { path: "/srv/../etc/./passwd" } }, true],
    [`path: ["/etc/*"]`, { args: { path: "/etc/ssl/key" } }, false],
    [`path: ["/etc/**"]`, { args: { path: "/ETC/passwd" } }, true],
    [`path: ["**/.env"]`, { args: { files: ["/srv/a", "/srv/.env"] } }, true],
    [`path: ["/etc/**"]`, { folder: "/etc", args: { path: "passwd" } }, true],
    [`path: ["/etc/**"]`, { args: { path: "passwd" } }, true],
    [`path: ["/etc/**"]`, { folder: "/srv", args: { path: "~/x" } }, true],
    [`path: ["/etc/**"]`, { paths: ["/etc/real"], args: { path: "/srv/link" } }, true],
    [`path: ["/etc/**"]`, { kind: "files" }, true],
    [`path: ["/etc/**"]`, { kind: "session" }, false],
    [`outside: [/srv/work]`, { args: { path: "/srv/work/a" } }, false],
    [`outside: [/srv/work]`, { args: { path: "/srv/work" } }, false],
    [`outside: [/srv/work]`, { args: { path: "/srv/workshop" } }, true],
    [`outside: [/srv/work]`, { args: { paths: ["/srv/work/a", "/srv/work/../b"] } }, true],
    [`outside: [/srv/work]`, { args: { path: "a" } }, true],
    [`outside: [/]`, { args: { path: "/a" } }, false],
  ] as const)
    assert.equal(matches(matchers, { ...call } as Parameters<typeof matches>[1]), wanted, `${matchers} of ${JSON.stringify(call)}`);
});
