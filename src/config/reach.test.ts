import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { isRuntimeError } from "../foundation/errors.ts";
import type { RoomConfig } from "./config.ts";
import { roomsOf } from "./config.ts";
import { loadConfig } from "./load.ts";
import { addressRule, isLoopback, publicUrlRule } from "./rules/reach-rules.ts";

/** Why a file with these keys is refused; "" when it is not. */
function refusalOf(keys: string): string {
  const room = roomOf(keys);
  return typeof room === "string" ? room : "";
}

/** The room of a file with these keys, or the message that refuses it. */
function roomOf(keys: string): RoomConfig | string {
  const folder = mkdtempSync(join(tmpdir(), "troupe-reach-"));
  try {
    writeFileSync(
      join(folder, "troupe.yaml"),
      `characters: { a: {} }\nsurfaces: { inn: { kind: room, port: 7777, character: a, ${keys} } }\n`,
    );
    const [room] = roomsOf(loadConfig({ cwd: folder, environment: {} }).config);
    return room ?? "no room";
  } catch (error) {
    if (!isRuntimeError(error, "config_invalid")) throw error;
    return error.message;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("TR-094 a room is on loopback, with an open door, until both keys say otherwise; then it opens by invitation", () => {
  const facts = (keys: string): unknown => {
    const room = roomOf(keys);
    return typeof room === "string" ? room : [room.outside, room.door];
  };
  assert.deepEqual(facts(""), [null, "open"]);
  assert.deepEqual(facts("door: invited"), [null, "invited"]);
  const outside = { address: "0.0.0.0", origin: "https://inn.example.org", proxies: [] };
  assert.deepEqual(facts("listen: 0.0.0.0, public_url: 'https://inn.example.org/'"), [outside, "invited"]);
  assert.deepEqual(facts("listen: 0.0.0.0, public_url: 'https://INN.example.org:443', door: open"), [outside, "open"]);
  assert.deepEqual(facts("listen: '::', public_url: 'http://192.168.1.5:7777', proxies: ['10.0.0.1', '::1']"), [
    { address: "::", origin: "http://192.168.1.5:7777", proxies: ["10.0.0.1", "::1"] },
    "invited",
  ]);
});

test("TR-094 half a decision to open a room is refused, with the other half named", () => {
  for (const [keys, rule] of [
    ["listen: 0.0.0.0", /surfaces\.inn\.listen: needs `public_url` too/],
    ["public_url: 'https://inn.example.org'", /surfaces\.inn\.public_url: needs `listen` too: 127\.0\.0\.1 behind a proxy/],
    ["proxies: ['127.0.0.1']", /surfaces\.inn\.proxies: says nothing without/],
    ["listen: 0.0.0.0, public_url: 'https://inn.example.org', port: 0", /port/],
  ] as const)
    assert.match(refusalOf(keys), rule, keys);
  assert.match(refusalOf("listen: everywhere, public_url: 'https://inn.example.org'"), /listen: must be an IP address/);
});

test("TR-094 the public address is a host, over https unless the network is one's own", () => {
  for (const url of [
    "https://inn.example.org",
    "https://inn.example.org:8443/",
    "http://localhost:7777",
    "http://192.168.1.5:7777",
    "http://10.0.0.2",
    "http://172.31.0.1:80",
    "http://100.64.0.1",
    "http://[::1]:7777",
    "http://[fd00::5]:7777",
    "http://inn.local:7777",
    "http://inn:7777",
  ])
    assert.equal(publicUrlRule(url), null, url);
  for (const [url, rule] of [
    ["inn.example.org", /http or https/],
    ["ftp://inn.example.org", /http or https/],
    ["https://ann@inn.example.org", /http or https/],
    ["https://inn.example.org/room", /without a path/],
    ["https://inn.example.org/?a=1", /without a path/],
    ["https://inn.example.org/#", /without a path/],
    ["https://0.0.0.0", /not the address that is listened on/],
    ["https://[::]", /not the address that is listened on/],
    ["http://inn.example.org", /must be https/],
    ["http://8.8.8.8:7777", /must be https/],
    ["http://172.32.0.1", /must be https/],
    ["http://[2001:db8::1]", /must be https/],
    ["http://192.168.1.5.example.org", /must be https/],
    ["http://10.evil.example", /must be https/],
  ] as const)
    assert.match(publicUrlRule(url) ?? "accepted", rule, url);
});

test("an address to listen on is a literal one", () => {
  for (const address of ["127.0.0.1", "0.0.0.0", "255.255.255.255", "::", "::1", "fe80::1", "::ffff:127.0.0.1"])
    assert.equal(addressRule(address), null, address);
  for (const address of ["localhost", "256.0.0.1", "1.2.3", "1.2.3.4.5", "01.2.3.4", "1.2.3.4.", ":::", "12345::", "*", "0x7f.0.0.1"])
    assert.notEqual(addressRule(address), null, address);
  assert.deepEqual(["127.0.0.1", "127.9.9.9", "::1", "0.0.0.0", "::", "10.0.0.1"].map(isLoopback), [true, true, true, false, false, false]);
});
