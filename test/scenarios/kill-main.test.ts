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
const POINTS = Array.from({ length: 20 }, (_, at) => at + 1).filter((n) => process.env["TROUPE_TEST_DEPTH"] === "all" || n % 5 === 0);
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

/** One guest who says everything, again with the same id whenever the process dies, as the page does. */
class Guest {
  secret: string | null = null;

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

  async join(url: string, name: string): Promise<void> {
    this.secret ??= joined.parse(await this.ask(url, "/api/members", { name })).secret;
  }

  async lines(url: string): Promise<z.infer<typeof page>["lines"]> {
    return page.parse(await this.ask(url, "/api/lines?place=public", undefined)).lines;
  }
}

/** Say the texts from the first unacknowledged one on; true when all were taken. */
async function sayAll(guest: Guest, url: string, said: Set<number>): Promise<boolean> {
  try {
    await guest.join(url, `Ann ${said.size}`);
    for (const [at, text] of TEXTS.entries()) {
      if (said.has(at)) continue;
      await guest.ask(url, "/api/lines", { clientLineId: `line-${at}`, to: "mirelle", private: false, text });
      said.add(at);
    }
    return true;
  } catch (error) {
    if (error instanceof assert.AssertionError) throw error;
    return false;
  }
}

for (const n of POINTS) {
  test(`TR-042 the program killed at its commit ${n}: each line stands once, each answer comes once`, async () => {
    const folder = await mkdtemp(join(tmpdir(), "troupe-main-"));
    const guest = new Guest();
    const said = new Set<number>();
    try {
      await writeFile(join(folder, "troupe.yaml"), CONFIG);
      const dying = await start(folder, n);
      if (dying !== null) {
        await sayAll(guest, dying.url, said);
        await Promise.race([once(dying.child, "exit"), waitAnswered(guest, dying.url)]);
        dying.child.kill("SIGKILL");
        if (dying.child.exitCode === null && dying.child.signalCode === null) await once(dying.child, "exit");
      }
      const life = (await start(folder, null)) ?? assert.fail("the second life did not start");
      try {
        assert.equal(await sayAll(guest, life.url, said), true);
        const lines = await waitAnswered(guest, life.url);
        const own = lines.filter(({ author }) => author.kind === "person");
        assert.equal(own.length, TEXTS.length);
        assert.deepEqual(
          own.map((line) => line.own?.outcome),
          TEXTS.map(() => "answered"),
        );
        const answers = lines
          .filter(({ author }) => author.kind === "character")
          .map(({ parts }) => parts.map(({ body }) => body).join("|"));
        // Lines said in one go are one thought and have one answer (TR-050); which of them were depends on where the kill fell.
        assert.ok(answers.length >= 1 && answers.length <= TEXTS.length, answers.join("\n"));
        assert.equal(new Set(answers).size, answers.length, "no answer came twice");
      } finally {
        life.child.kill("SIGTERM");
        await once(life.child, "exit");
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
}

/** Ask for the history until no own line waits; the room paces the parts, so this takes its time. */
async function waitAnswered(guest: Guest, url: string): Promise<z.infer<typeof page>["lines"]> {
  for (let tries = 0; tries < 600; tries += 1) {
    const lines = await guest.lines(url).catch(() => null);
    if (lines === null) return [];
    const own = lines.filter(({ author }) => author.kind === "person");
    const ended = own.length === TEXTS.length && own.every((line) => line.own !== null && line.own.outcome !== "waiting");
    if (ended) return lines;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return assert.fail("not everything was answered");
}
