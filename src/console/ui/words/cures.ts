/** What would have led elsewhere, by the reason a message was suppressed; `%` stands for the configuration key that decided. */
export const CURES: Readonly<Record<string, string>> = {
  ambient: "It would be answered with a character’s name in it, soon after an answer to the same person, or on a private line.",
  untrusted: "It would be answered if the person were on the trust list, or if % were wider.",
  budget: "It would be answered in the next window, or with a higher %.",
  overflow: "It would be answered once what the person said before is answered.",
  oversized: "It would be answered with less text at once.",
  silent_space: "It would be answered if % were another mode than silent.",
  loop: "A line by a person starts the talk again.",
  stale: "It was too old when it was heard; said again, it would be answered.",
  stopped: "Nothing is answered until an operator resumes the characters.",
  blocked: "The person is on the block list.",
  duplicate: "The first copy of this delivery was taken.",
};
