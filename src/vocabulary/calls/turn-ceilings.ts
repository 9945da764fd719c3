/** What makes a turn of tools run: a person on a chat surface, a schedule, or the owner in a session of the terminal or the console. */
export type TurnStarter = "surface" | "schedule" | "terminal" | "console";

/** Bounds of a turn that may call tools. Null: nothing of the runtime bounds it. */
export interface TurnCeilings {
  /** Messages one request carries; null where the host's window bounds it. */
  readonly requestMessages: number | null;
  /** Calls one answer may ask for. */
  readonly requestCalls: number;
  /** Requests of the whole turn; null where it goes on as long as its person says so. */
  readonly requests: number | null;
  /** Calls of the whole turn, or between two questions whether to go on. */
  readonly calls: number;
  /** Requests after which the person is asked whether to go on; null where nobody is there to be asked. */
  readonly askAfterRequests: number | null;
  /** Milliseconds of running for the whole turn; waiting for a person does not count. Null for a turn that somebody watches. */
  readonly deadlineMs: number | null;
}

/** Nobody may be watching: everything is bounded, and reaching a bound ends the turn (MC-071, MC-079, TR-053). */
const UNWATCHED: TurnCeilings = {
  requestMessages: 256,
  requestCalls: 64,
  requests: 32,
  calls: 256,
  askAfterRequests: null,
  deadlineMs: 600_000,
};

/** Somebody is watching, and is asked. */
const WATCHED: TurnCeilings = {
  requestMessages: null,
  requestCalls: 64,
  requests: null,
  calls: 256,
  askAfterRequests: 100,
  deadlineMs: null,
};

/** The ceilings of a turn by what made it run (TR-057). They are hard: configuration may lower them, nothing raises them. */
export const TURN_CEILINGS: Readonly<Record<TurnStarter, TurnCeilings>> = {
  surface: UNWATCHED,
  schedule: UNWATCHED,
  terminal: WATCHED,
  console: WATCHED,
};

/** How far configuration lets a turn go; never further than {@link TURN_CEILINGS}. */
export type TurnBounds = Readonly<Record<"requests" | "calls" | "askAfterRequests", number>>;

/** The ceilings of a turn under what configuration says (MC-079). */
export function ceilingsOf(starter: TurnStarter, bounds: TurnBounds): TurnCeilings {
  const hard = TURN_CEILINGS[starter];
  const lower = (most: number | null, wish: number): number | null => (most === null ? null : Math.min(most, wish));
  return {
    ...hard,
    requests: lower(hard.requests, bounds.requests),
    calls: Math.min(hard.calls, bounds.calls),
    askAfterRequests: lower(hard.askAfterRequests, bounds.askAfterRequests),
  };
}

/**
 * The newest entries of a history that one request may carry, in their order: at most `most`, and a call with its result both or
 * neither. `pairOf` names the pair an entry is of; null for one that stands alone. The history itself is never shortened.
 */
export function newestWhole<Entry>(entries: readonly Entry[], most: number, pairOf: (entry: Entry) => string | null): readonly Entry[] {
  let from = Math.max(0, entries.length - most);
  const calls = new Map<string, number>();
  for (const [at, entry] of entries.entries()) {
    const pair = pairOf(entry);
    if (pair === null) continue;
    const call = calls.get(pair);
    if (call === undefined) calls.set(pair, at);
    // A result whose call lies before the cut goes with it; so do all before it, which may part another pair.
    else if (call < from && at >= from) from = at + 1;
  }
  return entries.slice(from);
}
