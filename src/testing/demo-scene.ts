import type { ChildProcess } from "node:child_process";
import { tmpdir } from "node:os";
import type { Clock } from "../foundation/clock.ts";
import { RuntimeError } from "../foundation/errors.ts";
import { printable } from "../foundation/printable.ts";
import { status } from "../observe/status.ts";
import { factText, why } from "../observe/why-operation.ts";
import type { WhyReport } from "../observe/why.ts";
import { connectLocal } from "../operations/faces/local-client.ts";
import { socketPathOf } from "../operations/faces/socket-path.ts";
import type { DemoChild } from "./demo-child.ts";
import { startDemoChild } from "./demo-child.ts";
import type { DemoAsk, DemoObservations, DemoRoad } from "./demo-judge.ts";
import { DemoPage } from "./demo-page.ts";
import type { DemoScreen } from "./demo-screen.ts";
import type { DemoPerson, DemoStep } from "./demo-script.ts";
import { demoSteps, makeCanary } from "./demo-script.ts";

/** How long an answer may take; the long one waits 20 s by itself. */
const ANSWER_MS = 12_000;
const LONG_ANSWER_MS = 32_000;
/** How long a page may take to notice that its process is gone. */
const NOTICE_MS = 5_000;
/** How often it is asked whether the long answer is being thought about. */
const LOOK_MS = 100;
/** Reports asked for at the end: more than the scene has lines, so that one too many would show. */
const MANY = 50;

/** What a scene needs. */
export interface DemoSceneNeeds {
  readonly folder: string;
  readonly clock: Clock;
  readonly show: DemoScreen;
  /** Hears of each process that is started. */
  onProcess(process: ChildProcess): void;
}

/** One run of the scene: the process, both pages, and what was asked. */
export class DemoScene implements AsyncDisposable {
  readonly #needs: DemoSceneNeeds;
  readonly #pages: Readonly<Record<DemoPerson, DemoPage>>;
  readonly #canary: string = makeCanary();
  readonly #asks: DemoAsk[] = [];
  #child: DemoChild | null = null;

  constructor(needs: DemoSceneNeeds) {
    this.#needs = needs;
    this.#pages = { Ann: new DemoPage("Ann", needs.clock), Ben: new DemoPage("Ben", needs.clock) };
  }

  /** Play it to its end and give what was seen. @throws RuntimeError when the process can't be started or talked to. */
  async play(signal: AbortSignal): Promise<DemoObservations> {
    const { show } = this.#needs;
    const { port } = await this.#start(signal);
    for (const page of this.#bothPages()) {
      await page.join(port, signal);
      await page.open(port, signal);
    }
    show.direct(printable("Ann and Ben come in, each with a page of their own."));
    const steps = demoSteps(this.#canary);
    for (const step of steps.slice(0, -1)) await this.#ask(step, signal);
    await this.#showWhy("order", signal);
    const last = steps.at(-1);
    if (last === undefined) throw new RuntimeError("internal", "Cannot play: the scene has no last line");
    const linkLost = await this.#interrupt(last, signal);
    return this.#observe(linkLost, signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await using owned = new AsyncDisposableStack();
    if (this.#child !== null) owned.use(this.#child);
    for (const page of this.#bothPages()) owned.use(page);
  }

  async #start(signal: AbortSignal): Promise<DemoChild["start"]> {
    const { folder, clock, show } = this.#needs;
    this.#child = await startDemoChild({ folder, clock, onProcess: (child) => this.#needs.onProcess(child) }, signal);
    const { start } = this.#child;
    show.direct(printable(`Process ${start.pid} is up at ${start.roomUrl} after ${Math.round(start.readyMs)} ms.`));
    return start;
  }

  async #ask(step: DemoStep, signal: AbortSignal): Promise<void> {
    const page = this.#pages[step.person];
    const before = page.wholeLines();
    const message = await this.#say(step, signal);
    const isNew = (id: string): boolean => !before.has(id);
    const came = await page.until(() => !page.waitsFor(message) && [...page.wholeLines()].some(isNew), ANSWER_MS, signal);
    const line = [...page.wholeLines()].find(isNew);
    this.#needs.show.answered(came && line !== undefined ? page.textOf(line) : null);
  }

  async #say(step: DemoStep, signal: AbortSignal): Promise<string> {
    const { show } = this.#needs;
    if (step.direction !== "") show.direct(printable(step.direction));
    show.said(step);
    const message = await this.#pages[step.person].say(`demo-${step.key}`, step.said, step.private, signal);
    this.#asks.push({ key: step.key, person: step.person, private: step.private, message });
    return message;
  }

