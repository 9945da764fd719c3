import assert from "node:assert/strict";
import { readFileSync, readdirSync, statSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import { z } from "zod";
import { LOCAL_ACTOR } from "../../src/operations/local-actor.ts";
import type { RawRequest } from "../../src/testing/raw-request.ts";
import { RawLines, rawOpen, rawRequest } from "../../src/testing/raw-request.ts";
import { parseMessageId, parseSurfaceName } from "../../src/vocabulary/ids.ts";
import { publicPlace } from "../../src/vocabulary/place.ts";
import type { Limits } from "../../src/vocabulary/limits.ts";
import { parsePrincipalId } from "../../src/vocabulary/principal.ts";
import type { ComposedHarness } from "./composed.ts";
import { openComposed } from "./composed.ts";

const { signal } = new AbortController();
const PUBLIC = "https://inn.example.org";
const CLAIM = "claim-of-this-very-browser-0001";

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** A house whose one room others reach through a proxy on this computer. */
class House implements AsyncDisposable {
  readonly harness: ComposedHarness;
  readonly port: number;

  private constructor(harness: ComposedHarness, port: number) {
    this.harness = harness;
    this.port = port;
  }

  static async open(more = "", limits: Partial<Limits> = {}): Promise<House> {
    const port = await freePort();
    const harness = await openComposed(
      `
characters: { mirelle: { aliases: [miri] } }
surfaces:
  parlour: { kind: room, title: The Lantern, port: ${port}, character: mirelle, listen: 127.0.0.1, public_url: "${PUBLIC}", proxies: ["127.0.0.1"]${more} }
console: { port: 0 }
`,
      { limits },
    );
    return new House(harness, port);
  }

  run<T>(name: string, args: object, shape: z.ZodType<T>): Promise<T> {
    return this.harness.runtime.operations.run(name, args, LOCAL_ACTOR, signal).then((result) => shape.parse(result));
  }

  async ask(raw: RawRequest, secret?: string): Promise<{ readonly status: number; readonly body: unknown }> {
    const answer = await rawRequest(this.port, { ...raw, headers: { ...this.headers(raw, secret), ...raw.headers } });
    return { status: answer.status, body: answer.text === "" ? null : JSON.parse(answer.text) };
  }

  headers(raw: RawRequest, secret?: string): Readonly<Record<string, string>> {
    return {
      host: new URL(PUBLIC).host,
      origin: PUBLIC,
      "sec-fetch-site": "same-origin",
      ...(secret === undefined ? {} : { authorization: `Bearer ${secret}` }),
      ...(raw.body === undefined ? {} : { "content-type": "application/json" }),
    };
  }

  post(path: string, body: object, secret?: string): Promise<{ readonly status: number; readonly body: unknown }> {
    return this.ask({ method: "POST", path, body: JSON.stringify(body) }, secret);
  }

  /** Every byte of the state folder. */
  files(): string {
    const folder = join(this.harness.folder, ".troupe");
    return readdirSync(folder, { recursive: true })
      .map((name) => join(folder, String(name)))
      .filter((path) => statSync(path).isFile())
      .map((path) => readFileSync(path, "latin1"))
      .join("\n");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.harness[Symbol.asyncDispose]();
  }
}

const made = z.object({ id: z.string(), code: z.string(), url: z.string(), name: z.string() });
const joined = z.object({ state: z.literal("joined"), id: z.string(), name: z.string(), secret: z.string() });
const listed = z.object({ invites: z.array(z.object({ id: z.string(), state: z.string(), member: z.string().nullable() })) });

/** The next event that holds these words; others that come before it are passed over. */
async function nextWith(stream: RawLines, words: string): Promise<unknown> {
  for (;;) {
    const event = await stream.next();
    if (event === null || JSON.stringify(event).includes(words)) return event;
  }
}

test("TR-094 SE-086 SE-087 an invite from its making to its end: one guest, no code or secret anywhere in clear, out at once when it is revoked", async () => {
  await using house = await House.open();
  const { harness } = house;
  assert.deepEqual(
    harness.runtime.startReport.open.map(({ url, door }) => [url, door]),
    [[PUBLIC, "invited"]],
  );
  assert.equal((await house.post("/api/members", { name: "Mallory" })).status, 403);
  const invite = await house.run("invite-code", { name: "Kim", for: "4h" }, made);
  const kim = joined.parse((await house.post("/api/invites/redeem", { code: invite.code, claim: CLAIM })).body);
  using stream = new RawLines(await rawOpen(house.port, { path: "/api/stream", headers: house.headers({ path: "" }, kim.secret) }));
  await nextWith(stream, '"snapshot"');
  const said = await house.post("/api/lines", { clientLineId: "c1", to: null, private: false, text: "Miri, good evening" }, kim.secret);
  assert.equal(said.status, 202);
  assert.notEqual(await nextWith(stream, '"kind":"character","id":"mirelle"'), null);
  await harness.runtime.idle();

  const hidden = [invite.code, kim.secret, CLAIM];
  const seen = { files: house.files(), log: harness.log.join("\n"), argv: process.argv.join(" "), env: JSON.stringify(process.env) };
  for (const [where, text] of Object.entries(seen)) for (const secret of hidden) assert.ok(!text.includes(secret), where);
  assert.ok(seen.files.includes("Kim"), "the files were looked at");

  // The guest's secret opens nothing of an operator's, here or at the console.
  for (const path of ["/api/operations/invite-code", "/api/operations/invites", "/api/exchange"])
    assert.equal((await house.post(path, { args: {} }, kim.secret)).status, 404, path);
  const console = Number(new URL(harness.runtime.addresses.console).port);
  const asked = await rawRequest(console, { path: "/api/operations", headers: { authorization: `Bearer ${kim.secret}` } });
  assert.equal(asked.status, 401);

  assert.deepEqual(
    (await house.run("invites", {}, listed)).invites.map(({ state, member }) => [state, member]),
    [["used", kim.id]],
  );
  await house.run("invite-revoke", { id: invite.id }, z.object({ member: z.literal(kim.id) }));
  assert.deepEqual(await nextWith(stream, '"end"'), { type: "end", reason: "revoked" });
  const late = await house.post("/api/lines", { clientLineId: "c2", to: null, private: false, text: "Miri, still here?" }, kim.secret);
  assert.deepEqual([late.status, z.object({ ended: z.string() }).parse(late.body).ended], [401, "revoked"]);
  assert.equal(harness.runtime.store.read.inviteOf(parsePrincipalId(kim.id))?.revokedAtMs === null, false);
  const audits = await house.run("audit", {}, z.object({ acts: z.array(z.object({ act: z.string(), about: z.string() })) }));
  assert.deepEqual(
    audits.acts.map(({ act }) => act),
    ["revoke", "invite"],
  );
  assert.ok(audits.acts.every(({ about }) => !about.includes("Kim")));
});

test("TR-091 whoever asks not to be heard is not: no character perceives their lines, no answer holds them, and their own commands go on", async () => {
  await using house = await House.open(", door: open");
  const { harness } = house;
  const comeIn = async (name: string): Promise<{ readonly secret: string; readonly stream: RawLines }> => {
    const { secret } = z.object({ secret: z.string() }).parse((await house.post("/api/members", { name })).body);
    const stream = new RawLines(await rawOpen(house.port, { path: "/api/stream", headers: house.headers({ path: "" }, secret) }));
    await nextWith(stream, '"snapshot"');
    return { secret, stream };
  };
  const [ann, ben] = [await comeIn("Ann"), await comeIn("Ben")];
  using _ann = ann.stream;
  using _ben = ben.stream;
  let count = 0;
  const say = async (who: typeof ann, text: string, more: object = {}): Promise<string> => {
    const line = { clientLineId: `c${(count += 1)}`, to: null, private: false, text, ...more };
    return z.object({ lineId: z.string() }).parse((await house.post("/api/lines", line, who.secret)).body).lineId;
  };
  const ended = (who: typeof ann, line: string, outcome: string): Promise<unknown> =>
    nextWith(who.stream, `"lineId":"${line}","own":{"clientLineId":null,"outcome":"${outcome}"`);

  await ended(ann, await say(ann, "/ignore me", { to: "mirelle", private: true }), "answered");
  assert.match(JSON.stringify(await nextWith(ann.stream, '"type":"room"')), /"optedOut":true/);
  const ignored = await say(ann, "Mirelle, the zebra is in the cellar");
  const decided = harness.runtime.store.read.explain(parseMessageId(ignored))?.decision;
  assert.deepEqual([decided?.reason, decided?.rule], ["muted", "opted_out"]);
  assert.deepEqual(harness.runtime.store.read.event(parseMessageId(ignored))?.witnesses, [], "people read it; no character does");
  await nextWith(ben.stream, "zebra");
  await ended(ben, await say(ben, "Mirelle, what do you know about the zebra?"), "answered");
  await harness.runtime.idle();
  const answers = harness.runtime.store.read
    .events(publicPlace(parseSurfaceName("parlour")).id, 20)
    .filter(({ author }) => author.kind === "character");
  assert.ok(answers.length > 0 && answers.every(({ text }) => !text.includes("cellar")));

  await ended(ann, await say(ann, "/privacy", { to: "mirelle", private: true }), "answered");
  await ended(ann, await say(ann, "Mirelle, /hear me"), "answered");
  assert.match(JSON.stringify(await nextWith(ann.stream, '"type":"room"')), /"optedOut":false/);
  await ended(ann, await say(ann, "Mirelle, good evening"), "answered");
});

test("SE-090 TR-094 a crowd that nobody invited leaves a part of the room to a guest by invitation", async () => {
  await using house = await House.open(", door: open", { senders: 2 });
  const { runtime } = house.harness;
  const crowd = await Promise.all(["Ann", "Ben", "Cy", "Dot", "Eve", "Flo"].map((name) => house.post("/api/members", { name })));
  const { code } = await house.run("invite-code", { name: "Kim" }, made);
  const kim = joined.parse((await house.post("/api/invites/redeem", { code, claim: CLAIM })).body);
  const say = async (secret: string): Promise<string> => {
    const line = { clientLineId: "c1", to: null, private: false, text: "Mirelle, good evening" };
    return z.object({ lineId: z.string() }).parse((await house.post("/api/lines", line, secret)).body).lineId;
  };
  const secrets = crowd.map(({ body }) => z.object({ secret: z.string() }).parse(body).secret);
  const lines = await Promise.all([...secrets, kim.secret].map(say));
  await runtime.idle();
  const ends = lines.map((line) => {
    const { end, endReason, decision } = runtime.store.read.explain(parseMessageId(line)) ?? {};
    return end === "answered" ? end : (endReason ?? decision?.reason);
  });
  assert.equal(ends.pop(), "answered");
  assert.ok(
    ends.some((end) => end === "overflow"),
    `the part of those whom nobody invited was full: ${ends.join(", ")}`,
  );
});
