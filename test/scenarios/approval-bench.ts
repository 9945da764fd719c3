import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import assert from "node:assert/strict";
import { z } from "zod";
import { openAgents } from "../../src/agents/agents.ts";
import type { Toolbox } from "../../src/agents/tools/toolbox.ts";
import { defineTool } from "../../src/agents/tools/tool.ts";
import { MIRELLE, inboundLine } from "../../src/testing/road-fixtures.ts";
import { parseAnswer } from "../../src/vocabulary/calls/approval-answer.ts";
import type { CallBatch, Gateway, Verdict } from "../../src/vocabulary/calls/gateway.ts";
import { parseSessionId } from "../../src/vocabulary/ids.ts";
import type { Influence } from "../../src/vocabulary/label.ts";
import { LOCAL_OWNER, parsePrincipalId } from "../../src/vocabulary/principal.ts";
import type { Assurance, PrincipalId } from "../../src/vocabulary/principal.ts";
import type { VoiceOutcome } from "../../src/vocabulary/reply.ts";
import type { ToolCapability } from "../../src/vocabulary/calls/tool-definition.ts";
import { joinLabels } from "../../src/vocabulary/calls/text-label.ts";
import type { Turn } from "../../src/vocabulary/turn.ts";
import type { Harness, HarnessOptions } from "./road-harness.ts";
import { RECORD, openHarness, says } from "./road-harness.ts";

/** An operator's account of a platform. */
export const REMOTE: PrincipalId = parsePrincipalId("discord:1001");
/** One whose account only a transport tells of. */
export const AVATAR: PrincipalId = parsePrincipalId("grid:osgrid:6f3c0000-0000-4000-8000-000000000001");
/** Moments of a call at which a process can die. */
export type KillPoint = "asked" | "answered" | "used";

/** An agent of one tool over the real road, gateway and store: it asks, and goes on when it is answered. */
export class ApprovalBench {
  readonly ran: string[] = [];
  /** Waits at a moment, so that somebody can kill the process there. */
  at: (point: KillPoint) => Promise<void> = () => Promise.resolve();
  #folder = "";
  /** What the next turn's prompt holds beside its line. */
  influence: readonly Influence[] = [];
  #harness: Harness | null = null;
  #gateway: Gateway | null = null;
  #said = 0;
  readonly #capability: ToolCapability;

  constructor(capability: ToolCapability = "files") {
    this.#capability = capability;
  }

  readonly #tools = (): Toolbox =>
    openAgents({
      tools: [
        defineTool({
          name: "write",
          description: "Write it down.",
          parameters: { type: "object" },
          capability: this.#capability,
          classes: { untrusted: false, sensitive: false, changes: "state" },
          verdict: "ask",
          scopes: ["session"],
          arguments: z.strictObject({ text: z.string() }),
          run: ({ text }) => {
            this.ran.push(text);
            appendFileSync(join(this.#folder, "ran.txt"), `${text}\n`);
            return Promise.resolve({ text: "written", failed: false });
          },
        }),
      ],
    }).toolbox;
  #made: Toolbox | null = null;

  get #toolbox(): Toolbox {
    return (this.#made ??= this.#tools());
  }

  /** What ran in all processes over this folder. */
  ranEver(): readonly string[] {
    const file = join(this.#folder, "ran.txt");
    return existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];
  }

  async open(folder: string, more: Partial<HarnessOptions> = {}): Promise<Harness> {
    this.#folder = folder;
    this.#harness = await openHarness({
      folder,
      operators: [REMOTE, AVATAR],
      voice: (turn, signal) => this.#run(turn, signal),
      withAuthority: (authority) => {
        this.#gateway = authority.gateway({
          definitions: this.#toolbox.definitions,
          remote: () => new Set(),
          protects: () => "open",
          guardrail: () => [],
          endorsed: () => false,
          asksSpent: () => {},
        });
      },
      ...more,
    });
    return this.#harness;
  }

  /** Say a line as an operator. */
  async say(
    text: string,
    person: PrincipalId = LOCAL_OWNER,
    assurance: Assurance = person === LOCAL_OWNER ? "local" : person === AVATAR ? "relayed" : "platform",
  ): Promise<void> {
    this.#said += 1;
    const one = this.#harness ?? assert.fail();
    const line = inboundLine({ person, direct: MIRELLE, text, deliveryId: `o-${this.#said}-${text.length}`, atMs: one.clock.nowMs() });
    await one.surface.inbox?.hear({ ...line, sender: { ...line.sender, assurance } }, new AbortController().signal);
    await one.settle();
    // The pace of a direct line: five at once, then one a second.
    await one.clock.advance(2_000);
    await one.settle();
  }

  async #run(turn: Turn, signal: AbortSignal): Promise<VoiceOutcome> {
    const gateway = this.#gateway ?? assert.fail();
    const batch: CallBatch = {
      turn: turn.id,
      root: turn.trigger.id,
      session: parseSessionId("s-0001"),
      character: turn.character,
      place: turn.place,
      starter: "terminal",
      origin: turn.origin,
      lines: [],
      label: joinLabels(
        gateway.labels.ofLine(turn.origin, turn.place),
        gateway.labels.ofEvent({ influence: this.influence, audience: ["anyone"] }),
      ),
      destinations: new Set(),
      grant: null,
      words: "I would like to write this down.",
      calls: [{ id: `c-${turn.trigger.id}`, name: "write", arguments: JSON.stringify({ text: turn.trigger.text }) }],
    };
    if (turn.resumed !== undefined) await this.at("answered");
    const verdict: Verdict | undefined =
      turn.resumed === undefined
        ? (await gateway.judge(batch, signal))[0]
        : await gateway.answered(batch, parseAnswer(turn.resumed.answer), signal);
    if (verdict?.kind === "ask") return { kind: "suspended", question: { ...verdict.question, state: "{}" }, record: RECORD };
    if (verdict?.kind !== "allow") return says(verdict?.text ?? "");
    if (turn.resumed !== undefined) await this.at("used");
    return says((await this.#toolbox.run(verdict.action, signal)).text);
  }
}
