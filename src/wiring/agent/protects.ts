import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { GatewayTools } from "../../authority/authority.ts";
import type { Config } from "../../config/config.ts";
import { protectionOf } from "../../config/files/protected-state.ts";
import { OWN_ROOT } from "../../foundation/own-files.ts";

/** What starts the program, beside the build and beside the sources. */
const LAUNCHER = fileURLToPath(new URL("../bin/troupe.cjs", OWN_ROOT));

/** How paths are protected in this installation (TR-045): read anew for each call, since links and configuration change. */
export function protectsOf(config: () => Config): GatewayTools["protects"] {
  return (path, reach) => {
    const { stateDirectory, source, hooks } = config();
    const guarded = [...(source.path === null ? [] : [source.path]), ...hooks.map(({ file }) => dirname(file)), LAUNCHER];
    return protectionOf(path, { stateDirectory, sealed: source.secretFiles, guarded }, reach);
  };
}
