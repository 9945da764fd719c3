import assert from "node:assert/strict";
import { test } from "node:test";
import { format, inspect } from "node:util";
import fc from "fast-check";
import { EndpointUrl, MAX_ENDPOINT_CHARACTERS } from "./endpoint-url.ts";
import { isRuntimeError } from "./errors.ts";

const ORIGIN = "models.hosts.local.url";

test("MC-105 accepts exact http and https addresses", () => {
  for (const text of ["http://127.0.0.1:8080/v1", "https://example.org", "http://[::1]:11434/", "HTTPS://Example.org/a/b?c=d"]) {
    assert.equal(EndpointUrl.parse(text, ORIGIN).target().href, new URL(text).href);
  }
});

test("MC-105 refuses what is no exact http address, and names only where it came from", () => {
  const refused = [
    "",
    "/v1",
    "localhost:8080",
    "ftp://canary.example/",
    "file:///canary",
    "javascript:canary",
    "ws://canary.example",
    "http:canary.example",
    "http:///canary",
    "http://",
    "http://?canary",
    "http://canary.example/#",
    "http://canary.example/#part",
    " http://canary.example",
    "http://canary.example/a b",
    "http:\\\\canary.example",
    "http://canary.example/\u202e",
    "http://canary.example:99999/",
    "http://canary.example/\n",
    `http://canary.example/${"a".repeat(MAX_ENDPOINT_CHARACTERS)}`,
  ];
  for (const text of refused) {
    assert.throws(
      () => EndpointUrl.parse(text, ORIGIN),
      (error) => isRuntimeError(error, "invalid_argument") && error.message.includes(ORIGIN) && !inspect(error).includes("canary"),
      JSON.stringify(text),
    );
  }
});

test("MC-105 every way of printing hides user name, password and the whole query", () => {
  const url = EndpointUrl.parse("https://user-canary:pass-canary@api.example.org:8443/v1?key=query-canary&x", ORIGIN);
  const shown = "https://[hidden]@api.example.org:8443/v1?[hidden]";
  for (const text of [
    "".concat(url.toString()),
    String(url),
    inspect(url),
    inspect({ deep: [url] }),
    JSON.stringify({ url }),
    format("%s %o %j", url, url, url),
    inspect(url, { showHidden: true, depth: 9 }),
  ]) {
    assert.ok(!text.includes("canary"), text);
    assert.ok(text.includes(shown), text);
  }
  assert.deepEqual(Object.keys(url), []);
});

test("MC-105 property: no user name, password or query ever shows", () => {
  const word = fc.stringMatching(/^[A-Za-z0-9%@:&=]{1,20}$/).map((text) => `zq${encodeURIComponent(text)}qz`);
  fc.assert(
    fc.property(word, word, word, (user, password, query) => {
      const url = EndpointUrl.parse(`https://${user}:${password}@example.org/v1?${query}`, ORIGIN);
      const shown = `${String(url)} ${inspect(url)} ${JSON.stringify(url)} ${url.origin} ${url.path}`;
      assert.ok(!shown.includes("zq") && !shown.includes("qz"), shown);
    }),
  );
});

test("MC-074 credentials leave the address and become a header; the rest is sent as configured", () => {
  const url = EndpointUrl.parse("https://us%3Aer:p%20w%C3%A9@example.org/v1?api-version=2", ORIGIN);
  assert.equal(url.hasCredentials, true);
  const target = url.target();
  assert.equal(target.href, "https://example.org/v1?api-version=2");
  assert.equal(target.authorization, `Basic ${Buffer.from("us:er:p wé").toString("base64")}`);
  assert.deepEqual(url.sensitiveParts(), ["us%3Aer", "us:er", "p%20w%C3%A9", "p wé", "api-version=2", "2"]);
  assert.equal(EndpointUrl.parse("https://example.org/v1", ORIGIN).target().authorization, null);
});

test("MC-074 another path keeps server, credentials and query", () => {
  const url = EndpointUrl.parse("https://user:pw@example.org/v1/?a=b", ORIGIN).withPath("/v1/chat/completions");
  assert.equal(url.target().href, "https://example.org/v1/chat/completions?a=b");
  assert.equal(url.hasCredentials, true);
  for (const path of ["", "v1", "/v1?x", "/v1#x", "/a b"])
    assert.throws(
      () => url.withPath(path),
      (error) => isRuntimeError(error, "invalid_argument"),
    );
});

test("MC-105 a password with broken percent codes is sent as it stands", () => {
  const target = EndpointUrl.parse("https://user:100%zz@example.org/", ORIGIN).target();
  assert.equal(target.authorization, `Basic ${Buffer.from("user:100%zz").toString("base64")}`);
});
