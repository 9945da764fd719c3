import { z } from "zod";
import type { Line } from "../foundation/line.ts";
import { columns, line, toned } from "../foundation/line.ts";
import type { Printable } from "../foundation/printable.ts";
import { printable } from "../foundation/printable.ts";
import type { CheckReport, Finding, PortAt, PortState } from "../config/check-config.ts";
import type { LoadOptions } from "../config/load.ts";
import type { TriggerRow } from "../config/triggers.ts";
import type { Declared, Operation } from "./operation.ts";
import { OWNER_ONLY, declare } from "./operation.ts";

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

/** `troupe check`: fails when anything is wrong, not for warnings. */
export const check: Declared<Record<string, never>, CheckReport> = declare<Record<string, never>, CheckReport>({
  name: "check",
  summary: "look at the configuration, the state folder and the ports, and list who may trigger what",
  arguments: z.strictObject({}),
  positional: [],
  who: OWNER_ONLY,
  result: z.object({ findings: z.array(finding), triggers: z.array(trigger) }),
  render: renderCheck,
  exit: ({ findings }) => (findings.some(({ level }) => level === "error") ? "failed" : "done"),
});

const MARKS: Readonly<Record<Finding["level"], { readonly mark: string; readonly tone: Line["tone"] }>> = {
  ok: { mark: "✓", tone: "plain" },
  warn: { mark: "!", tone: "strong" },
  error: { mark: "✗", tone: "bad" },
};

function renderCheck({ findings, triggers }: CheckReport): readonly Line[] {
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

/** Bind `check` to the files it looks at and to whoever can look at ports. */
export function bindCheck(options: LoadOptions, portState: (at: PortAt, signal: AbortSignal) => Promise<PortState>): Operation {
  return check.bind(async (_, { signal }) => {
    const { checkConfig } = await import("../config/check-config.ts");
    return checkConfig({ options, portState }, signal);
  });
}
