import { RuntimeError } from "../foundation/errors.ts";
import type { CharacterId } from "../vocabulary/ids.ts";
import { rawMarkersIn } from "./packet/markers.ts";

/** A character as configuration gives it. */
export interface CharacterDefinition {
  readonly id: CharacterId;
  /** As people see it; one line. */
  readonly name: string;
  /** Words that address it. */
  readonly aliases: readonly string[];
  /** What everyone may know of it. */
  readonly description: string;
  /** What only the character knows. Fiction: visitors can talk it out of the character (SE-088). */
  readonly private: string;
  /** How it greets someone it meets; "" when it waits to be spoken to. */
  readonly greeting: string;
}

/**
 * Check that no text of a character holds the names of raw state, which no prompt may show (AE-036, AE-037). Call it when
 * configuration is read, so that a card fails at the start and not in a conversation.
 * @throws RuntimeError `config_invalid` naming the field.
 */
export function checkDefinition(definition: CharacterDefinition): void {
  for (const field of ["name", "description", "private", "greeting"] as const) {
    const found = rawMarkersIn(definition[field]);
    if (found.length === 0) continue;
    throw new RuntimeError("config_invalid", `Cannot use a character: its ${field} holds "${found.join('", "')}", a name of raw state`);
  }
}
