import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { ManualClock } from "../testing/manual-clock.ts";
import type { Config, ConfigSource, ReloadResult } from "./config.ts";
import { loadConfig } from "./load.ts";
import { configKeys } from "./schema/registry.ts";
import { openConfigSource } from "./reload.ts";

/** Each key of the registry with another value than the one it starts with; `*` is filled in. */
const SETTINGS: Readonly<Record<string, readonly [before: string, after: string]>> = {
  characters: ["{}", "{}"],
  "characters.*.name": ["Ann", "Anna"],
  "characters.*.aliases": ["[one]", "[two]"],
  "characters.*.description": ["old", "new"],
  "characters.*.private": ["old", "new"],
  "characters.*.greeting": ["Hello.", "Good day."],
  "characters.*.language": ["en", "de"],
  "people.operators": ["['discord:12345678901234567']", "['discord:12345678901234567', 'discord:12345678901234568']"],
  "people.own_accounts": ["[]", "['discord:12345678901234567']"],
  "people.remote_tools": ["[]", "[files]"],
  "agent.lines": ["operators", "off"],
  "agent.requests_per_turn": ["32", "8"],
  "agent.calls_per_turn": ["256", "10"],
  "agent.requests_until_asked": ["100", "20"],
  hooks: ["{}", "{}"],
  "hooks.*.file": ["one.js", "two.js"],
  "hooks.*.sha256": [`'${"0".repeat(64)}'`, `'${"1".repeat(64)}'`],
  "hooks.*.events": ["[before_turn]", "[after_turn]"],
  "hooks.*.required": ["false", "true"],
  "hooks.*.deadline_ms": ["1000", "500"],
  "guardrails.enabled": ["true", "false"],
  "guardrails.mode": ["auto", "strict"],
  "guardrails.disable": ["[]", "[r]"],
  "guardrails.small_models": ["[auto]", "['*b']"],
  "guardrails.rules": ["{}", "{}"],
  "guardrails.rules.*.tool": ["[one]", "[two]"],
  "guardrails.rules.*.kind": ["[files]", "[world]"],
  "guardrails.rules.*.command": ["rm", "mv"],
  "guardrails.rules.*.path": ["[/etc/**]", "[/root/**]"],
  "guardrails.rules.*.outside": ["[/home]", "[/srv]"],
  "guardrails.rules.*.arguments": ["{}", "{text: x}"],
  "guardrails.rules.*.verdict": ["ask", "ask"],
  "guardrails.rules.*.reason": ["Why not.", "So it is."],
  "guardrails.rules.*.scopes": ["[session]", "[]"],
  "guardrails.rules.*.models": ["[small]", "['h/*']"],
  "guardrails.rules.*.modes": ["[strict]", "[auto]"],
  "guardrails.rules.*.match": ["[]", "[]"],
  "guardrails.rules.*.not_match": ["[]", "[]"],
  "models.hosts": ["{}", "{}"],
  "models.hosts.*.api": ["ollama", "ollama"],
  "models.hosts.*.url": ["'http://127.0.0.1:1/v1'", "'http://127.0.0.1:2/v1'"],
  "models.hosts.*.key_env": ["KEY_ONE", "KEY_TWO"],
  "models.hosts.*.key_file": ["none", "none"],
  "models.hosts.*.deadline_s": ["45", "46"],
  "models.hosts.*.load_s": ["60", "61"],
  "models.hosts.*.keep_alive": ["5m", "-1"],
  "models.hosts.*.models": ["{}", "{}"],
  "models.hosts.*.models.*.context": ["4096", "8192"],
  "models.hosts.*.models.*.max_output": ["100", "200"],
  "models.hosts.*.models.*.think": ["off", "low"],
  "models.hosts.*.models.*.price": ["{}", "{}"],
  "models.hosts.*.models.*.price.prompt": ["1", "2"],
  "models.hosts.*.models.*.price.completion": ["1", "2"],
  "models.hosts.*.models.*.price.cache_read": ["1", "2"],
  "models.hosts.*.models.*.price.cache_write": ["1", "2"],
  "models.default": ["h/m", "h/n"],
  surfaces: ["{}", "{}"],
  "surfaces.*.kind": ["room", "room"],
  "surfaces.*.title": ["Old", "New"],
  "surfaces.*.port": ["7001", "7002"],
  "surfaces.*.listen": ["127.0.0.1", "0.0.0.0"],
  "surfaces.*.public_url": ["'https://one.example.org'", "'https://two.example.org'"],
  "surfaces.*.proxies": ["[]", "['127.0.0.1']"],
  "surfaces.*.door": ["open", "invited"],
  "surfaces.*.character": ["none", "none"],
  "surfaces.*.characters": ["[a]", "[a, b]"],
  "surfaces.*.admission": ["addressed", "trusted"],
  "surfaces.*.bots": ["ignore", "mentions"],
  "surfaces.*.everyone_is_mention": ["false", "true"],
  "surfaces.*.links": ["[]", "['https://docs.example.org/']"],
  "discord.*.kind": ["discord", "discord"],
  "discord.*.title": ["Old", "New"],
  "discord.*.token_env": ["TOKEN_ONE", "TOKEN_TWO"],
  "discord.*.token_file": ["none", "none"],
  "discord.*.character": ["a", "b"],
  "discord.*.admission": ["addressed", "trusted"],
  "discord.*.allow": ["[]", "['discord:12345678901234567']"],
  "discord.*.dms": ["off", "known"],
  "discord.*.owner_notices": ["off", "dm"],
  "discord.*.delivery": ["now", "hold"],
  "discord.*.moderators": ["[]", "['role:12345678901234567/12345678901234568']"],
  "discord.*.bots": ["ignore", "mentions"],
  "discord.*.everyone_is_mention": ["false", "true"],
  "discord.*.links": ["[]", "['https://docs.example.org/']"],
  "discord.*.context_messages": ["15", "10"],
  "discord.*.context_chars": ["4000", "1000"],
  "discord.*.places": ["{}", "{}"],
  "discord.*.places.*.admission": ["addressed", "trusted"],
  "discord.*.places.*.allow": ["[]", "['role:12345678901234567/12345678901234568']"],
  "discord.*.places.*.character": ["a", "b"],
  "discord.*.places.*.delivery": ["now", "hold"],
  "discord.*.places.*.context_messages": ["1", "2"],
  "discord.*.places.*.context_chars": ["100", "200"],
  "discord.*.places.*.calls_per_day": ["10", "20"],
  "discord.*.api_base": ["'http://127.0.0.1:1/api'", "'http://127.0.0.1:2/api'"],
  "discord.*.other_server": ["true", "true"],
  "engagement.greeting_words": ["{ en: [hi] }", "{ en: [hi], de: [moin] }"],
  "engagement.greeting_max_characters": ["32", "16"],
  "engagement.greeting_radius_m": ["20", "15"],
  "engagement.whisper_radius_m": ["10", "5"],
  "engagement.follow_up_s": ["60", "30"],
  "engagement.people": ["3", "1"],
  "loops.rounds": ["6", "3"],
  "console.port": ["7101", "7102"],
  "budgets.replies_per_minute_per_room": ["12", "11"],
  "budgets.replies_per_minute_per_person": ["6", "5"],
  "budgets.calls_per_day_per_person": ["200", "100"],
  "budgets.calls_per_day_per_space": ["2000", "1000"],
  "budgets.calls_per_day_in_all": ["5000", "4000"],
  "budgets.tool_calls_per_day_per_person": ["500", "100"],
  "budgets.tool_calls_per_day_in_all": ["2000", "1000"],
  "budgets.money_per_day_in_all": ["1", "2.5"],
  "budgets.money_per_day_per_space": ["1", "0.25"],
  "budgets.spent_text": ["Enough.", "Enough for today."],
  "delivery.disclosure.what": ["AI character", "AI"],
  "delivery.disclosure.by": ["run by", "kept by"],
  "delivery.disclosure.operator": ["Ann", "Ben"],
  "delivery.command_prefixes": ["'/!'", "'/'"],
  "delivery.never_say": ["[]", "[open sesame]"],
  "notify.webhook_url_env": ["HOOK_ONE", "HOOK_TWO"],
  "notify.webhook_file": ["none", "none"],
  "limits.concurrent_turns": ["16", "8"],
  "limits.senders": ["4096", "10"],
  "limits.queued_per_lane": ["64", "10"],
  "limits.ingress": ["8192", "10"],
  "limits.message_bytes": ["65536", "300"],
  "limits.packet_lines": ["256", "10"],
  "limits.model_requests": ["256", "10"],
  "limits.public_reply_bytes": ["2000", "300"],
  "limits.direct_reply_bytes": ["6000", "300"],
  "limits.operators": ["1024", "10"],
  "log.level": ["info", "warn"],
  "log.file": ["one.log", "two.log"],
  "log.max_kib": ["5120", "16"],
  "log.keep": ["4", "0"],
  "traces.otlp_url": ["'http://127.0.0.1:4318/v1/traces'", "'http://127.0.0.1:4319/v1/traces'"],
  "traces.key_env": ["KEY_ONE", "KEY_TWO"],
  "traces.key_file": ["none", "none"],
};
/** Sections, keys with one possible value, and keys that exclude another. */
const NOT_CHANGED = new Set([
  "characters",
  "models.hosts",
  "models.hosts.*.api",
  "models.hosts.*.models",
  "models.hosts.*.models.*.price",
  "surfaces",
  "surfaces.*.kind",
  "surfaces.*.character",
  "discord.*.kind",
  "discord.*.token_file",
  "discord.*.places",
  "discord.*.other_server",
  "models.hosts.*.key_file",
  "notify.webhook_file",
  "traces.key_file",
  "guardrails.rules",
  "hooks",
  "guardrails.rules.*.verdict",
  "guardrails.rules.*.match",
  "guardrails.rules.*.not_match",
]);
const ENVIRONMENT = {
  KEY_ONE: "k-one-0123456789abcdefg",
  KEY_TWO: "k-two-0123456789abcdefg",
  TOKEN_ONE: "token-one.abcdef.0123456789abcdefg",
  TOKEN_TWO: "token-two.abcdef.0123456789abcdefg",
  HOOK_ONE: "https://hooks.example/one",
  HOOK_TWO: "https://hooks.example/two",
};

