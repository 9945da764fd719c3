import type { Clock } from "../../foundation/clock.ts";
import type { MessageId } from "../../vocabulary/ids.ts";
import type { Assurance, PrincipalId } from "../../vocabulary/principal.ts";
import { assuranceReaches } from "../../vocabulary/principal.ts";

/** How long a request waits for its confirmation (SE-081). */
export const CONFIRM_WITHIN_MS: number = 5 * 60_000;
/** Requests that wait at the same time; the oldest gives way and has to be made again. */
const MAX_WAITING = 4_096;

/** A `/forget` that somebody typed, and what stands behind it. */
export interface ForgetRequest {
  readonly person: PrincipalId;
  /** The line itself. */
  readonly request: MessageId;
  readonly direct: boolean;
  readonly assurance: Assurance;
  /** What stands behind the command. */
  readonly rest: string;
}

/** What can be erased, and who does it. */
export interface OwnWords {
  /** Own lines, and answers they shaped. */
  keptOf(person: PrincipalId): Promise<{ readonly lines: number; readonly answers: number }>;
  forget(row: { readonly person: PrincipalId; readonly atMs: number; readonly request: MessageId }): Promise<{
    readonly counts: { readonly lines: number; readonly answers: number };
    readonly bytesGone: boolean;
  }>;
}

const ELSEWHERE =
  "What pages here and platforms already showed, what a model host kept, and backups made before cannot be reached from here.";

/**
 * A person's own `/forget` (TR-043): asks once, then erases on `/forget yes` from the same person within five minutes. Only in a
 * direct line, and only ever for the words of whoever says it; a line whose sender nobody vouches for is not enough (SE-081),
 * except in the room, where the membership's secret does.
 */
export function createForgetLine(needs: { readonly words: OwnWords; readonly clock: Clock }): (asked: ForgetRequest) => Promise<string> {
  const { words, clock } = needs;
  /** Until when each person may confirm. */
  const waiting = new Map<PrincipalId, number>();
  return async ({ person, request, direct, assurance, rest }) => {
    if (!direct) return "Say /forget to me in private: it is about your words alone.";
    if (!vouchedFor(person, assurance)) return "Nobody vouches here that it is you who asks. Whoever runs this can do it for you.";
    const nowMs = clock.nowMs();
    const until = waiting.get(person) ?? 0;
    waiting.delete(person);
    if (rest.trim().toLowerCase() === "yes" && nowMs <= until) {
      const { counts, bytesGone } = await words.forget({ person, atMs: nowMs, request });
      const late = bytesGone ? "" : " The disk is too full to rebuild the files now; that follows at the next start.";
      return `Forgotten: ${amount(counts)}.${late} ${ELSEWHERE}`;
    }
    waiting.set(person, nowMs + CONFIRM_WITHIN_MS);
    const [oldest] = waiting.keys();
    if (waiting.size > MAX_WAITING && oldest !== undefined) waiting.delete(oldest);
    return `This erases ${amount(await words.keptOf(person))}, and your name here. ${ELSEWHERE} Say /forget yes within 5 minutes to do it.`;
  };
}

function vouchedFor(person: PrincipalId, assurance: Assurance): boolean {
  return person.startsWith("room:") || assuranceReaches(assurance, "platform");
}

function amount({ lines, answers }: { readonly lines: number; readonly answers: number }): string {
  return `${lines} of your lines and ${answers} answers that they shaped`;
}
