import { z } from "zod";
import { isRuntimeError } from "../../foundation/errors.ts";
import { LinearPattern } from "../../foundation/linear-pattern.ts";
import { GUARDRAIL_MODES } from "../../vocabulary/calls/guardrail-rule.ts";
import { TOOL_CAPABILITIES } from "../../vocabulary/calls/tool-definition.ts";
import { key } from "./key.ts";
import type { RawGuardrails } from "./raw-config.ts";
import { checked, line, name, now } from "./schema-parts.ts";

/** Rules of one configuration. */
export const MAX_RULES = 128;
/** Characters of a pattern, as of a path with its stars. */
const MAX_PATTERN = 300;
const MAX_EXAMPLES = 16;
const MAX_LIST = 32;

const pattern = (): z.ZodString => checked(MAX_PATTERN, patternRule);
const toolName = (): z.ZodString =>
  z
    .string()
    .max(40)
    .regex(/^[a-z*][a-z0-9_*]*$/, "must be a tool's name, with * for any letters, such as note_*");
const modelGlob = (): z.ZodString =>
  z
    .string()
    .max(200)
    .regex(/^[A-Za-z0-9*][A-Za-z0-9._:/@+*-]*$/, "must be a model as host/model, with * for any letters, or the word small");
const pathGlob = (): z.ZodString => checked(MAX_PATTERN, pathRule);
const folder = (): z.ZodString => checked(400, folderRule);

const example = z.strictObject({
  tool: z
    .string()
    .max(40)
    .regex(/^[a-z][a-z0-9_]*$/, "must be a tool's name"),
  kind: z.enum(TOOL_CAPABILITIES).optional(),
  folder: folder().optional(),
  arguments: z.record(z.string().max(80), z.unknown()).default({}),
});

const rule = z.strictObject({
  tool: key(
    z.array(toolName()).min(1).max(MAX_LIST).optional(),
    now("Tools that it is about, by name, `*` for any letters: `[note_write]`, `[note_*]`.", { otherwise: "every tool" }),
  ),
  kind: key(
    z.array(z.enum(TOOL_CAPABILITIES)).min(1).max(TOOL_CAPABILITIES.length).optional(),
    now("Kinds of tools that it is about; commands are `processes`.", { otherwise: "every kind" }),
  ),
  command: key(pattern().optional(), now("Pattern that stands in the command.", { otherwise: "any" })),
  path: key(
    z.array(pathGlob()).min(1).max(MAX_LIST).optional(),
    now("Paths, one of which the call works on: `*` within a name, `**` across folders. A path that cannot be told counts as one.", {
      otherwise: "any",
    }),
  ),
  outside: key(
    z.array(folder()).min(1).max(MAX_LIST).optional(),
    now("Folders; it is about calls that work on a path in none of them.", { otherwise: "anywhere" }),
  ),
  arguments: key(
    z
      .record(
        z
          .string()
          .max(80)
          .regex(/^(?:\*|[A-Za-z][A-Za-z0-9_]*)$/, "must be an argument's name, or * for any"),
        pattern(),
      )
      .refine((fields) => Object.keys(fields).length <= MAX_LIST, `must be at most ${MAX_LIST} arguments`)
      .optional(),
    now("Patterns by the argument that they stand in, `*` for any.", { otherwise: "any" }),
  ),
  verdict: key(z.enum(["ask", "deny"]), now("What becomes of such a call: it is asked about, or denied.")),
  reason: key(line(200), now("Why, for the model and for whoever is asked.")),
  scopes: key(
    z
      .array(z.enum(["session", "always"]))
      .max(2)
      .optional(),
    now("How far an answer to its question may count beside once, at most as far as the line allows.", { otherwise: "both" }),
  ),
  models: key(
    z.array(modelGlob()).min(1).max(MAX_LIST).optional(),
    now("It votes only while such a model may answer: `host/model` with `*` for any letters, or `small`.", { otherwise: "all" }),
  ),
  modes: key(
    z.array(z.enum(GUARDRAIL_MODES)).min(1).max(2).optional(),
    now("Modes in which it votes; `[strict]` for a rule of the strict mode alone.", { otherwise: "both" }),
  ),
  match: key(
    z.array(example).max(MAX_EXAMPLES).default([]),
    now("Calls that it must be about, as `{tool, arguments}`; tried whenever the file is read."),
  ),
  not_match: key(z.array(example).max(MAX_EXAMPLES).default([]), now("Calls that it must not be about; tried likewise.")),
});

/** The operator's rules over calls of tools. No variable and no flag changes them (CH-080). */
export const guardrails: z.ZodType<RawGuardrails> & z.ZodObject = z.strictObject({
  enabled: key(z.boolean().default(true), now("With `false` rules and hooks ask nothing; what they deny stays denied.")),
  mode: key(z.enum(GUARDRAIL_MODES).default("auto"), now("With `strict` those rules vote too that are for that mode alone.")),
  disable: key(z.array(name()).max(MAX_RULES).default([]), now("Rules that do not vote, by name.")),
  small_models: key(
    z.array(modelGlob()).max(MAX_LIST).default(["auto"]),
    now("Models that rules mean by `small`: `auto` stands for those whose name says at most 32 billion parameters."),
  ),
  rules: key(
    z.record(name(), rule).default({}),
    now(`Rules by a short name each, in their order, at most ${MAX_RULES}. Everything that a rule names must be so of a call.`),
  ),
});

/** The rule that a pattern breaks, or null. */
function patternRule(text: string): string | null {
  try {
    LinearPattern.parse(text);
    return null;
  } catch (error) {
    if (!isRuntimeError(error, "invalid_argument")) throw error;
    return error.message.replace("Cannot read a pattern: ", "is no pattern: ");
  }
}

function pathRule(text: string): string | null {
  if (!/^(?:\/|\*\*\/)/.test(text)) return "must begin with / or **/, so that it means the same wherever the call runs";
  return isPlain(text) ? null : "must be one line without control characters, and without . or .. as a part";
}

function folderRule(text: string): string | null {
  if (!text.startsWith("/")) return "must be an absolute folder, beginning with /";
  if (/[*?]/.test(text)) return "must be a folder itself, without * or ?; write path for patterns";
  return isPlain(text) ? null : "must be one line without control characters, and without . or .. as a part";
}

function isPlain(path: string): boolean {
  return !/\p{Cc}/u.test(path) && !path.split("/").some((part) => part === "." || part === "..");
}
