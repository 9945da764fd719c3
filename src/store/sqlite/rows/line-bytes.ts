/** What a kept line weighs beside its words: its fields, labels and indexes. Stands in the triggers of a released step: it never changes. */
export const LINE_BYTES = 256;
