import type { Store } from "../../store/store.ts";

/** Calls of one answer as the store is asked to hold their bounds. */
export type JudgeRow = Parameters<Store["calls"]["judge"]>[0];
/** The bounds among them. */
export type JudgeBounds = "asksPerTurn" | "foreignAsksPerHour" | "bitsPerTurn";
/** One of them. */
export type JudgedCall = JudgeRow["calls"][number];
/** What one came to. */
export type JudgedResult = Awaited<ReturnType<Store["calls"]["judge"]>>[number];
/** An amount of a budget with its limit. */
export type LimitedCharge = JudgedCall["charges"][number];
/** An answer that counts on. */
export type KeptAnswer = ReturnType<Store["read"]["calls"]["keptAnswers"]>[number];
