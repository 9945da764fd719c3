import { z } from "zod";
import type { Declared, Operation } from "../operation.ts";
import { declare } from "../operation.ts";
import type { OwnAnswer } from "./own-operation.ts";
import { ANYBODY, ownAnswer, renderOwn, saidIn } from "./own-operation.ts";
import { ownTexts } from "./own-texts.ts";

/** `/help`: the commands that anybody may say. */
export const help: Declared<Record<string, never>, OwnAnswer> = declare<Record<string, never>, OwnAnswer>({
  name: "help",
  summary: "what you can say here beside talk",
  arguments: z.strictObject({}),
  positional: [],
  who: ANYBODY,
  result: ownAnswer,
  render: renderOwn,
});

/** Bind it. The commands stand behind other words, so that no line of an answer looks like a command to another program (SE-095). */
export function bindHelp(): Operation {
  return help.bind((_, context) => {
    const { help: list } = ownTexts(saidIn(context).language);
    return Promise.resolve({ words: Object.values(list).map((entry) => `· ${entry}`) });
  });
}
