import type { IncomingMessage } from "node:http";
import { z } from "zod";
import { orAbort, withDeadline } from "../foundation/cancellation.ts";
import type { Clock } from "../foundation/clock.ts";
import { RuntimeError } from "../foundation/errors.ts";
import { TaskGroup } from "../foundation/task-group.ts";
import type { DemoKept, DemoShown } from "./demo-judge.ts";
import type { DemoPerson } from "./demo-script.ts";
import { DEMO_CHARACTER } from "./demo-script.ts";
import type { RawRequest } from "./raw-request.ts";
import { rawOpen } from "./raw-request.ts";

/** How long a request may take to be answered. */
const REQUEST_MS = 10_000;
const JOIN_MS = 2_000;

const part = z.object({ id: z.string(), index: z.int(), body: z.string() });
const own = z.object({ outcome: z.string() });
const line = z.object({
  id: z.string(),
  place: z.object({ kind: z.enum(["public", "direct"]) }),
  author: z.object({ kind: z.enum(["person", "character"]) }),
  parts: z.array(part),
  partCount: z.int(),
  own: own.nullable(),
});
const page = z.object({ lines: z.array(line), older: z.string().nullable() });
const event = z.discriminatedUnion("type", [
  z.object({ type: z.literal("snapshot"), pages: z.array(page) }),
  z.object({ type: z.literal("line"), line }),
  z.object({ type: z.literal("part"), head: line, part }),
  z.object({ type: z.literal("outcome"), lineId: z.string(), own }),
  z.object({ type: z.literal("end") }),
  z.object({ type: z.enum(["people", "typing", "room", "beat"]) }),
]);
const joined = z.object({ secret: z.string() });
const taken = z.object({ lineId: z.string(), own });
const view = z.object({ role: z.string() });

type Line = z.infer<typeof line>;

/** One person's page, as a browser would hold it: a member's secret, one stream, and every byte that ever came. */
export class DemoPage implements AsyncDisposable {
  readonly person: DemoPerson;
  /** Head and decoded body of each answer, the stream's own text among them. */
  readonly received: string[] = [];
  /** Parts of the character's lines in the order they came. */
  readonly shown: DemoShown[] = [];
  /** `lost` when the stream broke off without a farewell. */
  link: "none" | "up" | "ended" | "lost" = "none";
  readonly #clock: Clock;
  readonly #tasks: TaskGroup;
  readonly #lines = new Map<string, Line>();
  readonly #outcomes = new Map<string, string>();
  #port = 0;
  #secret = "";
  #streams = 0;
  #incoming: IncomingMessage | null = null;
  #change: PromiseWithResolvers<void> = Promise.withResolvers<void>();

  constructor(person: DemoPerson, clock: Clock) {
    this.person = person;
    this.#clock = clock;
    this.#tasks = new TaskGroup({ clock, joinMs: JOIN_MS, onFailure: () => this.#changed("lost") });
  }

