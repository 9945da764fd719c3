import type { SurfaceName } from "../vocabulary/ids.ts";

/** Bytes of what one surface keeps of its connection, at most. */
export const MAX_SURFACE_STATE_BYTES: number = 65_536;

/** Where the stream of a platform stands, as its surface wrote it: JSON of ids and numbers, without anybody's words or names. */
export interface SurfaceStateRow {
  readonly surface: SurfaceName;
  readonly state: string;
  readonly atMs: number;
}

/** What the store keeps of connections. */
export interface SurfaceVerbs {
  /** Keep where a surface's stream stands, in place of what was kept before. @throws RuntimeError `invalid_argument` when it is over {@link MAX_SURFACE_STATE_BYTES}. */
  keepSurfaceState(row: SurfaceStateRow): Promise<void>;
}

/** What can be read of connections. */
export interface SurfaceReads {
  /** What a surface kept last; null when it never did, or the database is a restored one (SE-099). */
  surfaceState(surface: SurfaceName): string | null;
}
