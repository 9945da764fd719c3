import type { Clock } from "../foundation/clock.ts";
import { isRuntimeError } from "../foundation/errors.ts";
import type { Model } from "../vocabulary/model.ts";
import type { TurnId } from "../vocabulary/ids.ts";

/** What speaks for the characters now, without names of hosts. */
export type VoiceState =
  | { readonly kind: "understudy" }
  | { readonly kind: "model" }
  | { readonly kind: "offline"; readonly sinceMs: number };

/** Remembers whether the model's host answers, for the head of a page. It changes nothing about a call. */
export interface Watch {
  /** The same model, watched. */
  over(model: Model): Model;
  state(): VoiceState;
  /** Milliseconds to the first token of the last answer; null before the first. */
  firstTokenMs(): number | null;
  subscribe(listener: () => void): Disposable;
}

const AWAY = ["model_unreachable", "model_status", "model_rejected", "deadline"] as const;

/** Watch the calls of the model that speaks. It is away from a call that no host of it can answer to the next one that one does. */
export function createWatch(speaks: Pick<Model, "understudy">, clock: Clock): Watch {
  const listeners = new Set<{ readonly hear: () => void }>();
  let awaySinceMs: number | null = null;
  let firstTokenMs: number | null = null;
  const note = (sinceMs: number | null): void => {
    const changed = (sinceMs === null) !== (awaySinceMs === null);
    awaySinceMs = sinceMs === null ? null : (awaySinceMs ?? sinceMs);
    if (changed) for (const { hear } of listeners) hear();
  };
  return {
    over: (model) => ({
      ...model,
      async generate(request, signal) {
        try {
          const answer = await model.generate(request, signal);
          if (answer.kind === "answer") firstTokenMs = answer.firstTokenMs;
          note(null);
          return answer;
        } catch (error) {
          if (AWAY.some((code) => isRuntimeError(error, code))) note(clock.nowMs());
          throw error;
        }
      },
    }),
    state: () => (awaySinceMs !== null ? { kind: "offline", sinceMs: awaySinceMs } : { kind: speaks.understudy ? "understudy" : "model" }),
    firstTokenMs: () => firstTokenMs,
    subscribe(listener) {
      const entry = { hear: listener };
      listeners.add(entry);
      return { [Symbol.dispose]: () => void listeners.delete(entry) };
    },
  };
}

/** Whether the understudy spoke a turn's line, by the name that stands in the turn's record; null when that is not known. */
export function byUnderstudy(spokenBy: (turn: TurnId) => string | null, turn: TurnId): boolean | null {
  const by = spokenBy(turn);
  return by === null ? null : by === "understudy";
}
