import { readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";

/** Files and folders of an installation that no tool simply touches. Null or empty where there is none. */
export interface ProtectedLayout {
  /** The database with its journals, captures, process logs, the install key. */
  readonly stateDirectory: string;
  /** Files that hold keys, and captures and installed bundles that lie elsewhere. */
  readonly sealed: readonly string[];
  /** The configuration, the folder of hooks, the launcher. */
  readonly guarded: readonly string[];
}

/** Links that are followed one after another, as many as a file system does. */
const MAX_LINKS = 40;

/** Nobody may, a person is asked, or nothing here says otherwise. */
export type Protection = "deny" | "ask" | "open";

/**
 * How a path is protected, for every tool alike (TR-045): what holds state or secrets is denied, what changes how the program
 * behaves is asked for. Looks at where the path really leads, so no link is a way around. With `reach` of `below`, for what acts on
 * a whole folder, the strictest word on anything in it counts.
 */
export function protectionOf(path: string, layout: ProtectedLayout, reach: "itself" | "below" = "itself"): Protection {
  const real = realPathOf(path);
  const meets = (one: string): boolean => {
    const protectedPath = realPathOf(one);
    return isWithin(real, protectedPath) || (reach === "below" && isWithin(protectedPath, real));
  };
  if ([layout.stateDirectory, ...layout.sealed].some(meets)) return "deny";
  return layout.guarded.some(meets) ? "ask" : "open";
}

/** Where a path leads once every link is followed; what does not exist yet keeps its name below the folder that does. */
function realPathOf(path: string, linksLeft: number = MAX_LINKS): string {
  const whole = resolve(path);
  try {
    return realpathSync(whole);
  } catch {
    const folder = dirname(whole);
    if (folder === whole) return whole;
    const target = linkTargetOf(whole);
    // A link to what does not exist yet: whoever writes through it makes that.
    if (target !== null && linksLeft > 0) return realPathOf(resolve(folder, target), linksLeft - 1);
    return join(realPathOf(folder, linksLeft), basename(whole));
  }
}

function linkTargetOf(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null; // No link, or nothing at all.
  }
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}
