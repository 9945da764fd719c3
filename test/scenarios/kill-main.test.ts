import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { z } from "zod";

/** Commits at which the program itself, started as a person starts it, is killed. The quick set takes every fifth. */
const POINTS = Array.from({ length: 20 }, (_, at) => at + 1).filter(
  (n) => ["all", "kill"].includes(process.env["TROUPE_TEST_DEPTH"] ?? "") || n % 5 === 0,
);
const CONFIG = `
characters:
  mirelle: { name: Mirelle, description: "Keeps the inn at the ferry." }
surfaces:
  parlour: { kind: room, port: 0, character: mirelle }
console: { port: 0 }
budgets: { replies_per_minute_per_person: 60 }
`;
const TEXTS = ["good evening", "count to 5", "the lamp is lit", "hush", "what do you know about the lamp?", "who am I?"];

const started = z.object({ addresses: z.object({ room: z.array(z.object({ url: z.string() })).min(1) }) });
const joined = z.object({ secret: z.string() });
const page = z.object({
  lines: z.array(
    z.object({
      id: z.string(),
      author: z.object({ kind: z.string() }),
      parts: z.array(z.object({ body: z.string() })),
      own: z.object({ outcome: z.string() }).nullable(),
    }),
  ),
});

interface Life {
  readonly child: ChildProcess;
  readonly url: string;
}

async function start(folder: string, killAt: number | null): Promise<Life | null> {
  const built = process.env["TROUPE_TEST_DIST"] === "1";
  const file = (path: string): string => fileURLToPath(new URL(built ? `../../dist/${path}.js` : `../../src/${path}.ts`, import.meta.url));
  const child = spawn(process.execPath, ["--import", file("testing/kill-at"), file("main"), "run", "--json"], {
    cwd: folder,
    env: {
      PATH: process.env["PATH"],
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
      ...(killAt === null ? {} : { TROUPE_KILL_AT_COMMIT: String(killAt), TROUPE_KILL_WHEN: killAt % 2 === 0 ? "after" : "before" }),
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const first = await Promise.race([
    once(createInterface({ input: child.stdout ?? assert.fail("no output") }), "line"),
    once(child, "exit").then(() => null),
  ]);
  if (first === null) return null;
  return { child, url: started.parse(JSON.parse(String(first[0]))).addresses.room[0]?.url ?? "" };
}

/** One guest with one line, said again with the same id whenever the process dies, as the page does. */
class Guest {
  readonly text: string;
  readonly name: string;
  secret: string | null = null;
  taken = false;

  constructor(text: string, at: number) {
    this.text = text;
    this.name = `Ann the ${at}`;
  }

  async ask(url: string, path: string, body: unknown): Promise<unknown> {
    const response = await fetch(`${url}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: {
        origin: new URL(url).origin,
        ...(this.secret === null ? {} : { authorization: `Bearer ${this.secret}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    assert.ok(response.ok, `${path} answered ${response.status}`);
    return response.json();
  }

  /** Say the line unless it was taken; false when the process went away meanwhile. */
  async say(url: string): Promise<boolean> {
    try {
      // A name that was taken just before the process died is the guest's own; another life of it comes under another name.
      this.secret ??= joined.parse(await this.ask(url, "/api/members", { name: `${this.name}${++tries}` })).secret;
      if (!this.taken) await this.ask(url, "/api/lines", { clientLineId: "line", to: "mirelle", private: true, text: this.text });
      this.taken = true;
      return true;
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      return false;
    }
  }

  /** The guest's own line and what it was answered with, once nothing of it waits; null when the process went away. */
  async answered(url: string): Promise<z.infer<typeof page>["lines"] | null> {
    const expected = this.text === "hush" ? 1 : 2;
    for (let wait = 0; wait < 300; wait += 1) {
      const read = await this.ask(url, "/api/lines?place=direct&character=mirelle", undefined).catch(() => null);
      if (read === null) return null;
      const { lines } = page.parse(read);
      if (lines.length >= expected && lines.every(({ own }) => own === null || own.outcome !== "waiting")) return lines;
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
    return assert.fail(`"${this.text}" was not answered`);
  }
}

let tries = 0;

async function sayAll(guests: readonly Guest[], url: string): Promise<boolean> {
  const taken = await Promise.all(guests.map((guest) => guest.say(url)));
  return taken.every(Boolean);
}

for (const n of POINTS) {
  test(`TR-042 the program killed at its commit ${n}: each line stands once, each answer comes once`, async () => {
    const folder = await mkdtemp(join(tmpdir(), "troupe-main-"));
    const guests = TEXTS.map((text, at) => new Guest(text, at));
    try {
      await writeFile(join(folder, "troupe.yaml"), CONFIG);
      const dying = await start(folder, n);
      if (dying !== null) {
        if (await sayAll(guests, dying.url)) await Promise.all(guests.map((guest) => guest.answered(dying.url)));
        dying.child.kill("SIGKILL");
        if (dying.child.exitCode === null && dying.child.signalCode === null) await once(dying.child, "exit");
      }
      const life = (await start(folder, null)) ?? assert.fail("the second life did not start");
      try {
        assert.equal(await sayAll(guests, life.url), true);
        for (const guest of guests) {
          const lines = (await guest.answered(life.url)) ?? assert.fail("the second life went away");
          const own = lines.filter(({ author }) => author.kind === "person");
          assert.equal(own.length, 1, "the line stands once");
          assert.equal(lines.length - own.length, guest.text === "hush" ? 0 : 1, "the answer came once");
        }
      } finally {
        life.child.kill("SIGTERM");
        await once(life.child, "exit");
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
}
