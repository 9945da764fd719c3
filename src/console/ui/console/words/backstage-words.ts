import type { QuestionView } from "../../../../operations/approvals.ts";
import type { SessionView } from "../../../../operations/sessions.ts";
import type { TurnView } from "../../../../operations/turns.ts";
import { realmWords, shortId } from "./person-words.ts";
import type { Known } from "./places.ts";
import { characterName } from "./places.ts";

/** The owner's own id. */
const OWNER = "local:owner";

/** What a session is called: its character, and where there are others on whose line. */
export function sessionTitle({ character, person }: Pick<SessionView, "character" | "person">, known: Known | null): string {
  const name = characterName(character, known);
  return person === OWNER ? name : `${name}, with ${shortId(person)}`;
}

/** Whose line a session is of: `your own line`, `line of discord:207…1118, an account on Discord`. */
export function lineWords({ person }: Pick<SessionView, "person">): string {
  return person === OWNER ? "your own line" : `line of ${shortId(person)}, ${realmWords(person)}`;
}

/** What an agent is at: `waits for its model`, `runs note_write`. */
export function doingWords({ doing, tool }: Pick<TurnView, "doing" | "tool">): string {
  switch (doing) {
    case "begins":
      return "begins";
    case "thinking":
      return "waits for its model";
    case "judging":
      return "has a call judged";
    case "calling":
      return `runs ${tool ?? "a tool"}`;
    case "waiting":
      return tool === null ? "asks whether to go on" : `asks about ${tool}`;
  }
}

/** What became of a call, as the margin says it. */
export function statusWords(status: string): string {
  switch (status) {
    case "ok":
      return "done";
    case "error":
      return "failed";
    case "denied":
      return "denied";
    case "stopped":
      return "stopped";
    case "interrupted":
      return "not run";
    case "unknown":
      return "cut off: whether it took effect is not known";
    case "waiting":
      return "waits for an answer";
    default:
      return status;
  }
}

/** A name of whoever shaped a text: an own account, a tool, an import. */
export function whoseWords(whose: string): string {
  if (whose.startsWith("tool:")) return `the tool ${whose.slice("tool:".length)}`;
  if (whose.startsWith("import:")) return "a file that somebody made";
  return shortId(whose);
}

/** What a question is about, in a list. */
export function questionTitle({ number, tool }: Pick<QuestionView, "number" | "tool">): string {
  return tool === null ? `Question ${number}` : `Question ${number}: ${tool}`;
}
