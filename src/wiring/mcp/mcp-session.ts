import { sha256Hex } from "../../foundation/ids.ts";
import type { SessionId } from "../../vocabulary/ids.ts";
import { parseSessionId } from "../../vocabulary/ids.ts";

/** Every call of a client is one session's, whatever it came over. */
export function sessionOfClient(name: string): SessionId {
  return parseSessionId(`s-mcp${sha256Hex(name).slice(0, 20)}`);
}
