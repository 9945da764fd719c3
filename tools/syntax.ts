import { parseSync } from "vite";

/** Any node of a parsed file. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

export interface SyntaxComment {
  readonly type: "Line" | "Block";
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/** One source file, parsed. */
export interface SourceFile {
  /** From the repository's root, with forward slashes. */
  readonly path: string;
  readonly text: string;
  readonly program: SyntaxNode;
  readonly comments: readonly SyntaxComment[];
}

/** Parse TypeScript. A file that does not parse fails the check that wanted it. */
export function parseSource(path: string, text: string): SourceFile {
  const parsed = parseSync(path, text);
  if (parsed.errors.length > 0) throw new SyntaxError(`${path} does not parse: ${parsed.errors[0]?.message}`);
  return { path, text, program: parsed.program as unknown as SyntaxNode, comments: parsed.comments };
}

/** Whether a value is a node. */
export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";
}

/** A node's own child under `key`, if it is a node. */
export function child(node: SyntaxNode, key: string): SyntaxNode | null {
  const value = node[key];
  return isNode(value) ? value : null;
}

/** A node's own list under `key`. */
export function children(node: SyntaxNode, key: string): readonly SyntaxNode[] {
  const value = node[key];
  return Array.isArray(value) ? value.filter(isNode) : [];
}

/** The `name` of an identifier, the value of a string literal, or null. */
export function nameOf(node: SyntaxNode | null): string | null {
  if (node === null) return null;
  if (node.type === "Identifier" || node.type === "PrivateIdentifier") return String(node["name"]);
  return node.type === "Literal" && typeof node["value"] === "string" ? node["value"] : null;
}

/** The value of a string literal, or null. */
export function literalOf(node: SyntaxNode | null): string | null {
  return node?.type === "Literal" && typeof node["value"] === "string" ? node["value"] : null;
}

/** Visit every node, parents first, with its ancestors from the outermost in. */
export function walk(node: SyntaxNode, visit: (node: SyntaxNode, ancestors: readonly SyntaxNode[]) => void): void {
  const ancestors: SyntaxNode[] = [];
  const descend = (current: SyntaxNode): void => {
    visit(current, ancestors);
    ancestors.push(current);
    for (const value of Object.values(current)) {
      if (isNode(value)) descend(value);
      else if (Array.isArray(value)) for (const item of value) if (isNode(item)) descend(item);
    }
    ancestors.pop();
  };
  descend(node);
}

/** The line, from 1, of an offset. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let index = text.indexOf("\n"); index !== -1 && index < offset; index = text.indexOf("\n", index + 1)) line += 1;
  return line;
}
