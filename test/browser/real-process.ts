import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import type { BuiltFile } from "./built-page.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** How long a start may take on a busy machine. */
const START_MS = 30_000;

/**
 * A copy of the sources with the page built from them, so that what runs is what stands here, whatever `dist/` holds. With
 * `TROUPE_TEST_DIST=1` it is the build itself.
 */
export class Checkout implements AsyncDisposable {
  readonly launcher: string;
  readonly #folder: string | null;

  private constructor(launcher: string, folder: string | null) {
    this.launcher = launcher;
    this.#folder = folder;
  }

  static async make(page: ReadonlyMap<string, BuiltFile>): Promise<Checkout> {
    if (process.env["TROUPE_TEST_DIST"] === "1") return new Checkout(join(ROOT, "bin", "troupe.cjs"), null);
    const folder = await mkdtemp(join(tmpdir(), "troupe-checkout-"));
    for (const name of ["bin", "src", "package.json"]) await cp(join(ROOT, name), join(folder, name), { recursive: true });
    await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
    for (const [path, { bytes }] of page) {
      const file = join(folder, "dist", "ui", path === "/" ? "index.html" : path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, bytes);
    }
    return new Checkout(join(folder, "bin", "troupe.cjs"), folder);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#folder !== null) await rm(this.#folder, { recursive: true, force: true });
  }
}

/** The product as a person runs it: a process of its own, a folder of its own, and the same two ports in each of its lives. */
export class RealRoom implements AsyncDisposable {
  readonly origin: string;
  readonly consoleOrigin: string;
  readonly folder: string;
  readonly #launcher: string;
  #child: ChildProcess | null = null;
  #errors = "";

  private constructor(launcher: string, folder: string, at: { readonly ports: readonly [number, number]; readonly host: string }) {
    const { ports, host } = at;
    this.#launcher = launcher;
    this.folder = folder;
    this.origin = `http://${host}:${ports[0]}`;
    this.consoleOrigin = `http://127.0.0.1:${ports[1]}`;
  }

  /** Make a folder with a configuration, and start. With a `host` others come in under that name, by invitation; with a `model` that server speaks. */
  static async open(checkout: Checkout, host: string | null = null, model: string | null = null): Promise<RealRoom> {
    const folder = await mkdtemp(join(tmpdir(), "troupe-real-"));
    const ports = await freePorts();
    await writeFile(join(folder, "troupe.yaml"), configuration(ports, host, model));
    const room = new RealRoom(checkout.launcher, folder, { ports, host: host ?? "127.0.0.1" });
    await room.start();
    return room;
  }

  /** What the process wrote as errors and log, over all its lives. */
  get errors(): string {
    return this.#errors;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** Begin a life, on the state that the one before left. */
  async start(): Promise<void> {
    const child = spawn(process.execPath, [this.#launcher, "run", "--json"], {
      cwd: this.folder,
      env: { PATH: process.env["PATH"], HOME: this.folder },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child = child;
    child.stderr.on("data", (chunk: Buffer) => (this.#errors += chunk.toString()));
    const lines = createInterface({ input: child.stdout });
    const started = once(lines, "line", { signal: AbortSignal.timeout(START_MS) });
    await Promise.race([
      started,
      once(child, "exit").then(() => Promise.reject(new Error(`the process ended before it was up: ${this.#errors}`))),
    ]);
  }

  /** Run a command of the product beside the running process, as somebody in its folder does; what it answered. */
  async command(...words: readonly string[]): Promise<string> {
    const child = spawn(process.execPath, [this.#launcher, ...words], {
      cwd: this.folder,
      env: { PATH: process.env["PATH"], HOME: this.folder },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const said = { out: "", error: "" };
    child.stdout.on("data", (chunk: Buffer) => (said.out += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (said.error += chunk.toString()));
    const [code] = (await once(child, "close")) as [number | null];
    if (code !== 0) throw new Error(`troupe ${words.join(" ")} ended with ${code}: ${said.error}`);
    return said.out;
  }

  /** Invite somebody, and read the link from the file that it was put into. */
  async invite(name: string, ...more: readonly string[]): Promise<{ readonly id: string; readonly link: string }> {
    const { id, file } = JSON.parse(await this.command("invite", "--name", name, ...more, "--json")) as { id: string; file: string };
    return { id, link: (await readFile(file, "utf8")).trim() };
  }

  /** Let it read nothing more, though its sockets stand: what is sent now, a kill loses. */
  freeze(): void {
    this.#child?.kill("SIGSTOP");
  }

  /** End it with no word of warning. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  }

  /** The file that leads an operator's browser to the console with a one-time code. */
  get redirectFile(): string {
    return join(this.folder, ".troupe", "console.html");
  }

  /** The one-time link in that file. */
  async consoleLink(): Promise<string> {
    const text = await readFile(this.redirectFile, "utf8");
    return /url=([^"]+)/.exec(text)?.[1] ?? "";
  }

  /** Rows of the record, read beside the running process. */
  rows(sql: string): readonly Readonly<Record<string, unknown>>[] {
    using db = new DatabaseSync(join(this.folder, ".troupe", "troupe.db"), { readOnly: true });
    return db.prepare(sql).all();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    await rm(this.folder, { recursive: true, force: true });
  }
}

function configuration([room, owner]: readonly [number, number], host: string | null, model: string | null): string {
  const outside = host === null ? "" : `, listen: 127.0.0.1, public_url: "http://${host}:${room}"`;
  const models = model === null ? "" : `models: { hosts: { near: { api: openai, url: "${model}", models: [tiny] } } }\n`;
  return `${models}characters:
  mirelle: { name: Mirelle, description: "Keeps the inn at the ferry." }
surfaces:
  parlour: { kind: room, title: The Foyer, port: ${room}, character: mirelle${outside} }
console: { port: ${owner} }
budgets: { replies_per_minute_per_room: 120, replies_per_minute_per_person: 60 }
`;
}

/** Two ports that nobody has now: a second life needs the ports of the first, which a port chosen at its start would not be. */
async function freePorts(): Promise<[number, number]> {
  const servers = [createServer(), createServer()] as const;
  const take = async (server: (typeof servers)[number]): Promise<number> => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return (server.address() as AddressInfo).port;
  };
  const ports: [number, number] = [await take(servers[0]), await take(servers[1])];
  for (const server of servers) {
    server.close();
    await once(server, "close");
  }
  return ports;
}
