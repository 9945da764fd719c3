import type { InboxRow } from "../../store/store.ts";
import type { Timing } from "../../surfaces/surface.ts";
import type { SurfaceName } from "../../vocabulary/ids.ts";
import type { Fragments } from "./fragments.ts";

/** A message as the lanes gather it. */
interface Gathered {
  readonly row: InboxRow;
  readonly kept: boolean;
  readonly attempts: number;
}

/** For a surface that is gone: nothing is held, nothing joined. */
const APART: Timing = { quietMs: 0, holdMs: 0, fragments: 1 };

/**
 * Which lines of a lane are one thought (TR-014, TR-050). A lane is one person's in one place, so lines of two people, or a public
 * and a direct one, never meet here. Only lines of the same surface, role and assurance join, so that a joined turn stands under
 * exactly what each of its lines would have had. So do those with as many attempts behind them: a line that ends the process
 * takes no other with it. What waited in an earlier process has waited enough and is not held again.
 */
export function createGathering(timingOf: (surface: SurfaceName) => Timing | undefined): Fragments<Gathered> {
  return {
    timing({ row, kept }) {
      const timing = timingOf(row.place.surface) ?? APART;
      return kept ? { ...timing, quietMs: 0, holdMs: 0 } : timing;
    },
    mayJoin: (first, next) =>
      isLine(first.row) &&
      isLine(next.row) &&
      first.row.place.surface === next.row.place.surface &&
      first.row.role === next.row.role &&
      first.row.assurance === next.row.assurance &&
      first.kept === next.kept &&
      first.attempts === next.attempts,
    bytes: ({ row }) => Buffer.byteLength(row.trigger.text),
  };
}

/** A line somebody wrote just so; a turn that goes on from a question stands alone. */
function isLine(row: InboxRow): boolean {
  return row.kind === "message" && row.resumed === undefined;
}
