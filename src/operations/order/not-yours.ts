/** What whoever may not, and whoever asks for what is not there, is told: one answer for both (SE-094). */
export const NOT_YOURS = "There is nothing here that you can do that to.";
