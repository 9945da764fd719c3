import type { Node, ParsedNode, YAMLError } from "yaml";
import { LineCounter, isAlias, isMap, isScalar, isSeq, parseDocument } from "yaml";
import type { ConfigPath, ConfigProblem, Position } from "../problem.ts";
import { showName } from "../problem.ts";

const MAX_DEPTH = 24;
/** A broken document repeats itself; the first few messages say it all. */
const MAX_SYNTAX_PROBLEMS = 5;

/** What a YAML file says, as plain data that no key of it can bend, with the place of everything in it. */
export interface YamlFile {
  readonly data: unknown;
  readonly problems: readonly ConfigProblem[];
  /** The place of a key's value, of the key itself, or of the nearest section around it. */
  locate(path: ConfigPath, what: "key" | "value"): Position | null;
}

/** Parse YAML 1.2 without aliases, tags, directives, doubled keys or a second document (MC-104). Never throws; reads nothing of a broken file. */
export function parseYaml(text: string): YamlFile {
  return new YamlReader(text).read();
}

class YamlReader {
  readonly #text: string;
  readonly #lines: LineCounter = new LineCounter();
  readonly #problems: ConfigProblem[] = [];
  readonly #values: Map<string, Position> = new Map();
  readonly #keys: Map<string, Position> = new Map();

  constructor(text: string) {
    this.#text = text;
  }

  read(): YamlFile {
    const data = this.#parse();
    return { data, problems: this.#problems, locate: (path, what) => this.#locate(path, what) };
  }

  #parse(): unknown {
    // Below `error` the parser would pass over a second document. Doubled keys are found below: the parser's own search is quadratic.
    const options = { lineCounter: this.#lines, uniqueKeys: false, prettyErrors: false, stringKeys: false, logLevel: "error" } as const;
    const document = parseDocument(this.#text, options);
    const errors = [...document.errors, ...document.warnings].toSorted((a, b) => a.pos[0] - b.pos[0]);
    for (const error of errors.slice(0, MAX_SYNTAX_PROBLEMS)) this.#report([], error.pos[0], syntaxRule(error));
    if (errors.length > 0) return undefined;
    if (document.directives.yaml.explicit === true || /^%/m.test(this.#text.slice(0, document.range[0])))
      this.#report([], 0, NO_DIRECTIVES);
    return document.contents === null ? null : this.#convert(document.contents, []);
  }

  #convert(node: Node | null, path: ConfigPath): unknown {
    if (node === null) return null;
    const at = node.range?.[0] ?? 0;
    this.#values.set(JSON.stringify(path), this.#position(at));
    const rule = refusal(node, path);
    if (rule !== null) {
      this.#report(path, at, rule);
      return undefined;
    }
    if (isMap<ParsedNode, ParsedNode | null>(node)) return this.#convertMap(node.items, path);
    if (isSeq<ParsedNode | null>(node)) return node.items.map((item, index) => this.#convert(item, [...path, index]));
    return isScalar(node) ? node.value : null;
  }

  #convertMap(items: readonly { key: ParsedNode; value: ParsedNode | null }[], path: ConfigPath): Record<string, unknown> {
    const result: Record<string, unknown> = {};
    for (const { key, value } of items) {
      const at = key.range[0];
      if (!isScalar(key) || typeof key.value !== "string" || key.anchor !== undefined || key.tag !== undefined) {
        this.#report(path, at, "keys must be plain text; put a number or true in quotes");
        continue;
      }
      const name = key.value;
      const inner = [...path, name];
      if (name === "__proto__") this.#report(path, at, "__proto__ is a reserved word");
      else if (Object.hasOwn(result, name)) this.#report(path, at, `the key ${showName(name)} stands here twice`);
      else {
        this.#keys.set(JSON.stringify(inner), this.#position(at));
        // A key without a value has no node of its own; its place is the key's.
        if (value === null) this.#values.set(JSON.stringify(inner), this.#position(at));
        result[name] = this.#convert(value, inner);
      }
    }
    return result;
  }

  #report(path: ConfigPath, offset: number, rule: string): void {
    this.#problems.push({ path, position: this.#position(offset), environment: null, rule });
  }

  #position(offset: number): Position {
    const { line, col } = this.#lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  }

  #locate(path: ConfigPath, what: "key" | "value"): Position | null {
    const wanted = (what === "key" ? this.#keys : this.#values).get(JSON.stringify(path));
    if (wanted !== undefined) return wanted;
    for (let length = path.length - 1; length >= 0; length -= 1) {
      const outer = JSON.stringify(path.slice(0, length));
      const found = this.#keys.get(outer) ?? this.#values.get(outer);
      if (found !== undefined) return found;
    }
    return null;
  }
}

/** What is valid YAML and yet has no place here. */
function refusal(node: Node, path: ConfigPath): string | null {
  if (path.length > MAX_DEPTH) return `must not be nested deeper than ${MAX_DEPTH} levels`;
  if (isAlias(node)) return NO_ALIASES;
  if ("tag" in node && node.tag !== undefined) return NO_TAGS;
  return "anchor" in node && node.anchor !== undefined ? "anchors (&name) are not used here; write the value out" : null;
}

const NO_ALIASES = "aliases (*name) are not used here; write the value out";
const NO_TAGS = "tags (!name) are not used here";
const NO_DIRECTIVES = "directives (%) are not used here; YAML 1.2 it is";

const SYNTAX_RULES: ReadonlyMap<string, string> = new Map([
  ["BAD_ALIAS", NO_ALIASES],
  ["ALIAS_PROPS", NO_ALIASES],
  ["BAD_DIRECTIVE", NO_DIRECTIVES],
  ["BAD_INDENT", "the indentation does not fit the lines around it"],
  ["TAB_AS_INDENT", "tabs cannot indent; use spaces"],
  ["MISSING_CHAR", "a quote, a bracket, a comma or the space after a colon is missing"],
  ["MULTIPLE_DOCS", "a second document begins here (---); one is allowed"],
  ["RESOURCE_EXHAUSTION", "it is nested too deeply"],
  ["TAG_RESOLVE_FAILED", NO_TAGS],
  ["MULTIPLE_TAGS", NO_TAGS],
]);

/** The parser's own messages quote the file, so each kind gets words of ours. */
function syntaxRule(error: YAMLError): string {
  return SYNTAX_RULES.get(error.code) ?? `it is not valid YAML (${error.code.toLowerCase().replaceAll("_", " ")})`;
}
