import { FOLDER_RULES, ROOT_RULES } from "./rules.ts";

/** The rules as the table that `src/README.md` shows. */
export function tableOf(): string {
  const rows = Object.entries({ ...ROOT_RULES, ...FOLDER_RULES }).map(([key, { ours, packages, builtins }]) => {
    const cells = [`\`${key}\``, ours.map(wordsOf).join(", "), packages.map(code).join(", "), builtins.map(code).join(", ")];
    return `| ${cells.map((cell) => (cell === "" ? "none" : cell)).join(" | ")} |`;
  });
  return ["| file or folder | of ours | packages | of Node |", "| --- | --- | --- | --- |", ...rows].join("\n");
}

function wordsOf(entry: string): string {
  if (entry === "*") return "everything";
  return entry.startsWith("types:") ? `types of ${code(entry.slice("types:".length))}` : code(entry);
}

function code(word: string): string {
  return `\`${word}\``;
}
