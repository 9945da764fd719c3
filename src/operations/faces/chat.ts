import type { ForgetRequest } from "./forget-line.ts";

/** What a chat command may know of the line it stands on. */
export interface ChatCommandContext extends ForgetRequest {
  /** The character it was said to. */
  readonly character: string;
}

/** One command people type in chat: a word behind a slash, answered with the runtime's own words and no model. */
export interface ChatCommandEntry {
  readonly name: string;
  readonly summary: string;
  answer(context: ChatCommandContext): string | Promise<string>;
}

/** The commands of chat by name (TR-009): a face that holds no logic beside finding them. */
export interface ChatFace {
  has(name: string): boolean;
  /** The answer's words; null for an unknown name. */
  answer(name: string, context: ChatCommandContext): Promise<string> | null;
}

/** What the commands tell of: read anew at each use. */
export interface ChatFacts {
  /** `AI character · run by NAME · …` (TR-091). */
  disclosure(): string;
  /** Who else reads what a model is sent; null when no model is configured. */
  modelHost(): string | null;
  /** A person's own request to be forgotten (TR-043). */
  forget(asked: ForgetRequest): Promise<string>;
}

/** Make the face with the commands that everyone may use about the character and the place (TR-091). */
export function createChatFace(facts: ChatFacts): ChatFace {
  const entries: readonly ChatCommandEntry[] = [
    { name: "about", summary: "what this character is, and who runs it", answer: () => facts.disclosure() },
    { name: "privacy", summary: "what is kept of what you say", answer: (context) => privacyText(context, facts.modelHost()) },
    { name: "forget", summary: "erase what you said here", answer: (context) => facts.forget(context) },
    { name: "help", summary: "this list", answer: () => entries.map(({ name, summary }) => `${name}: ${summary}`).join("\n") },
  ];
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  return {
    has: (name) => byName.has(name),
    answer(name, context) {
      const entry = byName.get(name);
      return entry === undefined ? null : Promise.resolve(entry.answer(context));
    },
  };
}

function privacyText({ direct }: ChatCommandContext, host: string | null): string {
  const kept = "Lines are kept on the computer that runs this, and whoever runs it can read them.";
  const readers = direct ? "Nobody else here is shown this line of yours." : "Everyone here reads what is said here.";
  const model =
    host === null ? "No model is set up: nothing leaves that computer." : `What an answer needs is sent to the model at ${host}.`;
  return `${readers} ${kept} ${model}`;
}