/** The line of SETTINGS for a key: surfaces of two kinds know keys of one name. */
function settingOf({ path, kind }: { readonly path: string; readonly kind: string }): string {
  return kind === "discord" ? path.replace("surfaces.", "discord.") : path;
}

/** The whole file, with the key `changed` at its other value. */
function fileWith(changed: string | null): string {
  const value = (path: string): string => SETTINGS[path]?.[path === changed ? 1 : 0] ?? assert.fail(path);
  const some = (prefix: string, skip: readonly string[] = []): string =>
    Object.keys(SETTINGS)
      .filter((path) => path.startsWith(prefix) && !path.slice(prefix.length).includes(".") && !skip.includes(path))
      .map((path) => `${path.slice(prefix.length)}: ${value(path)}`)
      .join(", ");
  const model = `{ ${some("models.hosts.*.models.*.", ["models.hosts.*.models.*.price"])}, price: { ${some("models.hosts.*.models.*.price.")} } }`;
  return `characters:
  a: { ${some("characters.*.")} }
  b: {}
people: { ${some("people.")} }
models:
  hosts: { h: { ${some("models.hosts.*.", ["models.hosts.*.models", "models.hosts.*.key_file"])}, models: { m: ${model}, n: {} } } }
  default: ${value("models.default")}
surfaces:
  s: { ${some("surfaces.*.", ["surfaces.*.character"])} }
  d: { ${some("discord.*.", ["discord.*.token_file", "discord.*.places"])}, places: { "12345678901234567": { ${some("discord.*.places.*.")} } } }
agent: { ${some("agent.")} }
hooks: { h: { ${some("hooks.*.")} } }
guardrails: { ${some("guardrails.", ["guardrails.rules"])}, rules: { r: { ${some("guardrails.rules.*.")} } } }
console: { port: ${value("console.port")} }
engagement: { ${some("engagement.")} }
loops: { ${some("loops.")} }
budgets: { ${some("budgets.")} }
delivery: { disclosure: { ${some("delivery.disclosure.")} }, never_say: ${value("delivery.never_say")}, command_prefixes: ${value("delivery.command_prefixes")} }
notify: { ${some("notify.", ["notify.webhook_file"])} }
limits: { ${some("limits.")} }
log: { ${some("log.")} }
traces: { ${some("traces.", ["traces.key_file"])} }
`;
}

