/** What a question about a reply that waits for a yes is asked by, in place of a tool and its rule. */
export const HELD_TOOL = "say";
/** The rule that holds it back, as a code. */
export const HELD_RULE = "held";
