import type { Line } from "../../foundation/line.ts";
import { line, text, toned } from "../../foundation/line.ts";
import type { Printable } from "../../foundation/printable.ts";
import { printable, printableBy } from "../../foundation/printable.ts";
import type { ModelTrial } from "../../vocabulary/model-trial.ts";
import type { TrialOutcome } from "./model-bench.ts";

/** Tokens of a line in public, for the time it will take. */
const LINE_TOKENS = 60;

/** What a trial found out, one line each, with what follows from it. */
export function trialLines(outcome: TrialOutcome, about: { readonly name: string }): readonly Line[] {
  if (outcome.kind === "failed") return [toned("bad", line`  ✗ ${printable(outcome.why)}`)];
  const { trial, said } = outcome;
  return [
    line`  ✓ answered, ${speedOf(trial)}`,
    ...(said === "" ? [] : [toned("faint", line`    ${printableBy(about.name, said, 200)}`)]),
    ...marked(formatFinding(trial)),
    ...marked(thinkingFinding(trial)),
    ...marked(windowFinding(trial)),
  ];
}

/** One thing a trial found out. */
export interface TrialFinding {
  readonly level: "ok" | "warn" | "error";
  readonly message: Printable;
  /** What to do; "" for nothing. */
  readonly cure: Printable;
}

/** The same as findings, for `check`. */
export function trialFindings(trial: ModelTrial): readonly TrialFinding[] {
  const speed: TrialFinding = { level: "ok", message: text`answered, ${speedOf(trial)}`, cure: NONE };
  return [speed, formatFinding(trial), thinkingFinding(trial), windowFinding(trial)];
}

/** Findings of a model's trial for people, under its name; nothing where there are none. */
export function findingLines(model: string | null, findings: readonly TrialFinding[]): readonly Line[] {
  return findings.length === 0
    ? []
    : [line`What ${printable(model ?? "the model", 200)} showed when it was tried:`, ...findings.flatMap(marked)];
}

const NONE = printable("");
const MARKS = { ok: ["✓", "plain"], warn: ["!", "strong"], error: ["✗", "bad"] } as const;

function marked({ level, message, cure }: TrialFinding): readonly Line[] {
  const [mark, tone] = MARKS[level];
  const head = toned(tone, line`  ${printable(mark)} ${message}`);
  return cure === "" ? [head] : [head, toned("faint", line`    → ${cure}`)];
}

function speedOf({ firstTokenMs, tokensPerSecond, loadMs }: ModelTrial): Printable {
  const first = text`first token after ${seconds(firstTokenMs)} s`;
  const loading = loadMs === null || loadMs < 1_000 ? NONE : text` (and ${seconds(loadMs)} s to load the model)`;
  if (tokensPerSecond === null) return text`${first}${loading}`;
  const lineMs = firstTokenMs + (LINE_TOKENS / tokensPerSecond) * 1_000;
  return text`${first}${loading}, ${Math.round(tokensPerSecond * 10) / 10} tokens a second: a line will take about ${seconds(lineMs)} s`;
}

function seconds(ms: number): number {
  if (ms < 1_000) return Math.round(ms / 10) / 100;
  return ms < 10_000 ? Math.round(ms / 100) / 10 : Math.round(ms / 1_000);
}

function formatFinding({ format }: ModelTrial): TrialFinding {
  switch (format) {
    case "schema":
      return { level: "ok", message: printable("keeps the form of an answer (schema)"), cure: NONE };
    case "json":
      return { level: "ok", message: printable("keeps the form of an answer (JSON)"), cure: NONE };
    case "plain":
      return {
        level: "warn",
        message: printable("keeps no form, so its whole answer is speech: no gestures, no silence of its own choice"),
        cure: NONE,
      };
  }
}

function thinkingFinding({ thinking }: ModelTrial): TrialFinding {
  switch (thinking) {
    case "none":
      return { level: "ok", message: printable("speaks without thinking first"), cure: NONE };
    case "thinks":
      return {
        level: "warn",
        message: printable("thinks before it speaks: nobody sees that, but everybody waits for it"),
        cure: printable("think: off, if the server can"),
      };
    case "thinks_anyway":
      return {
        level: "warn",
        message: printable("thinks before it speaks, although it was asked not to"),
        cure: printable("another model answers faster"),
      };
  }
}

function windowFinding({ packetBytes, packetTokens, end }: ModelTrial): TrialFinding {
  if (packetBytes === 0)
    return {
      level: "error",
      message: printable("its server leaves out part of what it is sent and does not say so: it will not speak (truncated_by_host)"),
      cure: printable("give the server a larger window, then try again"),
    };
  const size = text`${Math.floor(packetBytes / 1_024)} KiB${packetTokens === null ? NONE : text` (${packetTokens} tokens)`}`;
  switch (end) {
    case "budget":
      return { level: "ok", message: text`reads a whole packet of ${size}`, cure: NONE };
    case "window":
      return { level: "warn", message: text`takes no more than ${size}: packets are cut to that, oldest lines first`, cure: WIDER };
    case "truncated":
      return {
        level: "warn",
        message: text`drops part of anything over ${size} without saying so: packets are cut to that, oldest lines first`,
        cure: WIDER,
      };
    case "recall":
      return {
        level: "warn",
        message: text`loses track of what is longer than ${size}: packets are cut to that, oldest lines first`,
        cure: NONE,
      };
    case "unsure":
      return {
        level: "warn",
        message: text`answers, but could not read back the code words of a packet: whether all of it gets there is not known`,
        cure: printable("a larger model keeps to a conversation better"),
      };
    case "slow":
      return {
        level: "warn",
        message: text`is not done with more than ${size} in the time it has: packets are cut to that, oldest lines first`,
        cure: printable("raise deadline_s of its host, or take a smaller model"),
      };
  }
}

const WIDER = printable("give the server a larger window for longer conversations");
