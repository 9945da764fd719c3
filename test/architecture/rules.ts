/**
 * Who may import whom, as data. `src/README.md` shows the same table and a test compares the two.
 *
 * `ours` names folders; `types:` in front allows only `import type`; a path with a file allows only that file. A folder may always
 * import itself. The longest key that a path lies under is its rule. Folders of later work have their line already.
 */
export interface FolderRule {
  readonly ours: readonly string[];
  /** Packages from npm; nothing else may be imported by name. */
  readonly packages: readonly string[];
  /** Node's own modules, without `node:`. */
  readonly builtins: readonly string[];
}

const BASE = ["foundation", "vocabulary"] as const;

export const FOLDER_RULES: Readonly<Record<string, FolderRule>> = {
  foundation: { ours: [], packages: [], builtins: ["crypto", "util"] },
  vocabulary: { ours: ["foundation"], packages: [], builtins: [] },
  config: { ours: BASE, packages: ["yaml", "zod"], builtins: ["fs", "fs/promises", "os", "path", "url"] },
  store: { ours: BASE, packages: [], builtins: ["crypto", "fs", "fs/promises", "path", "sqlite", "url", "worker_threads"] },
  models: { ours: [...BASE, "types:config"], packages: ["eventsource-parser", "zod"], builtins: ["crypto"] },
  web: {
    ours: [...BASE, "types:config"],
    packages: ["hono"],
    builtins: ["crypto", "events", "fs", "fs/promises", "http", "net", "path", "url"],
  },
  authority: { ours: [...BASE, "types:config", "types:store/store.ts"], packages: [], builtins: ["crypto"] },
  chronicle: { ours: [...BASE, "types:store/store.ts"], packages: [], builtins: ["crypto"] },
  characters: { ours: [...BASE, "types:config"], packages: ["zod"], builtins: ["crypto", "fs", "path", "url"] },
  responder: { ours: BASE, packages: [], builtins: [] },
  agents: { ours: [...BASE, "types:config", "types:store/store.ts"], packages: ["zod"], builtins: [] },
  "agents/hooks": { ours: BASE, packages: [], builtins: ["module", "worker_threads"] },
  operations: { ours: [...BASE, "config"], packages: ["zod"], builtins: ["fs/promises", "net", "path", "util"] },
  "operations/faces": {
    ours: [...BASE, "config", "operations", "types:web"],
    packages: ["commander", "hono", "qr", "zod"],
    builtins: ["crypto", "fs", "fs/promises", "net", "os", "path", "readline", "stream", "util"],
  },
  road: { ours: [...BASE, "types:store/store.ts", "types:surfaces/surface.ts"], packages: [], builtins: ["crypto"] },
  surfaces: { ours: [...BASE, "web"], packages: ["zod"], builtins: ["crypto"] },
  "surfaces/room": { ours: [...BASE, "web", "surfaces/surface.ts"], packages: ["hono", "zod"], builtins: ["crypto", "fs", "path", "url"] },
  "surfaces/terminal": { ours: [...BASE, "surfaces/surface.ts"], packages: ["zod"], builtins: ["net", "readline", "fs", "path"] },
  "surfaces/discord": {
    ours: [...BASE, "surfaces/surface.ts"],
    packages: ["@discordjs/core", "@discordjs/rest", "@discordjs/ws", "zod"],
    builtins: ["crypto", "http", "https"],
  },
  console: {
    ours: [...BASE, "web", "operations", "types:surfaces/room/protocol.ts"],
    packages: ["hono", "zod"],
    builtins: ["crypto", "fs", "path", "url"],
  },
  "console/ui": {
    ours: [
      "foundation/cancellation.ts",
      "foundation/clock.ts",
      "foundation/errors.ts",
      "foundation/task-group.ts",
      "vocabulary/money-text.ts",
      "types:foundation",
      "types:vocabulary",
      "types:console",
      "types:observe",
      "types:operations",
      "types:surfaces/room",
    ],
    packages: ["preact", "@preact/signals"],
    builtins: [],
  },
  wiring: { ours: ["*"], packages: [], builtins: ["fs", "module", "path", "url"] },
  observe: {
    ours: [...BASE, "types:store/store.ts", "operations/operation.ts", "operations/pause.ts"],
    packages: ["zod"],
    builtins: ["fs", "path"],
  },
};

/** Files outside the folders. Only `compose.ts`, with its steps in `wiring/`, may import every folder; only `main.ts` imports those. */
export const ROOT_RULES: Readonly<Record<string, FolderRule>> = {
  "compose.ts": { ours: ["*"], packages: [], builtins: ["fs", "path", "url", "util"] },
  "main.ts": {
    ours: ["foundation", "vocabulary", "operations", "wiring", "compose.ts", "testing"],
    packages: [],
    builtins: ["fs", "module", "os", "path", "process", "url", "util"],
  },
  "index.ts": { ours: ["*"], packages: [], builtins: [] },
};

/** Modules whose mints only one folder may import. */
export const MINTS: Readonly<Record<string, string>> = {
  mintVisible: "chronicle",
  mintOrigin: "authority",
  mintGuestGraph: "surfaces/room",
  mintLabel: "authority",
  mintAction: "authority",
  spendAction: "agents",
};

/** The one file that imports what is named while it runs: the operator's own hook, as bytes whose digest the configuration has (SE-092). */
export const HOOK_LOADER = "agents/hooks/hook-worker.ts";

/** Besides `testing/`, the one place of `src` that may start a process: `troupe demo` kills a child of its own. */
export const CHILD_PROCESS = "operations/demo";
