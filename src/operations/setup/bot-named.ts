import { RuntimeError } from "../../foundation/errors.ts";
import type { SurfaceName } from "../../vocabulary/ids.ts";

/** The bot that is meant: the one that is named, or the only one there is. @throws RuntimeError `not_found` where there is none, `usage` where it cannot be told. */
export function botNamed(named: string | undefined, bots: readonly SurfaceName[]): SurfaceName {
  const [only, ...others] = bots;
  if (only === undefined) throw new RuntimeError("not_found", "Cannot find a bot: none is configured");
  const found = named === undefined && others.length === 0 ? only : bots.find((name) => name === named);
  if (found === undefined) throw new RuntimeError("usage", `Cannot tell which bot: name one of ${bots.join(", ")}`);
  return found;
}
