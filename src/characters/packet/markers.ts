/** Names of raw internals that no prompt may hold (AE-036, AE-037). */
const RAW_MARKERS = [
  "current_activation",
  "plasticity",
  "canonical_state",
  "raw state variable",
  "raw numeric state",
  "dimension score",
  "coordinator_rationale",
  "author_only",
  "future_branch_plans",
] as const;

/**
 * Find the names of raw internals in a text, whatever their case. Meant for the runtime's own sentences and for cards. Never
 * for conversation: a check that a visitor's or a hidden text could set off would itself tell something.
 */
export function rawMarkersIn(text: string): readonly string[] {
  const lower = text.toLowerCase();
  return RAW_MARKERS.filter((marker) => lower.includes(marker));
}
