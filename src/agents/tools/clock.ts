import { z } from "zod";
import type { Clock } from "../../foundation/clock.ts";
import { isRuntimeError } from "../../foundation/errors.ts";
import { parseZone, wallText } from "../schedule/zoned-time.ts";
import type { Tool } from "./tool.ts";
import { defineTool } from "./tool.ts";

/** What time it is, here or in any zone. */
export function clockTool(clock: Pick<Clock, "nowMs">): Tool {
  const zone = { type: "string", description: "An IANA time zone such as Europe/Zurich; UTC without it.", maxLength: 64 };
  return defineTool({
    name: "clock_now",
    description: "Tell the date, the weekday and the time.",
    parameters: { type: "object", properties: { zone }, additionalProperties: false },
    arguments: z.strictObject({ zone: z.string().max(64).optional() }),
    capability: "read",
    classes: { untrusted: false, sensitive: false, changes: "nothing" },
    verdict: "allow",
    scopes: [],
    run: (args) => {
      try {
        const known = parseZone(args.zone ?? "UTC");
        return Promise.resolve({ text: `${wallText(clock.nowMs(), known)} ${known}`, failed: false });
      } catch (error) {
        if (!isRuntimeError(error, "usage")) throw error;
        return Promise.resolve({ text: `Error: ${error.message}`, failed: true });
      }
    },
  });
}
