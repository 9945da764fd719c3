import { existsSync } from "node:fs";
import { posix } from "node:path";
import type { Finding } from "./tree.ts";

/** A Markdown file of the repository. */
export interface Document {
  readonly path: string;
  readonly text: string;
}

/** Words that have no place in the repository: machine paths, hosts of one workplace, and who or what wrote the code. */
const FOREIGN: readonly RegExp[] = [
  /(?:^|[\s`"'(=])\/(?:root|work|tmp\/team)\//m,
  /\b[A-Z]:\\Users\\/,
  /\b(?:artifactory|verdaccio|nexus|npm-proxy)\b/i,
  /\b(?:localhost|127\.0\.0\.1):4873\b/,
  /\b(?:claude|chatgpt|copilot|gemini|cursor\.(?:ai|sh))\b/i,
  /\b(?:written|generated|built|made) (?:by|with) (?:an? )?(?:AI|LLM|language model|assistant)\b/i,
  /\bas an AI\b/,
  /\.\.\/shared\b/,
];

/** Somebody's home folder; tests that nothing leaks have made-up ones. */
const HOMES = /(?:^|[\s`"'(=])\/(?:home|Users)\/\w/m;

/** Words of other workplaces in any text file. */
export function checkForeignWords({ path, text }: Document): readonly Finding[] {
  return [...FOREIGN, ...(path.endsWith(".test.ts") ? [] : [HOMES])].flatMap((pattern) => {
    const found = pattern.exec(text)?.[0];
    return found === undefined ? [] : [{ path, problem: `holds "${found.trim()}"` }];
  });
}

/** Links to files that are not there, or to headings that their file does not have. */
export function checkLinks({ path, text }: Document, read: (path: string) => string | null): readonly Finding[] {
  return linksOf(text).flatMap((link) => {
    if (/^(?:https?:|mailto:)/.test(link)) return [];
    const [file = "", heading] = link.split("#");
    const target = file === "" ? path : posix.join(posix.dirname(path), file);
    if (!existsSync(target)) return [{ path, problem: `links to ${link}, which is not there` }];
    const slugs = heading === undefined ? null : slugsOf(read(target) ?? "");
    return slugs === null || slugs.includes(String(heading)) ? [] : [{ path, problem: `links to ${link}, which has no such heading` }];
  });
}

/** Targets of all links outside code. */
export function linksOf(text: string): readonly string[] {
  const prose = text.replaceAll(/```[^]*?```/g, "").replaceAll(/`[^`\n]*`/g, "");
  return [...prose.matchAll(/\]\(([^()\s]+)\)/g)].map(([, target]) => target ?? "");
}

function slugsOf(text: string): readonly string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

/** What the document tells people to type: `npm run X`, `node path`, in code blocks and in code words. */
export function checkCommands({ path, text }: Document, scripts: ReadonlySet<string>): readonly Finding[] {
  return commandsOf(text).flatMap((command): readonly Finding[] => {
    const script = /^npm run (?:--silent )?(\S+)|^npm (test|start)\b/.exec(command);
    const name = script?.[1] ?? script?.[2];
    if (name !== undefined && !scripts.has(name)) return [{ path, problem: `says \`${command}\`, and there is no such script` }];
    const file = /^node (?:--\S+ )*((?:src|test|tools|bin)\/\S*)/.exec(command)?.[1];
    return file === undefined || existsSync(file) ? [] : [{ path, problem: `says \`${command}\`, and ${file} is not there` }];
  });
}

/** Commands in a document, one by one; `a && b` are two. */
export function commandsOf(text: string): readonly string[] {
  const blocks = [...text.matchAll(/```sh\n([^]*?)```/g)].flatMap(([, body = ""]) => body.split("\n"));
  const words = [...text.matchAll(/`((?:npm|node) [^`\n]+)`/g)].map(([, word = ""]) => word);
  return [...blocks, ...words]
    .flatMap((line) => line.split("&&"))
    .map((command) => command.trim())
    .filter((command) => command !== "");
}
