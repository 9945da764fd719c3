import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { addressKey, callerOf, networkOf } from "./caller.ts";

const four = fc.ipV4();
const six = fc.ipV6();

test("TR-094 without a named proxy a caller is the connection's own address, whatever the headers say", () => {
  fc.assert(
    fc.property(four, fc.string(), (peer, header) => {
      assert.equal(callerOf(peer, header, []).address, addressKey(peer));
    }),
  );
  assert.equal(callerOf(undefined, "1.2.3.4", []).address, "");
});

test("TR-094 behind named proxies a caller is the last hop that is none of them, whatever stands to its left", () => {
  fc.assert(
    fc.property(fc.oneof(four, six), fc.array(fc.string({ maxLength: 20 }), { maxLength: 5 }), (client, written) => {
      const proxies = ["127.0.0.1", "::1"];
      fc.pre(!proxies.map(addressKey).includes(addressKey(client)));
      const header = [...written.map((text) => text.replaceAll(",", "")), client].join(", ");
      assert.equal(callerOf("127.0.0.1", header, proxies).address, addressKey(client));
      assert.equal(callerOf("::ffff:127.0.0.1", `${header}, ::1`, proxies).address, addressKey(client), "two proxies in a row");
    }),
  );
  for (const header of ["", "unknown", "not an address", "1.2.3.999", "1.2.3.4.5", "x".repeat(2_000), undefined]) {
    assert.equal(callerOf("127.0.0.1", header, ["127.0.0.1"]).address, "127.0.0.1", String(header));
  }
  assert.equal(callerOf("127.0.0.1", "203.0.113.7:4711", ["127.0.0.1"]).address, "203.0.113.7");
  assert.equal(callerOf("127.0.0.1", "[2001:db8::7]:4711", ["127.0.0.1"]).address, "2001:db8::7");
});

test("SE-090 each address has one spelling, and a network is /24 or /56", () => {
  for (const [text, key] of [
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["::FFFF:c000:0201", "192.0.2.1"],
    ["2001:DB8:0:0:0:0:0:1", "2001:db8::1"],
    ["fe80::1%eth0", "fe80::1"],
    ["192.0.2.256", ""],
    ["example.org", ""],
    ["", ""],
  ] as const)
    assert.equal(addressKey(text), key, text);
  assert.equal(networkOf("192.0.2.7"), networkOf("::ffff:192.0.2.250"));
  assert.notEqual(networkOf("192.0.2.7"), networkOf("192.0.3.7"));
  assert.equal(networkOf("2001:db8:1:2ff::1"), networkOf("2001:db8:1:200:ffff::"));
  assert.notEqual(networkOf("2001:db8:1:2ff::1"), networkOf("2001:db8:1:300::1"));
  fc.assert(
    fc.property(six, (address) => {
      assert.equal(addressKey(addressKey(address)), addressKey(address));
      assert.ok(networkOf(address).length > 0);
    }),
  );
});
