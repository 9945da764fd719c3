import { posix } from "node:path";
import { child, children, isNode, literalOf, nameOf, walk } from "../../tools/syntax.ts";
import type { SourceFile, SyntaxNode } from "../../tools/syntax.ts";
import { CHILD_PROCESS, FOLDER_RULES, HOOK_LOADER, MINTS, ROOT_RULES } from "./rules.ts";
import type { FolderRule } from "./rules.ts";
import type { Finding } from "./tree.ts";

/** One import or re-export of a file. `specifier` is null when it is computed. */
export interface Import {
  readonly specifier: string | null;
  readonly typeOnly: boolean;
  readonly dynamic: boolean;
  readonly names: readonly string[];
}

/** Every import, re-export and `import()` of a file. */
export function importsOf(file: SourceFile): readonly Import[] {
  const found: Import[] = [];
  walk(file.program, (node) => {
    if (node.type === "ImportExpression") {
      found.push({ specifier: literalOf(child(node, "source")), typeOnly: false, dynamic: true, names: [] });
    } else if (node.type === "TSImportType") {
      const source = child(node, "source") ?? child(node, "argument");
      found.push({ specifier: literalOf(source), typeOnly: true, dynamic: false, names: [] });
    } else if (/^(?:Import|ExportNamed|ExportAll)Declaration$/.test(node.type) && isNode(node["source"])) {
      const typeOnly = node["importKind"] === "type" || node["exportKind"] === "type";
      found.push({ specifier: literalOf(node["source"]), typeOnly, dynamic: false, names: importedNames(node) });
    }
  });
  return found;
}

function importedNames(node: SyntaxNode): readonly string[] {
  return children(node, "specifiers").flatMap((specifier) => nameOf(child(specifier, "imported") ?? child(specifier, "local")) ?? []);
}

/** The folder rule of a path below `src/`, and the key it stands under. */
export function ruleOf(inner: string): { readonly key: string; readonly rule: FolderRule } | null {
  const root = ROOT_RULES[inner];
  if (root !== undefined) return { key: inner, rule: root };
  const keys = Object.keys(FOLDER_RULES).filter((key) => inner.startsWith(`${key}/`));
  const key = keys.toSorted((a, b) => b.length - a.length)[0];
  const rule = key === undefined ? undefined : FOLDER_RULES[key];
  return key === undefined || rule === undefined ? null : { key, rule };
}

/** What a file imports against the rules. Nothing is checked in `testing/`, which may import everything. */
export function checkImports(file: SourceFile): readonly Finding[] {
  const inner = file.path.slice("src/".length);
  if (inner.startsWith("testing/")) return [];
  const found = ruleOf(inner);
  if (found === null) return [{ path: file.path, problem: "no import rule covers this file (test/architecture/rules.ts)" }];
  return importsOf(file)
    .flatMap((one) => [problemOf(inner, found, one), mintProblem(inner, one)])
    .filter((problem) => problem !== null)
    .map((problem) => ({ path: file.path, problem }));
}

function problemOf(inner: string, found: { readonly key: string; readonly rule: FolderRule }, one: Import): string | null {
  const { key, rule } = found;
  if (one.specifier === null && inner === HOOK_LOADER) return null;
  if (one.specifier === null) return "a computed import() hides what is loaded (SE-092)";
  if (one.specifier.startsWith("node:")) {
    const builtin = one.specifier.slice("node:".length);
    if (builtin === "child_process" && inner.startsWith(CHILD_PROCESS)) return null;
    return rule.builtins.includes(builtin) ? null : `${key} may not import ${one.specifier}`;
  }
  if (!one.specifier.startsWith(".")) {
    const name = one.specifier.split("/", one.specifier.startsWith("@") ? 2 : 1).join("/");
    return rule.packages.includes(name) ? null : `${key} may not import the package ${name}`;
  }
  const target = posix.join(posix.dirname(inner), one.specifier);
  if (target.startsWith("..")) return `${one.specifier} leaves src/`;
  return ownOrAllowed(inner, found, target, one.typeOnly);
}

function ownOrAllowed(
  inner: string,
  found: { readonly key: string; readonly rule: FolderRule },
  target: string,
  typeOnly: boolean,
): string | null {
  const { key, rule } = found;
  const targetRule = ruleOf(target);
  if (targetRule?.key === key && ROOT_RULES[inner] === undefined) return roadProblem(inner, target);
  const allowed = rule.ours.some((entry) => {
    if (entry === "*") return true;
    const needsType = entry.startsWith("types:");
    const scope = needsType ? entry.slice("types:".length) : entry;
    return (!needsType || typeOnly) && (target === scope || target.startsWith(`${scope}/`));
  });
  // A folder's door sees the folders below it.
  const opensOwn = target.startsWith(`${key}/`) && targetRule?.key !== "console/ui";
  if (allowed || opensOwn) return null;
  return `${key} may not import ${target}${typeOnly ? "" : " (as a value)"}`;
}

/** The stages of the road see earlier stages and the road's own types; only its door sees them all. */
function roadProblem(inner: string, target: string): string | null {
  const from = /^road\/(\d)-/.exec(inner)?.[1];
  const to = /^road\/(\d)-/.exec(target)?.[1];
  if (from === undefined) return null;
  if (to !== undefined) return to <= from ? null : `${inner.split("/")[1]} may not import the later stage ${target}`;
  return target === "road/road.ts" ? "a stage may not import the road's door" : null;
}

function mintProblem(inner: string, one: Import): string | null {
  const foreign = one.names.find((name) => MINTS[name] !== undefined && !inner.startsWith(`${MINTS[name]}/`));
  return foreign === undefined ? null : `${foreign} may be imported by ${MINTS[foreign]}/ alone (TR-002)`;
}
