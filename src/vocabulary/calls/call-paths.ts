import type { RuleSubject } from "./guardrail-rule.ts";

/** Arguments that hold paths, where a tool does not say its own. */
const PATH_ARGUMENTS = ["path", "paths", "file", "files", "folder"];

/**
 * Every path that a call works on, absolute and without `.` and `..`; null stands for one that nobody can tell. Only what the tool
 * gives as real paths is free of links.
 */
export function placesOf({
  arguments: args,
  folder,
  paths,
}: Pick<RuleSubject, "arguments" | "folder" | "paths">): readonly (string | null)[] {
  const fields = typeof args === "object" && args !== null ? new Map<string, unknown>(Object.entries(args)) : new Map<string, unknown>();
  const named = PATH_ARGUMENTS.flatMap((name) => [fields.get(name)].flat());
  const written = named.filter((one) => typeof one === "string");
  return [...(folder === null ? [] : [folder]), ...paths, ...written].map((one) => absolute(one, folder));
}

function absolute(path: string, folder: string | null): string | null {
  if (path.startsWith("/")) return plain(path);
  // Which home a tilde means is the shell's to say.
  return folder === null || path.startsWith("~") ? null : plain(`${folder}/${path}`);
}

function plain(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}