  /** Have a long answer begun, kill the process under it, start another one, and wait for the answer. True when both pages lost their link. */
  async #interrupt(step: DemoStep, signal: AbortSignal): Promise<boolean> {
    const { show } = this.#needs;
    const before = this.#pages.Ann.wholeLines();
    const message = await this.#say(step, signal);
    await this.#untilThought(message, signal);
    const pid = this.#child?.start.pid ?? 0;
    show.direct(printable(`kill -9 ${pid}`));
    await this.#child?.kill();
    const lost = await Promise.all(this.#bothPages().map((page) => page.until(() => page.link === "lost", NOTICE_MS, signal)));
    const linkLost = lost.every((one) => one);
    show.direct(printable(linkLost ? "Both pages: connection lost." : "The pages did not notice that the process is gone."));
    const { port, messagesAgain } = await this.#start(signal);
    for (const page of this.#bothPages()) await page.open(port, signal);
    show.direct(printable(`It found ${messagesAgain} unanswered message and takes its time once more: twenty seconds.`));
    const { Ann } = this.#pages;
    const isNew = (id: string): boolean => !before.has(id);
    const came = await Ann.until(() => !Ann.waitsFor(message) && [...Ann.wholeLines()].some(isNew), LONG_ANSWER_MS, signal);
    const line = [...Ann.wholeLines()].find(isNew);
    show.answered(came && line !== undefined ? Ann.textOf(line) : null);
    await this.#showWhy("slow", signal);
    return linkLost;
  }

  /** Wait until a message's turn has begun durably: only then is there anything to lose or to say twice. */
  async #untilThought(message: string, signal: AbortSignal): Promise<void> {
    const { clock } = this.#needs;
    for (const deadlineMs = clock.monotonicMs() + NOTICE_MS; clock.monotonicMs() < deadlineMs; await clock.sleep(LOOK_MS, signal)) {
      const report = await this.#why(message, signal);
      if (factOf(report, "turn", "turn") !== "" && factOf(report, "lane", "state") === "running") return;
    }
    throw new RuntimeError("deadline", "Cannot go on with the scene: the long answer did not begin");
  }

  async #observe(linkLost: boolean, signal: AbortSignal): Promise<DemoObservations> {
    const { Ann, Ben } = this.#pages;
    const kept = [...(await Ann.history(signal)), ...(await Ben.history(signal))];
    const roads = why.parse(await this.#run("why", { last: MANY }, signal)).messages.map(roadOf);
    const { messages } = status.parse(await this.#run("status", {}, signal));
    const unended = Object.entries(messages).reduce((sofar, [state, count]) => (state === "ended" ? sofar : sofar + count), 0);
    const roleOfBen = await Ben.role(signal);
    this.#needs.show.copies(this.#copies(kept, roads));
    return {
      canary: this.#canary,
      received: { Ann: Ann.received, Ben: Ben.received },
      asks: this.#asks,
      roads,
      shown: [...Ann.shown, ...Ben.shown],
      kept,
      linkLost,
      roleOfBen,
      unended,
    };
  }

  #copies(kept: DemoObservations["kept"], roads: readonly DemoRoad[]): { readonly person: DemoPerson; readonly count: number }[] {
    const slow = this.#asks.find(({ key }) => key === "slow")?.message;
    const turn = roads.find(({ message }) => message === slow)?.turn;
    return this.#bothPages().map(({ person }) => ({ person, count: kept.filter(({ to, line }) => to === person && line === turn).length }));
  }

  async #showWhy(key: DemoStep["key"], signal: AbortSignal): Promise<void> {
    const message = this.#asks.find((ask) => ask.key === key)?.message ?? "";
    const report = await this.#why(message, signal);
    this.#needs.show.direct(printable(`troupe why ${message}`));
    this.#needs.show.why(report);
  }

  async #why(message: string, signal: AbortSignal): Promise<WhyReport> {
    const [report] = why.parse(await this.#run("why", { message }, signal)).messages;
    if (report === undefined) throw new RuntimeError("not_found", "Cannot go on with the scene: a message is not known");
    return report;
  }

  /** Ask the running process over its local socket, as any command does. */
  async #run(name: string, args: unknown, signal: AbortSignal): Promise<unknown> {
    const stateDirectory = this.#child?.start.stateDirectory ?? "";
    await using client = await connectLocal(socketPathOf({ stateDirectory, temporaryDirectory: tmpdir() }), this.#needs.clock, signal);
    return await client.run(name, args, signal);
  }

  #bothPages(): readonly DemoPage[] {
    return [this.#pages.Ann, this.#pages.Ben];
  }
}

function roadOf(report: WhyReport): DemoRoad {
  return {
    message: report.id,
    outcome: report.outcome,
    end: factOf(report, "turn", "end"),
    runs: Number(factOf(report, "lane", "runs")),
    turn: factOf(report, "turn", "turn"),
    candidates: factOf(report, "voice", "candidates"),
    gate: factOf(report, "delivery", "gate"),
  };
}

function factOf(report: WhyReport, station: WhyReport["stations"][number]["station"], name: string): string {
  return factText(report.stations.find((one) => one.station === station)?.facts[name] ?? "");
}
