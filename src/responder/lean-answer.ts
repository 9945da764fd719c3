import type { ModelRequest } from "../vocabulary/model.ts";
import type { ActionLabel } from "../vocabulary/reply.ts";

/** Candidates that are kept as text, and characters of each (AE-049: they are data, whatever they say). */
const MAX_CANDIDATES = 8;
const MAX_CANDIDATE_CHARACTERS = 200;

const REQUIRED = ["action_label", "visible_action", "spoken_text"] as const;
const CANDIDATE_LISTS = ["state_update_candidates", "relationship_update_candidates", "unresolved_hooks"] as const;
/** Fields of the full form (AE-047) that a model may add out of habit; they are read over. */
const TOLERATED = new Set<string>([...REQUIRED, ...CANDIDATE_LISTS, "responder_agent_id", "private_interpretation", "intended_effect"]);

/** An answer in the lean form, read. */
export interface LeanAnswer {
  readonly label: ActionLabel;
  readonly action: string;
  readonly speech: string;
  readonly candidates: readonly string[];
  readonly candidateCount: number;
}

/** The form as JSON Schema, for hosts that can keep a model to it. */
export function leanSchema(labels: readonly ActionLabel[]): NonNullable<ModelRequest["schema"]> {
  const text = { type: "string" };
  return {
    name: "lean_answer",
    json: {
      type: "object",
      properties: { action_label: { type: "string", enum: [...labels] }, visible_action: text, spoken_text: text },
      required: [...REQUIRED],
      additionalProperties: false,
    },
  };
}

/**
 * Read an answer in the lean form: one JSON object, at most wrapped into one code fence, with the three fields and no unknown
 * one, an allowed label, and no words beside a silence. Null for everything else. Pure; nothing of it is ever executed.
 */
export function parseLean(text: string, allowed: readonly ActionLabel[]): LeanAnswer | null {
  const fields = parseObject(unfenced(text.trim()));
  if (fields === null || [...fields.keys()].some((name) => !TOLERATED.has(name))) return null;
  const label = allowed.find((one) => one === fields.get("action_label"));
  const action = fields.get("visible_action");
  const speech = fields.get("spoken_text");
  if (label === undefined || typeof action !== "string" || typeof speech !== "string") return null;
  if (label === "silence" && speech.trim() !== "") return null;
  const candidates = CANDIDATE_LISTS.flatMap((name) => listOf(fields.get(name)));
  return {
    label,
    action: label === "silence" ? "" : action.trim(),
    speech: speech.trim(),
    candidates: candidates.slice(0, MAX_CANDIDATES).map(candidateText),
    candidateCount: candidates.length,
  };
}

function unfenced(text: string): string {
  return /^```(?:json)?[ \t]*\r?\n([\s\S]*)\r?\n```$/.exec(text)?.[1] ?? text;
}

function parseObject(text: string): ReadonlyMap<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? new Map(Object.entries(value)) : null;
  } catch {
    return null;
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function candidateText(candidate: unknown): string {
  const text = typeof candidate === "string" ? candidate : (JSON.stringify(candidate) ?? "");
  return Array.from(text.slice(0, 2 * MAX_CANDIDATE_CHARACTERS))
    .slice(0, MAX_CANDIDATE_CHARACTERS)
    .join("");
}
