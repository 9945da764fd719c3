import type { ClosedBy } from "../state/stage-state.ts";

/** What a closed door says: what is so, and what one can do. */
export interface ClosedWords {
  readonly title: string;
  readonly lead: string;
  readonly cure: string;
}

const ASK = "Ask whoever sent it for a new one.";

const WORDS: Readonly<Record<ClosedBy, (name: string) => ClosedWords>> = {
  invited_only: (name) =>
    name === ""
      ? {
          title: "By invitation",
          lead: "This room opens with a link that whoever runs it sends.",
          cure: "If you have one, open it in this browser. If not, ask for one.",
        }
      : {
          title: "You are not in any more",
          lead: `You were here as ${name}. A place that nobody used for a day is given up.`,
          cure: "To come back, ask for a new link.",
        },
  used: () => ({
    title: "This link was used",
    lead: "A link lets one browser in, once. If that was you, go back to the browser in which you opened it first.",
    cure: "If it was not you, tell whoever sent it: they can end it and send you a new one.",
  }),
  expired: () => ({ title: "This invitation is over", lead: "Its time had run out when it was opened.", cure: ASK }),
  revoked: () => ({ title: "This invitation was taken back", lead: "It opens nothing any more.", cure: ASK }),
  unknown: () => ({
    title: "This link opens nothing here",
    lead: "Part of it may be missing, it may be for another room, or it is long over.",
    cure: "Copy the whole link and open it again, or ask for a new one.",
  }),
  stay_revoked: (name) => ({
    title: "Your invitation was taken back",
    lead: `You were here as ${name}. Nothing that is said here reaches this browser any more, and nothing leaves it.`,
    cure: "If that was a mistake, ask for a new link.",
  }),
  stay_expired: (name) => ({
    title: "Your time here is over",
    lead: `You were here as ${name}, for as long as your invitation said.`,
    cure: "To come back, ask for a new link.",
  }),
};

/** Put a closed door into words. `name` is who was in, "" for a newcomer. */
export function closedWords(why: ClosedBy, name: string): ClosedWords {
  return WORDS[why](name);
}
