import { z } from "zod";
import type { KeyRow } from "./key.ts";
import { LAUNCH_SETTINGS, configKeys, configSchema } from "./registry.ts";

/** Write the JSON Schema of `troupe.yaml` for editors, as the text of `troupe.schema.json`. */
export function renderJsonSchema(): string {
  const { $schema, ...schema } = z.toJSONSchema(configSchema, { io: "input" });
  return `${JSON.stringify({ $schema, title: "troupe.yaml", description: "Configuration of Troupe.", ...schema }, null, 2)}\n`;
}

/** Write the reference of every key, as the text of `docs/configuration.md`. */
export function renderReference(): string {
  const rows = configKeys();
  const sections = [...new Set(rows.map((row) => row.path.split(".")[0] ?? ""))];
  return [INTRODUCTION, ...sections.map((section) => renderSection(section, rows)), renderLaunch()].join("\n");
}

const INTRODUCTION = `# Configuration

Written from the key registry by \`node tools/generate-config.ts\`; a test fails when the two differ.

Troupe reads \`troupe.yaml\` in the working folder, or the file that \`--config\` or \`TROUPE_CONFIG\` names; without one it uses a
built-in example with one room and one character. \`troupe init\` writes that example as a commented file. Troupe never changes the file.

The file is YAML 1.2: at most 64 KiB, a regular file, no aliases, tags or directives, and \`yes\` is text, not true. An unknown key, a
key that stands twice, or a value that breaks a rule refuses the start; each error names line, column and rule. Values have ceilings:
the file can lower them, never raise them. Keys of model servers stand in the environment or in a private file, never in this one.

**When** says when a change takes effect: with the next message, or at the next start. A changed file that breaks a rule is
rejected as a whole, and the last good one stays in force. \`<name>\` stands for a name of your choice: a lower-case letter, then up
to 39 of \`a-z 0-9 _ -\`. Editors can check the file against \`troupe.schema.json\`.
`;

function renderSection(section: string, rows: readonly KeyRow[]): string {
  const own = rows.filter((row) => row.path === section || row.path.startsWith(`${section}.`));
  const kinds = [...new Set(own.map((row) => row.kind))];
  const tables = kinds.map((kind) => (kind === "" ? "" : `### kind: ${kind}\n\n`) + renderTable(own.filter((row) => row.kind === kind)));
  return [`## ${section}`, "", ...tables].join("\n");
}

function renderTable(rows: readonly KeyRow[]): string {
  const lines = rows.map(
    (row) =>
      `| \`${row.path.replace(".models.*", ".models.<model>").replace(".places.*", ".places.<id>").replaceAll("*", "<name>")}\` | ${cell(typeOf(row.schema))} | ${cell(defaultOf(row))} | ${row.reload} | ${cell(docsOf(row))} |`,
  );
  return ["| key | value | default | when | what |", "|---|---|---|---|---|", ...lines, ""].join("\n");
}

function renderLaunch(): string {
  const lines = LAUNCH_SETTINGS.map(
    (row) => `| \`${row.environment}\` | \`${row.flag}\` | ${row.fallback} | ${row.reload} | ${row.docs} |`,
  );
  return ["## Outside the file", "", "| variable | flag | default | when | what |", "|---|---|---|---|---|", ...lines, ""].join("\n");
}

function docsOf(row: KeyRow): string {
  const ways = [
    ...(row.environment === undefined ? [] : [`variable \`${row.environment}\``]),
    ...(row.flag === undefined ? [] : [`flag \`${row.flag}\``]),
  ];
  return ways.length === 0 ? row.docs : `${row.docs} (${ways.join(", ")})`;
}

function defaultOf(row: KeyRow): string {
  if (row.required) return "required";
  if (row.otherwise !== undefined) return row.otherwise;
  return row.fallback === undefined ? "none" : `\`${JSON.stringify(row.fallback)}\``;
}

function typeOf(schema: z.ZodType): string {
  if (schema instanceof z.ZodNumber) return numberType(schema);
  if (schema instanceof z.ZodString) return schema.maxLength === null ? "text" : `text, at most ${schema.maxLength} characters`;
  if (schema instanceof z.ZodEnum) return schema.options.map((option) => `\`${option}\``).join(" or ");
  if (schema instanceof z.ZodLiteral) return `\`${String(schema.value)}\``;
  if (schema instanceof z.ZodBoolean) return "`true` or `false`";
  if (schema instanceof z.ZodArray) return "list";
  if (schema instanceof z.ZodUnion) return "list or map";
  return "map";
}

function numberType(schema: z.ZodNumber): string {
  const range = `${schema.minValue} to ${schema.maxValue}`;
  return schema.format === "safeint" ? `whole number, ${range}` : `number, ${range}`;
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}
