import { z } from "zod";
import { AGENT_LINES } from "../config.ts";
import { key } from "./key.ts";
import type { RawConfig } from "./raw-config.ts";
import { now } from "./schema-parts.ts";

/** Where an operator's own line has an agent, and how far one turn of it goes: bounds of the code that can be lowered, never raised (MC-079). */
export const agent: z.ZodType<RawConfig["agent"]> & z.ZodObject = z.strictObject({
  lines: key(
    z.enum(AGENT_LINES).default("operators"),
    now(
      "Where an operator's own line has an agent with tools and a lasting session: on every surface (`operators`), at this computer alone (`local`: terminal and console), or nowhere (`off`).",
    ),
  ),
  requests_per_turn: key(
    z.int().min(1).max(32).default(32),
    now("Requests to the model that one turn of the agent may make where nobody watches it: on a chat surface, or by a schedule."),
  ),
  calls_per_turn: key(
    z.int().min(1).max(256).default(256),
    now("Calls of tools that one turn of the agent may make; at the terminal, between two questions whether to go on."),
  ),
  requests_until_asked: key(
    z.int().min(1).max(100).default(100),
    now("Requests to the model after which a turn at the terminal asks whether to go on."),
  ),
});
