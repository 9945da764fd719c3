/** A command that its owner typed in public, as far as the rule looks at it. */
export interface PublicCommand {
  readonly surface: "discord" | "grid" | "room" | "terminal";
  /** `list` and `config` change who is answered and how; everything else is `other`. */
  readonly group: "list" | "config" | "other";
  readonly byOwner: boolean;
  /** Whether the answer tells what not everyone in the place may know. */
  readonly sensitive: boolean;
}

/** What happens with it: the fixed denial, or a run whose answer goes to the place or to the owner's own line, and nowhere else. */
export type PublicCommandRule = { readonly kind: "denied" } | { readonly kind: "run"; readonly answerTo: "place" | "direct" };

/**
 * Tell what an owner's own command does in public (TR-021): on a grid and in a room nothing, always; on Discord the list and
 * configuration commands of the owner alone. A sensitive answer goes to the direct line and never falls back to the place.
 * The rule gives no authority: the conversation's origin stays public, and no model is asked.
 */
export function publicCommandRule(command: PublicCommand): PublicCommandRule {
  if (command.surface !== "discord" || !command.byOwner || command.group === "other") return { kind: "denied" };
  return { kind: "run", answerTo: command.sensitive ? "direct" : "place" };
}
