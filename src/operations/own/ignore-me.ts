import { z } from "zod";
import type { Clock } from "../../foundation/clock.ts";
import type { PrincipalId } from "../../vocabulary/principal.ts";
import type { Declared, Operation } from "../operation.ts";
import { declare } from "../operation.ts";
import type { OwnAnswer } from "./own-operation.ts";
import { ANYBODY, isVouchedFor, ownAnswer, renderOwn, saidIn } from "./own-operation.ts";
import { ownTexts } from "./own-texts.ts";

/** Where the wish not to be heard is kept. */
export interface OptOuts {
  optedOut(person: PrincipalId): boolean;
  setOptedOut(row: { readonly person: PrincipalId; readonly optedOut: boolean; readonly atMs: number }): Promise<void>;
}

/** Arguments of both: nobody can ask it of another. */
export interface MeArguments {
  readonly whom: "me";
}

function declareWish(name: "ignore" | "hear", summary: string): Declared<MeArguments, OwnAnswer> {
  return declare<MeArguments, OwnAnswer>({
    name,
    summary,
    arguments: z.strictObject({ whom: z.enum(["me"]).describe("me: nobody can ask it for somebody else") }),
    positional: ["whom"],
    who: ANYBODY,
    result: ownAnswer,
    render: renderOwn,
  });
}

/** `/ignore me`: from now on no character hears this person, anywhere (TR-091). */
export const ignoreMe: Declared<MeArguments, OwnAnswer> = declareWish("ignore", "be heard by no character any more");
/** `/hear me`: takes it back. */
export const hearMe: Declared<MeArguments, OwnAnswer> = declareWish("hear", "be heard again");

/** Bind both to where the wish is kept. */
export function bindIgnoreMe(outs: OptOuts, clock: Pick<Clock, "nowMs">): readonly Operation[] {
  return [
    ignoreMe.bind(async (_, context) => {
      const texts = ownTexts(saidIn(context).language);
      if (!isVouchedFor(context)) return { words: [texts.notVouched] };
      await outs.setOptedOut({ person: context.actor.principal, optedOut: true, atMs: clock.nowMs() });
      return { words: [texts.ignored] };
    }),
    hearMe.bind(async (_, context) => {
      const texts = ownTexts(saidIn(context).language);
      if (!isVouchedFor(context)) return { words: [texts.notVouched] };
      const person = context.actor.principal;
      if (!outs.optedOut(person)) return { words: [texts.heardAlready] };
      await outs.setOptedOut({ person, optedOut: false, atMs: clock.nowMs() });
      return { words: [texts.heard] };
    }),
  ];
}
