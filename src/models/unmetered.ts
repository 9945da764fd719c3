import type { CallMeter } from "../vocabulary/call-meter.ts";

/** Counts nothing: for calls that nobody's budget pays, such as a trial that the owner asked for. */
export const UNMETERED: CallMeter = { reserve: () => Promise.resolve({ settle() {} }) };
