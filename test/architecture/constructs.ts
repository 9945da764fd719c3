import { child, children, nameOf, walk } from "../../tools/syntax.ts";
import type { SourceFile, SyntaxNode } from "../../tools/syntax.ts";
import type { Finding } from "./tree.ts";

const CLOCK_FILES = ["src/foundation/clock.ts", "src/testing/", "src/console/ui/"];
const TIMERS = new Set(["setTimeout", "setInterval", "setImmediate"]);
const CLOCKS = new Set(["Date.now", "performance.now", "process.hrtime", "AbortSignal.timeout"]);
const ESCAPES = new Set(["process.binding", "process.getBuiltinModule", "process.dlopen", "process._linkedBinding", "module.constructor"]);
const MARKUP = new Set([
  "innerHTML",
  "outerHTML",
  "dangerouslySetInnerHTML",
  "insertAdjacentHTML",
  "createContextualFragment",
  "setHTMLUnsafe",
]);
const ERRORS = /^(?:Aggregate|Range|Reference|Syntax|Type|URI|Eval)?Error$/;
const UNFINISHED = /\b(?:TODO|FIXME|XXX|HACK)\b/;
const TYPES_OFF = /@ts-(?:ignore|nocheck|expect-error)/;
/** A test may show that something does not compile, and says what. */
const EXPECTED_ERROR = /^\s*@ts-expect-error\s+\S+\s\S/;
const REASONED_DISABLE = /^\s*oxlint-disable\S*\s+[\w/, -]+?\s--\s+\S/;

/** `a.b` of a member expression over plain names, else null. */
function dotted(node: SyntaxNode): string | null {
  if (node.type !== "MemberExpression") return null;
  const object = nameOf(child(node, "object"));
  const property = nameOf(child(node, "property"));
  return object === null || property === null ? null : `${object}.${property}`;
}

/** Ways to run text as code, or to reach a module that no import names (SE-092). */
export function checkEscapes(file: SourceFile): readonly Finding[] {
  return scan(file, (node) => {
    if (node.type === "Identifier" && ["eval", "createRequire"].includes(String(node["name"])))
      return `uses ${String(node["name"])} (SE-092)`;
    if (node.type === "NewExpression" || node.type === "CallExpression") {
      if (nameOf(child(node, "callee")) === "Function") return "makes a function from text (SE-092)";
      if (nameOf(child(node, "callee")) === "require") return "uses require (SE-092)";
    }
    const name = dotted(node);
    return name !== null && ESCAPES.has(name) ? `uses ${name} (SE-092)` : null;
  });
}

/** Clocks and timers outside the one clock: whoever waits gets a `Clock` from its owner. */
export function checkTime(file: SourceFile): readonly Finding[] {
  if (CLOCK_FILES.some((path) => file.path.startsWith(path))) return [];
  return scan(file, (node, ancestors) => {
    if (node.type === "Identifier" && TIMERS.has(String(node["name"])) && ancestors.at(-1)?.["property"] !== node)
      return `uses ${String(node["name"])}`;
    if (node.type === "NewExpression" && nameOf(child(node, "callee")) === "Date" && children(node, "arguments").length === 0)
      return "reads the time with new Date()";
    const name = dotted(node);
    return name !== null && CLOCKS.has(name) ? `uses ${name}` : null;
  });
}

/** Text that becomes markup: the page uses text nodes only (SE-103). */
export function checkMarkup(file: SourceFile): readonly Finding[] {
  return scan(file, (node) => {
    const name = node.type === "Identifier" || node.type === "JSXIdentifier" ? String(node["name"]) : null;
    if (name !== null && MARKUP.has(name)) return `uses ${name} (SE-103)`;
    return dotted(node) === "document.write" ? "uses document.write (SE-103)" : null;
  });
}

/** Where the contract names another class: the splitter's limits are a RangeError (TR-056). */
const NAMED_BY_CONTRACT: ReadonlyMap<string, string> = new Map([["src/road/4-delivery/split.ts", "RangeError"]]);

/** Errors that are no RuntimeError: what is thrown has a code. */
export function checkErrors(file: SourceFile): readonly Finding[] {
  const named = NAMED_BY_CONTRACT.get(file.path);
  return scan(file, (node) => {
    if (node.type === "NewExpression" || node.type === "CallExpression") {
      const name = nameOf(child(node, "callee"));
      if (name !== null && name !== named && ERRORS.test(name)) return `makes a plain ${name}`;
    }
    return node.type === "ThrowStatement" ? thrownProblem(child(node, "argument"), named) : null;
  });
}

function thrownProblem(thrown: SyntaxNode | null, named: string | undefined): string | null {
  const name = thrown?.type === "NewExpression" ? nameOf(child(thrown, "callee")) : null;
  if (thrown?.type === "NewExpression" && name !== "RuntimeError" && name !== named) return "throws something else than a RuntimeError";
  return thrown !== null && /^(?:Literal|TemplateLiteral|ObjectExpression)$/.test(thrown.type) ? "throws a plain value" : null;
}

/** Marks of unfinished work, and lint rules switched off without a word why. */
export function checkComments(file: SourceFile): readonly Finding[] {
  return file.comments.flatMap(({ value }): readonly Finding[] => {
    if (UNFINISHED.test(value)) return [{ path: file.path, problem: `a comment marks unfinished work: ${value.trim().slice(0, 60)}` }];
    if (TYPES_OFF.test(value) && !(file.path.endsWith(".test.ts") && EXPECTED_ERROR.test(value))) {
      return [{ path: file.path, problem: "switches the type checker off" }];
    }
    if (!/(?:ox|es)lint-disable/.test(value) || REASONED_DISABLE.test(value)) return [];
    return [{ path: file.path, problem: "switches a lint rule off without `-- why`" }];
  });
}

function scan(file: SourceFile, problemOf: (node: SyntaxNode, ancestors: readonly SyntaxNode[]) => string | null): readonly Finding[] {
  const problems = new Set<string>();
  walk(file.program, (node, ancestors) => {
    const problem = problemOf(node, ancestors);
    if (problem !== null) problems.add(problem);
  });
  return [...problems].map((problem) => ({ path: file.path, problem }));
}
