import { z } from "zod";
import type { Line } from "../../foundation/line.ts";
import { columns, line, toned } from "../../foundation/line.ts";
import type { Printable } from "../../foundation/printable.ts";
import { printable } from "../../foundation/printable.ts";
import type { CheckReport, Finding, PortAt, PortState } from "../../config/checking/check-config.ts";
import type { LoadOptions } from "../../config/load.ts";
import type { TriggerRow } from "../../config/checking/triggers.ts";
import type { ModelTrial } from "../../vocabulary/model-trial.ts";
import { ANSWER_FORMATS, THINKING, WINDOW_ENDS } from "../../vocabulary/model-trial.ts";
import type { BotBench } from "../setup/bot-bench.ts";
import type { ModelBench } from "../setup/model-bench.ts";
import type { Declared, Operation } from "../operation.ts";
import { OWNER_ONLY, declare } from "../operation.ts";

const finding: z.ZodType<Finding> = z.object({
  level: z.enum(["ok", "warn", "error"]),
  path: z.string(),
  line: z.int().nullable(),
  message: z.string(),
  cure: z.string(),
});
const trigger: z.ZodType<TriggerRow> = z.object({
  surface: z.string(),
  kind: z.string(),
  characters: z.array(z.string()),
  admission: z.enum(["addressed", "trusted", "silent"]),
  reached: z.string(),
  answered: z.string(),
  direct: z.string(),
  command: z.string(),
});

const trialSchema: z.ZodType<ModelTrial> = z.object({
  model: z.string(),
  atMs: z.number(),
  firstTokenMs: z.number(),
  loadMs: z.number().nullable(),
  tokensPerSecond: z.number().nullable(),
  format: z.enum(ANSWER_FORMATS),
  thinking: z.enum(THINKING),
  packetBytes: z.number(),
  end: z.enum(WINDOW_ENDS),
  packetTokens: z.number().nullable(),
});

/** Arguments of `check`. */
export interface CheckArguments {
  readonly connect?: boolean | undefined;
}

/** Result of `check`. */
export interface CheckAnswer extends CheckReport {
  /** What is known of the models that may answer, in their order. */
  readonly trials: readonly ModelTrial[];
}

/** `troupe check`: fails when anything is wrong, not for warnings. */
export const check: Declared<CheckArguments, CheckAnswer> = declare<CheckArguments, CheckAnswer>({
  name: "check",
  summary: "look at the configuration, the state folder and the ports, and list who may trigger what",
  arguments: z.strictObject({
    connect: z.boolean().optional().describe("send the model real packets, and ask Discord about its bots; without it nothing is sent"),
  }),
  positional: [],
  who: OWNER_ONLY,
  result: z.object({ findings: z.array(finding), triggers: z.array(trigger), trials: z.array(trialSchema) }),
  render: renderCheck,
  exit: ({ findings }) => (findings.some(({ level }) => level === "error") ? "failed" : "done"),
});

const MARKS: Readonly<Record<Finding["level"], { readonly mark: string; readonly tone: Line["tone"] }>> = {
  ok: { mark: "✓", tone: "plain" },
  warn: { mark: "!", tone: "strong" },
  error: { mark: "✗", tone: "bad" },
};

function renderCheck({ findings, triggers }: CheckAnswer): readonly Line[] {
  const rows = columns(
    findings.map(({ level, path, message }) => [printable(MARKS[level].mark), printable(path), printable(message)]),
    0,
  );
  const told = findings.flatMap(({ level, cure }, at): readonly Line[] => {
    const row = rows[at];
    const head = row === undefined ? [] : [toned(MARKS[level].tone, row)];
    return level === "ok" || cure === "" ? head : [...head, toned("faint", line`    → ${printable(cure)}`)];
  });
  if (triggers.length === 0) return told;
  const heading: readonly Printable[] = ["surface", "reached", "answered in public", "answered privately", "commands"].map((word) =>
    printable(word),
  );
  const table = triggers.map((row) => [row.surface, row.reached, row.answered, row.direct, row.command].map((cell) => printable(cell)));
  return [...told, line``, toned("strong", line`Who may trigger what`), ...columns([heading, ...table])];
}

/** What `check` needs. */
export interface CheckNeeds {
  readonly options: LoadOptions;
  readonly bench: ModelBench;
  readonly bots: BotBench;
  /** Look at a port of this computer. */
  portState(at: PortAt, signal: AbortSignal): Promise<PortState>;
  /** Show how a trial goes on, where a person looks. */
  readonly told: (line: Line) => void;
}

async function botFindings(needs: CheckNeeds, signal: AbortSignal): Promise<readonly Finding[]> {
  const { checkBots } = await import("./check-bots.ts");
  return checkBots(needs, signal);
}

/** Bind `check` to the files it looks at, to whoever can look at ports, to the models it may try, and to the bots it may ask about. */
export function bindCheck(needs: CheckNeeds): Operation {
  return check.bind(async ({ connect }, { signal }) => {
    const [{ checkConfig }, { checkModels }] = await Promise.all([
      import("../../config/checking/check-config.ts"),
      import("./check-models.ts"),
    ]);
    const report = await checkConfig(needs, signal);
    const bots = connect === true ? await botFindings(needs, signal) : [];
    const { findings, trials } = await checkModels({ ...needs, connect: connect === true }, signal);
    return { ...report, findings: [...report.findings, ...bots, ...findings], trials };
  });
}