  /** Become a member of the room at a port. */
  async join(port: number, signal: AbortSignal): Promise<void> {
    this.#port = port;
    this.#secret = joined.parse(
      await this.#ask({ method: "POST", path: "/api/members", body: JSON.stringify({ name: this.person }) }, signal),
    ).secret;
  }

  /** Open the stream, after a restart at the room's new port. */
  async open(port: number, signal: AbortSignal): Promise<void> {
    this.#port = port;
    const incoming = await orAbort(rawOpen(port, { path: "/api/stream", headers: this.#headers("GET") }), signal);
    this.#incoming = incoming;
    this.#streams += 1;
    const via = `stream ${this.#streams}`;
    this.link = "up";
    this.#tasks.start(() => this.#follow(incoming, via));
  }

  /** Say a line. Gives the id under which it is kept. */
  async say(clientLineId: string, text: string, hidden: boolean, signal: AbortSignal): Promise<string> {
    const body = JSON.stringify({ clientLineId, to: hidden ? DEMO_CHARACTER : null, private: hidden, text });
    const { lineId, own: mine } = taken.parse(await this.#ask({ method: "POST", path: "/api/lines", body }, signal));
    if (!this.#outcomes.has(lineId)) this.#outcomes.set(lineId, mine.outcome);
    return lineId;
  }

  /** What this person is now. */
  async role(signal: AbortSignal): Promise<string> {
    return view.parse(await this.#ask({ path: "/api/room" }, signal)).role;
  }

  /** Read both places' history, and give the character's lines in it. */
  async history(signal: AbortSignal): Promise<DemoKept[]> {
    const kept: DemoKept[] = [];
    for (const path of ["/api/lines?place=public", `/api/lines?place=direct&character=${DEMO_CHARACTER}`]) {
      const { lines } = page.parse(await this.#ask({ path }, signal));
      const own = lines.filter(({ author }) => author.kind === "character");
      kept.push(
        ...own.map(({ id, place, parts }) => ({
          to: this.person,
          place: place.kind,
          line: id,
          body: parts.map(({ body }) => body).join("\n"),
        })),
      );
    }
    return kept;
  }

  /** Ids of the character's lines that this page has whole. */
  wholeLines(): ReadonlySet<string> {
    const lines = [...this.#lines.values()].filter((one) => one.author.kind === "character" && one.parts.length >= one.partCount);
    return new Set(lines.map(({ id }) => id));
  }

  /** The text of a line that this page has. */
  textOf(id: string): string {
    return (this.#lines.get(id)?.parts ?? []).map(({ body }) => body).join("\n");
  }

  /** Whether an own line is still being answered. */
  waitsFor(id: string): boolean {
    return (this.#outcomes.get(id) ?? "waiting") === "waiting";
  }

  /** Wait until something holds of this page. False when it did not within `ms`. */
  async until(holds: () => boolean, ms: number, signal: AbortSignal): Promise<boolean> {
    using limit = withDeadline(this.#clock, ms, signal);
    while (!holds()) {
      try {
        await orAbort(this.#change.promise, limit.signal);
      } catch (error) {
        if (signal.aborted || !limit.signal.aborted) throw error;
        return false;
      }
    }
    return true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#incoming?.destroy();
    await this.#tasks.close();
  }

  #headers(method: string): Readonly<Record<string, string>> {
    const member = this.#secret === "" ? {} : { authorization: `Bearer ${this.#secret}` };
    const posted = method === "GET" ? {} : { "content-type": "application/json", origin: `http://127.0.0.1:${this.#port}` };
    return { ...member, ...posted };
  }

  async #ask(raw: Omit<RawRequest, "headers">, signal: AbortSignal): Promise<unknown> {
    using limit = withDeadline(this.#clock, REQUEST_MS, signal);
    const incoming = await orAbort(rawOpen(this.#port, { ...raw, headers: this.#headers(raw.method ?? "GET") }), limit.signal);
    const at = this.#receive(incoming);
    await orAbort(
      (async () => {
        for await (const text of textsOf(incoming)) this.received[at] += text;
      })(),
      limit.signal,
    );
    const status = incoming.statusCode ?? 0;
    if (status < 200 || status > 299)
      throw new RuntimeError("internal", `Cannot go on with the scene: ${raw.path.split("?")[0]} answered ${status}`);
    const [, body = ""] = /^[^\n]*\n([\s\S]*)$/.exec(this.received[at] ?? "") ?? [];
    return JSON.parse(body);
  }

  /** Keep an answer's head, and give the place where its body is to be kept. */
  #receive(incoming: IncomingMessage): number {
    return this.received.push(`${JSON.stringify(incoming.rawHeaders)}\n`) - 1;
  }

  async #follow(incoming: IncomingMessage, via: string): Promise<void> {
    const at = this.#receive(incoming);
    let rest = "";
    let farewell = false;
    try {
      for await (const text of textsOf(incoming)) {
        this.received[at] += text;
        const lines = (rest + text).split("\n");
        rest = lines.pop() ?? "";
        for (const one of lines.filter((each) => each.trim() !== "")) farewell = this.#take(JSON.parse(one), via) || farewell;
      }
    } finally {
      this.#changed(farewell ? "ended" : "lost");
    }
  }

  /** Take an event in; true for the last one. */
  #take(value: unknown, via: string): boolean {
    const one = event.parse(value);
    if (one.type === "snapshot") {
      this.#lines.clear();
      for (const each of one.pages.flatMap(({ lines }) => lines)) this.#put(each);
    } else if (one.type === "line") this.#put(one.line);
    else if (one.type === "part") {
      const known = this.#lines.get(one.head.id) ?? one.head;
      this.#lines.set(one.head.id, { ...known, parts: [...known.parts, one.part] });
      this.shown.push(this.#shownOf(one.head.id, one.part, via));
    } else if (one.type === "outcome") this.#outcomes.set(one.lineId, one.own.outcome);
    this.#changed(null);
    return one.type === "end";
  }

  /** A whole line replaces the one that is there: it is no second time, and the record joins its parts under an id of its own. */
  #put(whole: Line): void {
    this.#lines.set(whole.id, whole);
    if (whole.own !== null) this.#outcomes.set(whole.id, whole.own.outcome);
  }

  #shownOf(lineId: string, { id, index, body }: z.infer<typeof part>, via: string): DemoShown {
    return { to: this.person, via, line: lineId, part: id, index, body };
  }

  #changed(link: "ended" | "lost" | null): void {
    if (link !== null) this.link = link;
    const change = this.#change;
    this.#change = Promise.withResolvers<void>();
    change.resolve();
  }
}

async function* textsOf(incoming: IncomingMessage): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const chunk of incoming) if (chunk instanceof Buffer) yield decoder.decode(chunk, { stream: true });
}
