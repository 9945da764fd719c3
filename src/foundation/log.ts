import type { Clock } from "./clock.ts";
import { codeOf } from "./errors.ts";
import type { Printable } from "./printable.ts";
import { printable } from "./printable.ts";
import type { Redactor } from "./redact.ts";

/** How much a line matters, least first. */
export type LogLevel = "debug" | "info" | "warn" | "error";
const ORDER: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };

/** What a log line may carry: ids, codes, counts. Foreign text only as {@link Printable}; errors only as their code. */
export type LogFields = Readonly<Record<string, Printable | number | boolean | null>>;

/** JSON lines with ids and codes, never message text (TR-003). `event` is a fixed word of the code, not built from data. */
export interface Log {
  write(level: LogLevel, event: string, fields?: LogFields): void;
  /** Log a failure by its code; message and cause stay out unless it is the runtime's own fixed text. */
  failure(event: string, error: unknown, fields?: LogFields): void;
}

/** Make a log that writes whole lines of at least `level` through `sink`, redacted by value. */
export function createLog(options: { clock: Clock; level: LogLevel; redactor: Redactor; sink: (line: string) => void }): Log {
  const write = (level: LogLevel, event: string, fields: LogFields = {}): void => {
    if (ORDER[level] < ORDER[options.level]) return;
    const line = JSON.stringify({ at: new Date(options.clock.nowMs()).toISOString(), level, event, ...fields });
    options.sink(`${options.redactor.clean(line)}\n`);
  };
  return {
    write,
    failure: (event, error, fields = {}) => write("error", event, { ...fields, code: printable(codeOf(error)) }),
  };
}

/** A log that keeps nothing. */
export const silentLog: Log = { write: () => {}, failure: () => {} };
