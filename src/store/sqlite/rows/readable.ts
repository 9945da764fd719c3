import { RuntimeError } from "../../../foundation/errors.ts";
import type { Row } from "./columns.ts";

/** What a row says, as a list of one; an empty list when it cannot be read. */
export function readable<T>(read: (row: Row) => T): (row: Row) => readonly T[] {
  return (row) => {
    try {
      return [read(row)];
    } catch (error) {
      if (error instanceof RuntimeError) return [];
      throw error;
    }
  };
}
