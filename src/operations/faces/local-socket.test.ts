import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import type { Socket } from "node:net";
import { createConnection, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { systemClock } from "../../foundation/clock.ts";
import { RuntimeError, isRuntimeError } from "../../foundation/errors.ts";
import { silentLog } from "../../foundation/log.ts";
import { printable } from "../../foundation/printable.ts";
import type { OriginFacts } from "../../vocabulary/origin.ts";
import type { TerminalOutput, TerminalSession } from "../../vocabulary/terminal-session.ts";
import { LOCAL_ACTOR } from "../local-actor.ts";
import { connectLocal } from "./local-client.ts";
import type { LocalSocketNeeds } from "./local-socket.ts";
import { openLocalSocket } from "./local-socket.ts";
import type { SocketPath } from "./socket-path.ts";
import { socketPathOf } from "./socket-path.ts";
import { MAX_REQUEST_BYTES } from "./wire.ts";

const signal = new AbortController().signal;

/** A private folder that is gone after the test. */
function folder(): Disposable & { readonly path: string; readonly at: SocketPath } {
  const path = mkdtempSync(join(tmpdir(), "troupe-socket-"));
  return {
    path,
    at: socketPathOf({ stateDirectory: path, temporaryDirectory: tmpdir() }),
    [Symbol.dispose]: () => rmSync(path, { recursive: true }),
  };
}

function needsOf(at: SocketPath, more: Partial<LocalSocketNeeds> = {}): LocalSocketNeeds {
  return {
    at,
    version: "1.2.3",
    operations: { run: (name, args, actor) => Promise.resolve({ name, args, actor }) },
    attach: () => Promise.reject(new RuntimeError("not_found", "Cannot attach: nobody here")),
    clock: systemClock,
    log: silentLog,
    ...more,
  };
}

async function rawLines(at: SocketPath, send: (socket: Socket) => void): Promise<readonly string[]> {
  const socket = createConnection(at.path);
  send(socket);
  const chunks: Buffer[] = [];
  for await (const chunk of socket) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
  return Buffer.concat(chunks).toString().trim().split("\n");
}

test("TR-041 a command goes through the running process as the owner on a local line, and back comes its result", async () => {
  using here = folder();
  await using _server = await openLocalSocket(needsOf(here.at), signal);
  assert.equal(statSync(here.at.path).mode & 0o777, 0o600);
  await using client = await connectLocal(here.at, systemClock, signal);
  assert.equal(client.version, "1.2.3");
  const facts: OriginFacts = LOCAL_ACTOR;
  assert.deepEqual(await client.run("greet", { name: "Ann" }, signal), { name: "greet", args: { name: "Ann" }, actor: facts });
});

test("TR-041 many commands at once each get their own answer, and a failure keeps its code and message", async () => {
  using here = folder();
  const run = async (_: string, args: unknown): Promise<unknown> => {
    if (args === 7) throw new RuntimeError("forbidden", "Cannot run seven: not by you");
    if (args === 8) throw new Error("backend text swordfish");
    return args;
  };
  await using _server = await openLocalSocket(needsOf(here.at, { operations: { run } }), signal);
  const clients = await Promise.all(Array.from({ length: 8 }, () => connectLocal(here.at, systemClock, signal)));
  const answers = await Promise.allSettled(clients.flatMap((client) => [1, 2, 3, 7, 8].map((args) => client.run("echo", args, signal))));
  assert.equal(answers.filter((one) => one.status === "fulfilled").length, 24);
  const failures = answers.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
  assert.equal(
    failures.filter((error) => isRuntimeError(error, "forbidden") && error.message === "Cannot run seven: not by you").length,
    8,
  );
  assert.equal(failures.filter((error) => isRuntimeError(error, "internal") && !error.message.includes("swordfish")).length, 8);
  for (const client of clients) await client[Symbol.asyncDispose]();
});

test("MC-087 a line over the bound is answered once and ends the connection; others go on", async () => {
  using here = folder();
  await using _server = await openLocalSocket(needsOf(here.at), signal);
  await using other = await connectLocal(here.at, systemClock, signal);
  const said = await rawLines(here.at, (socket) => {
    socket.on("error", () => undefined);
    socket.write('{"type":"hello","version":1}\n');
    socket.write("x".repeat(MAX_REQUEST_BYTES + 1));
  });
  assert.deepEqual(
    said.map((one) => JSON.parse(one).type),
    ["hello", "error"],
  );
  assert.match(said[1] ?? "", /"code":"usage".*over 524288 bytes/);
  assert.ok(await other.run("still", {}, signal));
});

test("TR-041 refuses a stranger's language, another version, and commands before the hello", async () => {
  using here = folder();
  await using _server = await openLocalSocket(needsOf(here.at), signal);
  for (const first of [
    "GET / HTTP/1.1\n",
    '{"type":"hello","version":99}\n',
    '{"type":"run","id":1,"name":"greet"}\n',
    '{"type":"hello","version":1,"extra":1}\n',
    '{"type":"run","__proto__":1}\n',
  ]) {
    const said = await rawLines(here.at, (socket) => void socket.write(first));
    assert.equal(said.length, 2, first);
    assert.equal(JSON.parse(said[1] ?? "{}").error.code, "usage");
  }
});

test("TR-041 nobody there is not_running, with the cure", async () => {
  using here = folder();
  await assert.rejects(
    connectLocal(here.at, systemClock, signal),
    (error: Error) => isRuntimeError(error, "not_running") && /troupe run/.test(error.message),
  );
});

test("TR-041 a socket that a killed process left is replaced; one that answers, and a file, are not", async () => {
  using here = folder();
  // A server whose handle is closed without `close` running, as after a kill: bind, then rename the file over itself.
  const left = createServer();
  await new Promise<void>((resolve) => left.listen(`${here.at.path}.old`, resolve));
  const { renameSync } = await import("node:fs");
  renameSync(`${here.at.path}.old`, here.at.path);
  await new Promise<void>((resolve) => left.close(() => resolve()));
  assert.ok(existsSync(here.at.path), "the stale socket lies there");
  {
    await using _server = await openLocalSocket(needsOf(here.at), signal);
    await assert.rejects(openLocalSocket(needsOf(here.at), signal), (error) => isRuntimeError(error, "state_busy"));
    await using client = await connectLocal(here.at, systemClock, signal);
    assert.ok(await client.run("greet", {}, signal), "the one that answered goes on");
  }
  assert.ok(!existsSync(here.at.path), "an orderly end leaves nothing");
  writeFileSync(here.at.path, "a file of somebody");
  await assert.rejects(openLocalSocket(needsOf(here.at), signal), (error) => isRuntimeError(error, "state_unwritable"));
  assert.ok(existsSync(here.at.path));
});

test("TR-041 a path too long for a socket gets a private folder elsewhere, and one that others may enter is refused", async () => {
  using here = folder();
  using elsewhere = folder();
  const deep = join(here.path, "d".repeat(60), "e".repeat(60));
  mkdirSync(deep, { recursive: true });
  const at = socketPathOf({ stateDirectory: deep, temporaryDirectory: elsewhere.path });
  assert.ok(at.path.startsWith(elsewhere.path) && Buffer.byteLength(at.path) <= 100);
  {
    await using _server = await openLocalSocket(needsOf(at), signal);
    await using client = await connectLocal(at, systemClock, signal);
    assert.ok(await client.run("greet", {}, signal));
    assert.equal(statSync(at.folder ?? "").mode & 0o777, 0o700);
  }
  chmodSync(at.folder ?? "", 0o770);
  await assert.rejects(openLocalSocket(needsOf(at), signal), (error) => isRuntimeError(error, "state_unwritable"));
});

test("TR-041 the same state folder has the same pipe on Windows", () => {
  const at = socketPathOf({ stateDirectory: "C:\\troupe", temporaryDirectory: "C:\\tmp", platform: "win32" });
  assert.match(at.path, /^\\\\\.\\pipe\\troupe-[0-9a-f]{20}$/);
});

function sessionOf(lines: readonly string[], shown: TerminalOutput[], ok: boolean = true): TerminalSession {
  return {
    character: "mirelle",
    lines: (async function* typed() {
      yield* lines;
    })(),
    show: (output) => {
      shown.push(output);
      return Promise.resolve(ok);
    },
  };
}

test("SE-103 an attached terminal's lines arrive in order, what is shown is printable again at the other end, and shown is answered", async () => {
  using here = folder();
  const heard: string[] = [];
  const acknowledged: boolean[] = [];
  const attach = async (session: TerminalSession): Promise<void> => {
    assert.equal(session.character, "mirelle");
    for await (const typed of session.lines) heard.push(typed);
    // A process of another build might send what is not printable: the client does not take its word.
    const raw: TerminalOutput = JSON.parse(
      JSON.stringify({ kind: "said", name: "Mi\u202erelle", badge: "understudy", action: null, lines: ["a\u001b[2Jb"], last: true }),
    );
    acknowledged.push(await session.show(raw));
  };
  await using _server = await openLocalSocket(needsOf(here.at, { attach }), signal);
  await using client = await connectLocal(here.at, systemClock, signal);
  const shown: TerminalOutput[] = [];
  await client.attach(sessionOf(["one", "two\u2028", "three"], shown), signal);
  assert.deepEqual(heard, ["one", "two\u2028", "three"]);
  assert.deepEqual(acknowledged, [true]);
  assert.deepEqual(shown, [{ kind: "said", name: "Mi⟨202E⟩relle", badge: "understudy", action: null, lines: ["a⟨001B⟩[2Jb"], last: true }]);
});

test("TR-042 a terminal that goes away leaves what it was being shown not surely shown, and its attachment aborted", async () => {
  using here = folder();
  const result = Promise.withResolvers<{ shown: boolean; aborted: boolean }>();
  const showing = Promise.withResolvers<void>();
  const attach = async (session: TerminalSession, ends: AbortSignal): Promise<void> => {
    const shown = await session.show({ kind: "notice", text: printable("hello") });
    result.resolve({ shown, aborted: ends.aborted });
  };
  await using _server = await openLocalSocket(needsOf(here.at, { attach }), signal);
  const client = await connectLocal(here.at, systemClock, signal);
  const never: TerminalSession = {
    character: null,
    lines: sessionOf([], []).lines,
    show: () => {
      showing.resolve();
      return new Promise(() => undefined);
    },
  };
  const attached = client.attach(never, signal);
  await showing.promise;
  createConnection(here.at.path).destroy();
  await Promise.allSettled([client[Symbol.asyncDispose](), attached]);
  assert.deepEqual(await result.promise, { shown: false, aborted: true });
});

test("MC-102 the end of the process ends the commands under way, and the command learns that it ended", async () => {
  using here = folder();
  const began = Promise.withResolvers<AbortSignal>();
  const run = (_: string, __: unknown, ___: OriginFacts, ends: AbortSignal): Promise<unknown> => {
    began.resolve(ends);
    return new Promise((_resolve, reject) => ends.addEventListener("abort", () => reject(ends.reason)));
  };
  const server = await openLocalSocket(needsOf(here.at, { operations: { run } }), signal);
  await using client = await connectLocal(here.at, systemClock, signal);
  const waiting = client.run("wait", {}, signal).catch((error: unknown) => error);
  const ends = await began.promise;
  await server[Symbol.asyncDispose]();
  assert.ok(ends.aborted);
  assert.ok(isRuntimeError(await waiting, "not_running"));
});
