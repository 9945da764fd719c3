import { child, children, isNode, lineAt, nameOf, walk } from "../../tools/syntax.ts";
import type { SourceFile, SyntaxNode } from "../../tools/syntax.ts";
import { isFunction } from "./shapes.ts";
import type { Finding } from "./tree.ts";

/** Calls that wait for something that may never come. Whoever makes one must be able to stop. */
const WAITING_CALLS = new Set(["sleep", "acquire", "orAbort", "withDeadline"]);
/** Waits only under its own name: a handler's `app.fetch(request)` gets its signal with the request. */
const WAITING_FUNCTIONS = new Set(["fetch"]);
/** Waits only where it is awaited: the word is also used for taking something at once. */
const AWAITED_CALLS = new Set(["take"]);
/** Methods by which an owner ends or joins its own thing; they end by what they own. */
const ENDINGS = /\.(?:close|idle|\[Symbol\.asyncDispose\])$/;

/**
 * W1  No `signal` is optional or has a default: a caller who has none must not compile.
 * W2  A call that waits stands where a signal is in reach: a parameter of a function around it, or a field of its class.
 */
export function checkSignals(file: SourceFile): readonly Finding[] {
  const findings: Finding[] = [];
  walk(file.program, (node, ancestors) => {
    const problem = optionalSignal(node, ancestors.at(-1)) ?? blindWait(file, node, ancestors);
    if (problem !== null) findings.push({ path: file.path, problem: `line ${lineAt(file.text, node.start)}: ${problem}` });
  });
  return findings;
}

function optionalSignal(node: SyntaxNode, parent: SyntaxNode | undefined): string | null {
  const isSignal = (name: string | null): boolean => name === "signal";
  if (node.type === "Identifier" && isSignal(nameOf(node)) && node["optional"] === true) return "takes an optional signal";
  if (node.type === "TSPropertySignature" && node["optional"] === true && isSignal(nameOf(child(node, "key"))))
    return "asks for an optional signal";
  const defaulted = node.type === "AssignmentPattern" && isSignal(nameOf(child(node, "left")));
  return defaulted && parent !== undefined && (isFunction(parent) || parent.type === "Property") ? "gives its signal a default" : null;
}

/** Calls in a file that wait, for the count of what the check saw. */
export function isWaitingCall(node: SyntaxNode, parent: SyntaxNode | undefined): boolean {
  if (node.type !== "CallExpression") return false;
  const callee = child(node, "callee");
  const name = callee?.type === "MemberExpression" ? nameOf(child(callee, "property")) : nameOf(callee);
  if (name === null) return false;
  if (callee?.type === "Identifier" && WAITING_FUNCTIONS.has(name)) return true;
  return WAITING_CALLS.has(name) || (AWAITED_CALLS.has(name) && parent?.type === "AwaitExpression");
}

function blindWait(file: SourceFile, node: SyntaxNode, ancestors: readonly SyntaxNode[]): string | null {
  if (!isWaitingCall(node, ancestors.at(-1))) return null;
  const reach = ancestors.some((outer) => (isFunction(outer) && hasSignalParameter(file, outer)) || holdsSignal(file, outer));
  return reach ? null : `waits (${file.text.slice(node.start, node.start + 40).split("\n")[0]}) without a signal in reach`;
}

/** Directly, or as a member of an options type that stands in the same file. */
function hasSignalParameter(file: SourceFile, node: SyntaxNode): boolean {
  return children(node, "params").some(({ start, end }) => {
    const text = file.text.slice(start, end);
    const type = /:\s*([A-Z]\w*)$/.exec(text)?.[1];
    return (
      /signal|: Request$/i.test(text) ||
      (type !== undefined && new RegExp(`interface ${type}\\b[^}]*\\bsignal: AbortSignal`).test(file.text))
    );
  });
}

/** A class that keeps a signal, a controller or a task group of its own. */
function holdsSignal(file: SourceFile, node: SyntaxNode): boolean {
  if (node.type !== "ClassBody") return false;
  return children(node, "body").some(
    (member) => member.type === "PropertyDefinition" && /signal|AbortController|TaskGroup/i.test(file.text.slice(member.start, member.end)),
  );
}

/** A function or method that others call and that resolves later. */
export interface Promising {
  readonly path: string;
  /** `function`, or `Type.method`. */
  readonly name: string;
  readonly takesSignal: boolean;
}

/** Exported functions, and members of exported interfaces and classes, that return a promise. */
export function promisingOf(file: SourceFile): readonly Promising[] {
  const found: Promising[] = [];
  const note = (name: string, node: SyntaxNode): void => {
    if (!returnsPromise(file, node)) return;
    found.push({ path: file.path, name, takesSignal: hasSignalParameter(file, node) });
  };
  for (const statement of children(file.program, "body")) {
    const declared = statement.type === "ExportNamedDeclaration" ? child(statement, "declaration") : null;
    if (declared === null) continue;
    const name = nameOf(child(declared, "id")) ?? "";
    if (declared.type === "FunctionDeclaration") note(name, declared);
    for (const { member, node } of membersOf(declared)) note(`${name}.${member}`, node);
  }
  return found;
}

function membersOf(declared: SyntaxNode): readonly { readonly member: string; readonly node: SyntaxNode }[] {
  const body = child(declared, "body");
  if (body === null || !/^(?:TSInterface|Class)Declaration$/.test(declared.type)) return [];
  return children(body, "body").flatMap((member) => {
    const key = child(member, "key");
    const name = member["computed"] === true ? "[Symbol.asyncDispose]" : nameOf(key);
    if (name === null || key?.type === "PrivateIdentifier") return [];
    if (member.type === "TSMethodSignature") return [{ member: name, node: member }];
    if (member.type === "MethodDefinition" && isNode(member["value"])) return [{ member: name, node: member["value"] }];
    const typed = child(child(member, "typeAnnotation") ?? member, "typeAnnotation");
    return typed?.type === "TSFunctionType" ? [{ member: name, node: typed }] : [];
  });
}

function returnsPromise(file: SourceFile, node: SyntaxNode): boolean {
  const annotation = child(node, "returnType");
  return (
    node["async"] === true ||
    (annotation !== null && /^:?\s*(?:=>\s*)?Promise(?:Like)?</.test(file.text.slice(annotation.start, annotation.end)))
  );
}

/** Whether an entry of the list covers it: `path name`, `path Type.*`, or `folder/*`. */
export function isCovered({ path, name }: Promising, entry: string): boolean {
  if (entry.endsWith("/*")) return path.startsWith(entry.slice(0, -1));
  return entry === `${path} ${name}` || entry === `${path} ${name.split(".")[0]}.*`;
}

/**
 * W3  Whoever returns a promise takes a signal (or a request, which carries one), unless the list says why it ends by itself.
 */
export function checkPromises(file: SourceFile, endsByItself: readonly string[]): readonly Finding[] {
  return promisingOf(file)
    .filter(({ takesSignal, name }) => !takesSignal && !ENDINGS.test(name))
    .filter((one) => !endsByItself.some((entry) => isCovered(one, entry)))
    .map(({ path, name }) => ({ path, problem: `${name} returns a promise and takes no signal` }));
}
