import type { ScriptedAnswer, ScriptedRequest } from "../../src/testing/scripted-model.ts";

/** What the owner says, one line after the other, each once nothing runs any more. */
export const OWNER_LINES: readonly string[] = ["paint the door red", "and the shutters", "thank you"];
/** What the owner says no to; everything else is allowed. */
export const DENIED = "right shutter";

type Call = readonly [tool: "look" | "paint", what: string];

/** What the model answers to each line, one answer after the other: calls of one answer are one batch. */
const ANSWERS: Readonly<Record<string, readonly (readonly Call[] | string)[]>> = {
  "paint the door red": [
    [
      ["look", "at the door"],
      ["paint", "door"],
      ["look", "at the paint"],
    ],
    "The door is red.",
  ],
  "and the shutters": [
    [
      ["paint", "left shutter"],
      ["paint", DENIED],
    ],
    [
      ["look", "at the sill"],
      ["paint", "sill"],
    ],
    "The shutters are done.",
  ],
  "thank you": ["You are welcome."],
};

/** Everything that the model ever says to a line. */
export const LAST_WORDS: readonly string[] = Object.values(ANSWERS).flatMap((answers) =>
  answers.filter((answer): answer is string => typeof answer === "string"),
);

/** Every call that the model asks for, in order. */
export const CALLS: readonly Call[] = Object.values(ANSWERS).flatMap((answers) =>
  answers.flatMap((answer) => (typeof answer === "string" ? [] : answer)),
);

interface Message {
  readonly role: string;
  readonly content: string | null;
}

/** The messages of a request, without what frames them. */
export function messagesIn({ body }: Pick<ScriptedRequest, "body">): readonly Message[] {
  const { messages } = JSON.parse(body.toString()) as { messages: readonly Message[] };
  return messages;
}

/** Says the same to the same history: a model whose process does not die. */
export function answerTo(request: ScriptedRequest): ScriptedAnswer {
  const messages = messagesIn(request);
  const lastLine = messages.findLastIndex(({ role, content }) => role === "user" && content?.startsWith("[") === false);
  const said = messages.slice(lastLine).filter(({ role }) => role === "assistant").length;
  const answer = ANSWERS[messages[lastLine]?.content ?? ""]?.[said] ?? "There is nothing more to do.";
  if (typeof answer === "string") return { text: answer };
  return { text: "I will.", calls: answer.map(([name, what]) => ({ name, arguments: { what } })) };
}
