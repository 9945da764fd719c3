/** What an installation takes: `node bench/install.ts`. Packed and installed without scripts and development dependencies; needs the registry. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { install, installedSize, pack } from "../tools/installed-package.ts";
import { report } from "./statistics.ts";

const folder = mkdtempSync(join(tmpdir(), "troupe-bench-"));
try {
  const { packages, megabytes } = installedSize(install(pack(folder), folder));
  report({ install_mb: megabytes, install_packages: packages });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
