import { z } from "zod";
import type { Clock } from "../../foundation/clock.ts";
import type { MessageId } from "../../vocabulary/ids.ts";
import type { PrincipalId } from "../../vocabulary/principal.ts";
import type { Declared, Operation } from "../operation.ts";
import { declare } from "../operation.ts";
import type { OwnAnswer } from "./own-operation.ts";
import { ANYBODY, isVouchedFor, ownAnswer, renderOwn, saidIn } from "./own-operation.ts";
import { ownTexts } from "./own-texts.ts";

/** How long a request waits for its confirmation (SE-081). */
export const CONFIRM_WITHIN_MS: number = 5 * 60_000;
/** Requests that wait at the same time; the oldest gives way and has to be made again. */
const MAX_WAITING = 4_096;

/** What can be erased, and who does it. */
export interface OwnWords {
  /** Own lines, and answers they shaped. */
  keptOf(person: PrincipalId): Promise<{ readonly lines: number; readonly answers: number }>;
  forget(row: { readonly person: PrincipalId; readonly atMs: number; readonly request: MessageId }): Promise<{
    readonly counts: { readonly lines: number; readonly answers: number };
    readonly bytesGone: boolean;
  }>;
}

/** Arguments of `/forget`. */
export interface ForgetMeArguments {
  readonly confirm?: "yes" | undefined;
}

/** `/forget`: asks once on the person's own line, then erases that person's words and what they shaped (TR-043). */
export const forgetMe: Declared<ForgetMeArguments, OwnAnswer> = declare<ForgetMeArguments, OwnAnswer>({
  name: "forget",
  summary: "erase your words and your name here; it asks once",
  arguments: z.strictObject({ confirm: z.enum(["yes"]).optional().describe("yes, within five minutes of being asked") }),
  positional: ["confirm"],
  who: ANYBODY,
  result: ownAnswer,
  render: renderOwn,
});

/**
 * Bind it to whoever can erase. Only in a direct line, only for the words of whoever says it, and only where it is sure enough who
 * that is (SE-081).
 */
export function bindForgetMe(words: OwnWords, clock: Clock): Operation {
  /** Until when each person may confirm. */
  const waiting = new Map<PrincipalId, number>();
  return forgetMe.bind(async ({ confirm }, context) => {
    const { id: request, language } = saidIn(context);
    const { principal: person, channel } = context.actor;
    const texts = ownTexts(language);
    if (channel !== "direct") return { words: [texts.notHere] };
    if (!isVouchedFor(context)) return { words: [texts.notVouched] };
    const nowMs = clock.nowMs();
    const until = waiting.get(person) ?? 0;
    waiting.delete(person);
    if (confirm === "yes" && nowMs <= until) {
      const { counts, bytesGone } = await words.forget({ person, atMs: nowMs, request });
      return { words: [texts.done(counts.lines, counts.answers, bytesGone), texts.elsewhere] };
    }
    waiting.set(person, nowMs + CONFIRM_WITHIN_MS);
    const [oldest] = waiting.keys();
    if (waiting.size > MAX_WAITING && oldest !== undefined) waiting.delete(oldest);
    const { lines, answers } = await words.keptOf(person);
    return { words: [texts.asks(lines, answers), texts.elsewhere] };
  });
}
