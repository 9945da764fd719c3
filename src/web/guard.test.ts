import assert from "node:assert/strict";
import { test } from "node:test";
import type { Site } from "./guard.ts";
import { judge, loopbackSite, publicSite } from "./guard.ts";

const OWN = loopbackSite(7777);
const HOST = "127.0.0.1:7777";
const PAGE = { host: HOST, origin: `http://${HOST}`, "sec-fetch-site": "same-origin" };
const PROGRAM = { host: HOST, authorization: "Bearer x" };
const JSON_BODY = { "content-type": "application/json", "content-length": "2" };

type Facts = readonly [what: string, method: string, target: string, headers: Readonly<Record<string, string>>, expected: string];

function verdict(
  method: string,
  target: string,
  headers: Readonly<Record<string, string>>,
  how: { hostLines?: number; site?: Site } = {},
): string {
  const judged = judge({ method, target, headers, hostLines: how.hostLines ?? 1 }, how.site ?? OWN);
  return judged.kind === "refused" ? String(judged.status) : judged.kind;
}

test("SE-086 judges every request by its own facts before anything is routed", () => {
  const table: readonly Facts[] = [
    ["own page reads", "GET", "/api/room", PAGE, "api"],
    ["own page reads, which browsers send without Origin", "GET", "/api/stream", { host: HOST, "sec-fetch-site": "same-origin" }, "api"],
    ["own page under localhost", "GET", "/api/room", { host: "localhost:7777", origin: "http://localhost:7777" }, "api"],
    ["own page writes", "POST", "/api/lines", { ...PAGE, ...JSON_BODY }, "api"],
    [
      "own page writes with a charset",
      "POST",
      "/api/lines",
      { ...PAGE, ...JSON_BODY, "content-type": "application/json; charset=UTF-8" },
      "api",
    ],
    ["a POST without a body", "POST", "/api/leave", PAGE, "api"],
    ["a program with a token", "GET", "/api/room", PROGRAM, "api"],
    ["a program without a token", "GET", "/api/room", { host: HOST }, "401"],
    ["a browser's fetch without Origin or site", "GET", "/api/room", { ...PROGRAM, "sec-fetch-mode": "cors" }, "403"],
    ["a foreign origin", "GET", "/api/room", { ...PAGE, origin: "https://evil.example" }, "403"],
    ["a foreign port", "GET", "/api/room", { ...PAGE, origin: "http://127.0.0.1:7778" }, "403"],
    ["the other own name as origin", "GET", "/api/room", { ...PAGE, origin: "http://localhost:7777" }, "403"],
    ["https of the own host", "GET", "/api/room", { ...PAGE, origin: `https://${HOST}` }, "403"],
    ["an opaque origin", "POST", "/api/lines", { ...PAGE, ...JSON_BODY, origin: "null" }, "403"],
    ["another site", "GET", "/api/room", { ...PAGE, "sec-fetch-site": "cross-site" }, "403"],
    ["the same site on another port", "GET", "/api/room", { host: HOST, "sec-fetch-site": "same-site" }, "403"],
    ["a typed address of an interface route", "GET", "/api/room", { host: HOST, "sec-fetch-site": "none" }, "403"],
    ["a rebinding name", "GET", "/api/room", { ...PAGE, host: "evil.example:7777", origin: "http://evil.example:7777" }, "403"],
    ["a rebinding name for the shell", "GET", "/", { host: "evil.example:7777" }, "403"],
    ["the own name with another port", "GET", "/", { host: "127.0.0.1:80" }, "403"],
    ["the own name without a port", "GET", "/", { host: "127.0.0.1" }, "403"],
    ["IPv6, which is not bound", "GET", "/", { host: "[::1]:7777" }, "403"],
    ["no name", "GET", "/", {}, "403"],
    ["the shell from anywhere", "GET", "/", { host: HOST, origin: "https://evil.example", "sec-fetch-site": "cross-site" }, "shell"],
    ["an asset", "HEAD", "/assets/a.js", { host: HOST }, "shell"],
    ["another method on the shell from anywhere", "POST", "/", { host: HOST, origin: "https://evil.example" }, "403"],
    ["another method on the shell", "PUT", "/", PAGE, "405"],
    ["a preflight", "OPTIONS", "/api/lines", { host: HOST, origin: "https://evil.example" }, "403"],
    ["a preflight of its own", "OPTIONS", "/api/lines", PAGE, "405"],
    ["HEAD of a stream", "HEAD", "/api/stream", PAGE, "405"],
    ["an absolute target", "GET", `http://${HOST}/api/room`, PAGE, "400"],
    ["a scheme-relative target", "GET", "//evil.example/api/room", PAGE, "400"],
    ["a form body", "POST", "/api/lines", { ...PAGE, "content-type": "text/plain", "content-length": "2" }, "415"],
    ["a body without a type", "POST", "/api/lines", { ...PAGE, "transfer-encoding": "chunked" }, "415"],
    ["a GET with a body", "GET", "/api/lines", { ...PAGE, ...JSON_BODY }, "400"],
    ["forwarded headers", "GET", "/api/room", { host: HOST, "x-forwarded-host": "evil.example", "x-forwarded-for": "127.0.0.1" }, "401"],
  ];
  for (const [what, method, target, headers, expected] of table) assert.equal(verdict(method, target, headers), expected, what);
  assert.equal(verdict("GET", "/", { host: HOST }, { hostLines: 2 }), "403", "two Host lines");
});

test("TR-094 SE-086 a room that others reach answers to its public name alone, and takes its pages' origin from there", () => {
  const host = "inn.example.org";
  const page = { host, origin: `https://${host}`, "sec-fetch-site": "same-origin" };
  const table: readonly Facts[] = [
    ["the public page", "POST", "/api/lines", { ...page, ...JSON_BODY }, "api"],
    ["a proxy that writes the standard port", "POST", "/api/lines", { ...page, ...JSON_BODY, host: `${host}:443` }, "api"],
    ["a name in capitals", "GET", "/", { host: "Inn.Example.org" }, "shell"],
    ["the same host over plain http", "POST", "/api/lines", { ...page, ...JSON_BODY, origin: `http://${host}` }, "403"],
    ["another port of the host", "POST", "/api/lines", { ...page, ...JSON_BODY, origin: `https://${host}:8443` }, "403"],
    ["a name below it", "GET", "/", { host: `x.${host}` }, "403"],
    ["a name above it", "GET", "/", { host: "example.org" }, "403"],
    ["the loopback name, as a proxy that hides the name sends it", "GET", "/", { host: HOST }, "403"],
    ["the loopback name with the public one forwarded", "GET", "/", { host: HOST, "x-forwarded-host": host }, "403"],
    ["a wrong scheme's port", "GET", "/", { host: `${host}:80` }, "403"],
  ];
  const site = publicSite(`https://${host}`);
  for (const [what, method, target, headers, expected] of table) assert.equal(verdict(method, target, headers, { site }), expected, what);
  const plain = publicSite("http://192.168.1.5:7777");
  const lan = { host: "192.168.1.5:7777", origin: "http://192.168.1.5:7777", ...JSON_BODY };
  assert.equal(verdict("POST", "/api/lines", lan, { site: plain }), "api", "a browser sends no fetch metadata over plain http");
  assert.equal(verdict("GET", "/", { host: "192.168.1.5" }, { site: plain }), "403");
});