class Watched {
  readonly clock = new ManualClock();
  readonly notices: ReloadResult[] = [];
  readonly source: ConfigSource;
  readonly #folder = mkdtempSync(join(tmpdir(), "troupe-reload-"));
  #writes = 0;

  constructor(text: string) {
    this.write(text);
    const options = { cwd: this.#folder, environment: ENVIRONMENT };
    this.source = openConfigSource({
      options,
      first: loadConfig(options),
      clock: this.clock,
      notify: (result) => this.notices.push(result),
    });
  }
  write(text: string): void {
    // The length always differs, so that a file system with coarse times shows the change too.
    this.#writes += 1;
    writeFileSync(join(this.#folder, "troupe.yaml"), `${text}#${"x".repeat(this.#writes)}\n`);
  }
  remove(): void {
    rmSync(join(this.#folder, "troupe.yaml"));
  }
  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

const shown = (config: Config): string =>
  JSON.stringify(config, (_key, value: unknown) => (value instanceof Map ? [...value] : value)) +
  [...config.models.hosts.values()].map((host) => host.key?.reveal()).join();

test("MC-089 every key of the registry takes effect at the moment the registry says", () => {
  const paths = configKeys().map(settingOf);
  assert.deepEqual(paths.toSorted(), Object.keys(SETTINGS).toSorted(), "SETTINGS has a line for each key");
  for (const row of configKeys()) {
    if (NOT_CHANGED.has(settingOf(row))) continue;
    using watched = new Watched(fileWith(null));
    const before = shown(watched.source.current());
    watched.write(fileWith(settingOf(row)));
    const result = watched.source.reload();
    assert.equal(result.kind, "loaded", row.path);
    const changed = shown(watched.source.current()) !== before;
    assert.equal(changed, row.reload === "next message", row.path);
    assert.equal(result.kind === "loaded" && result.waiting.length > 0, row.reload === "start", row.path);
  }
});

test("TR-006 a bad file is rejected with one notice, and the last good one stays until the file is right", async () => {
  using watched = new Watched(fileWith(null));
  const good = watched.source.current();
  watched.write("characters: {}\n");
  await watched.clock.advance(1_000);
  for (let look = 0; look < 5; look += 1) {
    assert.equal(watched.source.current(), good);
    assert.equal(watched.source.reload().kind, "kept");
    await watched.clock.advance(1_000);
  }
  assert.equal(watched.notices.length, 1);
  assert.match(JSON.stringify(watched.notices[0]), /kept.*troupe\.yaml:1:13 characters: must name at least one/);
  watched.write(fileWith("characters.*.private"));
  await watched.clock.advance(1_000);
  assert.equal([...watched.source.current().characters.values()][0]?.private, "new");
  assert.deepEqual(watched.notices.slice(1), [{ kind: "loaded", waiting: [] }]);
});

test("MC-089 a reload cannot raise a ceiling or a budget over its bound", () => {
  using watched = new Watched(fileWith(null));
  const before = watched.source.current();
  for (const [from, to] of [
    ["replies_per_minute_per_room: 12", "replies_per_minute_per_room: 121"],
    ["senders: 4096", "senders: 4097"],
  ] as const) {
    watched.write(fileWith(null).replace(from, to));
    assert.equal(watched.source.reload().kind, "kept");
    assert.equal(watched.source.current(), before);
  }
});

test("a file that goes away, or turns into a folder, changes nothing", async () => {
  using watched = new Watched(fileWith(null));
  const good = watched.source.current();
  watched.remove();
  await watched.clock.advance(1_000);
  assert.equal(watched.source.current(), good);
  assert.deepEqual(
    watched.notices.map((notice) => notice.kind),
    ["kept"],
  );
});

test("the file is looked at on use, at most twice a second, and at once when asked", async () => {
  using watched = new Watched(fileWith(null));
  watched.source.reload();
  watched.write(fileWith("delivery.disclosure.operator"));
  await watched.clock.advance(499);
  assert.equal(watched.source.current().delivery.disclosure.operator, "Ann");
  await watched.clock.advance(1);
  assert.equal(watched.source.current().delivery.disclosure.operator, "Ben");
  watched.write(fileWith(null));
  assert.equal(watched.source.reload().kind, "loaded");
  assert.equal(watched.source.current().delivery.disclosure.operator, "Ann");
  assert.equal(watched.source.reload().kind, "unchanged");
});

test("new and removed characters and rooms wait for a start, and are named", () => {
  using watched = new Watched(fileWith(null));
  watched.write(fileWith(null).replace("  b: {}\n", "  c: {}\n").replace("\n  s: {", "\n  t: {"));
  const result = watched.source.reload();
  assert.ok(result.kind === "loaded");
  for (const part of ["characters.b", "characters.c", "surfaces.s.port", "surfaces.t.port"]) {
    assert.ok(
      result.waiting.some((path) => path.startsWith(part)),
      `${part} in ${result.waiting.join()}`,
    );
  }
  assert.deepEqual([...watched.source.current().characters.keys()], ["a", "b"]);
  assert.deepEqual([...watched.source.current().surfaces.keys()], ["s", "d"]);
});

test("TR-006 a file that is right by itself but not beside what stays until the next start is kept out", () => {
  using watched = new Watched(fileWith("surfaces.*.characters"));
  const before = watched.source.current();
  const text = fileWith("surfaces.*.characters").replace("characters: [a, b]", "characters: [a]").replace("b: {}", "b: { aliases: [one] }");
  watched.write(text);
  const result = watched.source.reload();
  assert.ok(result.kind === "kept");
  assert.match(result.why, /together with what stays until the next start.*the characters a and b answer to the same alias/);
  assert.equal(watched.source.current(), before);
});

test("the built-in example never changes", () => {
  const options = { cwd: "/nonexistent", environment: {} };
  const first = loadConfig(options);
  const source = openConfigSource({ options, first, clock: new ManualClock(), notify: () => assert.fail("nothing to tell") });
  assert.deepEqual(source.reload(), { kind: "unchanged" });
  assert.equal(source.current(), first.config);
});
