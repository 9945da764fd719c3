import type { OriginFacts } from "../vocabulary/origin.ts";
import { LOCAL_OWNER } from "../vocabulary/principal.ts";

/** The person who may open the state folder: whoever reaches the socket or the command line is this one (SE-081, `local`). */
export const LOCAL_ACTOR: OriginFacts = Object.freeze({ principal: LOCAL_OWNER, role: "operator", assurance: "local", channel: "direct" });
