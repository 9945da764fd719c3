/** Marks that models write around calls which their server should have taken out. None of them is a word of a language. */
const MARKS =
  /<\/?tool_calls?>|<\/?function_calls?>|<function=|<invoke\s+name=|\[\/?TOOL_CALLS?\]|<[|｜](?:tool[▁_ ]?calls?|python_tag|tool[▁_]sep)[^<>]{0,40}[|｜]?>|<\|tool_calls?_(?:section_)?begin\|>/iu;
const FENCE = /^```[a-z_]{0,12}\s*\n?([\s\S]*?)\n?```$/;
const MAX_SCANNED = 65_536;

/**
 * Whether a model's words are a call that came as text: with the marks of a template, or as JSON that names a tool with its
 * arguments. Such text is no call, whatever it says: nothing is ever run for it, and nobody is sent it (CH-070).
 */
export function isStrayCall(words: string, tools: ReadonlySet<string>): boolean {
  const text = words.slice(0, MAX_SCANNED).trim();
  if (MARKS.test(text)) return true;
  const bare = FENCE.exec(text)?.[1]?.trim() ?? text;
  return isCallJson(bare, tools) || isCallSyntax(bare, tools);
}

function isCallJson(text: string, tools: ReadonlySet<string>): boolean {
  if (!text.startsWith("{") && !text.startsWith("[")) return false;
  return jsonIn(text).some((value) => namesTool(value, tools));
}

/** One value, or one to a line, as some models write several. */
function jsonIn(text: string): readonly unknown[] {
  const whole = parsed(text);
  const values = whole === undefined ? text.split("\n").map(parsed) : [whole];
  return values.flatMap((value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]));
}

function namesTool(value: unknown, tools: ReadonlySet<string>): boolean {
  if (typeof value !== "object" || value === null) return false;
  const fields = new Map<string, unknown>(Object.entries(value));
  const inner = fields.get("function");
  if (typeof inner === "object" && inner !== null) return namesTool(inner, tools);
  const name = fields.get("name") ?? fields.get("tool") ?? fields.get("tool_name") ?? inner;
  const takes = ["arguments", "parameters", "args", "input", "tool_input"].some((key) => fields.has(key));
  return typeof name === "string" && tools.has(name) && takes;
}

/** `note_write(name="x")`, alone. */
function isCallSyntax(text: string, tools: ReadonlySet<string>): boolean {
  const name = /^(?:functions\.|tools\.)?([a-z0-9_]{1,40})\s*\([\s\S]*\)$/.exec(text)?.[1];
  return name !== undefined && tools.has(name);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // Most words are no JSON, and then they are words.
  }
}
