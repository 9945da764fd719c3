import { child, children, lineAt, nameOf, walk } from "../../tools/syntax.ts";
import type { SourceFile, SyntaxNode } from "../../tools/syntax.ts";
import type { Finding } from "./tree.ts";

export const MAX_FILE_LINES = 400;
export const MAX_FUNCTION_LINES = 60;
export const MAX_COMPOSE_LINES = 150;
export const MAX_DOOR_NEEDS = 6;

const FUNCTIONS = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"]);

/** Whether a node is a function of any form. */
export function isFunction(node: SyntaxNode): boolean {
  return FUNCTIONS.has(node.type);
}

/** Files and functions over their bounds. */
export function checkSizes(file: SourceFile): readonly Finding[] {
  const findings: Finding[] = [];
  const lines = lineAt(file.text, file.text.trimEnd().length);
  const max = file.path === "src/compose.ts" ? MAX_COMPOSE_LINES : MAX_FILE_LINES;
  if (lines > max) findings.push({ path: file.path, problem: `has ${lines} lines, ${max} are allowed` });
  walk(file.program, (node) => {
    if (!isFunction(node)) return;
    const length = lineAt(file.text, node.end) - lineAt(file.text, node.start) + 1;
    if (length > MAX_FUNCTION_LINES)
      findings.push({ path: file.path, problem: `a function at line ${lineAt(file.text, node.start)} has ${length} lines` });
  });
  return findings;
}

/** A door: an exported `openX` function with what it needs. */
export interface Door {
  readonly path: string;
  readonly name: string;
  /** Members of the needs object; null when its type does not stand in the same file. */
  readonly needs: number | null;
  /** Parameters besides needs and signal: at most one, for what is configured and not needed. */
  readonly others: number;
}

/** The doors a file has. Nothing of the page or of the composition is one. */
export function doorsOf(file: SourceFile): readonly Door[] {
  if (/^src\/(?:console\/ui|wiring)\//.test(file.path)) return [];
  const types = new Map<string, number>();
  walk(file.program, (node) => {
    const name = nameOf(child(node, "id"));
    if (name !== null && node.type === "TSInterfaceDeclaration") types.set(name, children(child(node, "body") ?? node, "body").length);
    const literal = child(node, "typeAnnotation");
    if (name !== null && node.type === "TSTypeAliasDeclaration" && literal?.type === "TSTypeLiteral")
      types.set(name, children(literal, "members").length);
  });
  return children(file.program, "body").flatMap((node): readonly Door[] => {
    const declared = node.type === "ExportNamedDeclaration" ? child(node, "declaration") : null;
    const name = declared?.type === "FunctionDeclaration" ? nameOf(child(declared, "id")) : null;
    if (declared === null || name === null || !/^open[A-Z]/.test(name)) return [];
    const parameters = children(declared, "params");
    const others = parameters.slice(1).filter((parameter) => nameOf(parameter) !== "signal").length;
    return [{ path: file.path, name, needs: membersOf(parameters[0], types), others }];
  });
}

function membersOf(parameter: SyntaxNode | undefined, types: ReadonlyMap<string, number>): number | null {
  if (parameter === undefined) return 0;
  const annotation = child(child(parameter, "typeAnnotation") ?? parameter, "typeAnnotation");
  if (annotation?.type === "TSTypeLiteral") return children(annotation, "members").length;
  const name = annotation?.type === "TSTypeReference" ? nameOf(child(annotation, "typeName")) : null;
  return name === null ? null : (types.get(name) ?? null);
}

/** Doors that ask for too much, or whose needs a reader can't count. */
export function checkDoors(file: SourceFile): readonly Finding[] {
  return doorsOf(file).flatMap(({ path, name, needs, others }): readonly Finding[] => {
    if (needs === null) return [{ path, problem: `${name} takes needs whose type does not stand beside it` }];
    if (needs > MAX_DOOR_NEEDS) return [{ path, problem: `${name} needs ${needs} things, ${MAX_DOOR_NEEDS} are allowed` }];
    return others > 1 ? [{ path, problem: `${name} takes ${others} parameters besides needs and signal` }] : [];
  });
}

/** Exported names without a doc comment right before them, and exports that hide what they export. */
export function checkDocumented(file: SourceFile): readonly Finding[] {
  return children(file.program, "body").flatMap((node): readonly Finding[] => {
    if (node.type === "ExportAllDeclaration") return [{ path: file.path, problem: "exports * : name what is exported" }];
    if (node.type === "ExportDefaultDeclaration") return [{ path: file.path, problem: "has a default export" }];
    if (node.type !== "ExportNamedDeclaration") return [];
    const declared = child(node, "declaration");
    if (declared === null || isDocumented(file, node)) return [];
    return [{ path: file.path, problem: `${exportedName(declared)} has no doc comment` }];
  });
}

function isDocumented(file: SourceFile, node: SyntaxNode): boolean {
  // A line comment (a lint reason) may stand between the doc comment and the name.
  const before = file.comments.filter(({ end }) => end <= node.start && !/[^\s]/.test(stripComments(file, end, node.start)));
  return before.some(({ type, value }) => type === "Block" && /^\*\s*[^@\s]/.test(value));
}

function stripComments(file: SourceFile, from: number, to: number): string {
  let text = "";
  let at = from;
  for (const { start, end } of file.comments) {
    if (start < from || end > to) continue;
    text += file.text.slice(at, start);
    at = end;
  }
  return text + file.text.slice(at, to);
}

function exportedName(declared: SyntaxNode): string {
  return nameOf(child(declared, "id")) ?? nameOf(child(children(declared, "declarations")[0] ?? declared, "id")) ?? "an export";
}
