import type { Restored } from "../store.ts";
import type { StoreFailureCode } from "./file/failure.ts";
import type { VerbCall, VerbName, VerbResults } from "./verbs/verbs.ts";

/** What the writer's thread is started with. */
export interface WriterOptions {
  readonly path: string;
  /** Names this opening in the lease row. */
  readonly owner: string;
  readonly nowMs: number;
  readonly maxPageCount: number | null;
  /** Under which pseudonyms are made; without it forget lists of other copies stay unapplied. */
  readonly key?: Uint8Array | null;
  /** Take an older copy, without its authority (SE-099). */
  readonly restored?: boolean;
}

/** What the writer is sent. A batch is one commit. */
export type WriterRequest = { readonly kind: "batch"; readonly calls: readonly VerbCall[] } | { readonly kind: "close" };

/** What came of one verb. `fault` is its own: it changed nothing, and the rest of the batch stands. */
export type VerbOutcome =
  | { readonly kind: "done"; readonly result: VerbResults[VerbName] }
  | { readonly kind: "fault"; readonly code: "invalid_argument" | "internal"; readonly message: string };

/** What the writer sends: once `opened` or `refused`, then one answer for each request. */
export type WriterAnswer =
  | { readonly kind: "opened"; readonly generation: number; readonly tookOver: boolean; readonly restored: Restored | null }
  | { readonly kind: "refused"; readonly code: StoreFailureCode | "internal"; readonly message: string }
  /** `commitMs` is the time of the commit itself, with its sync to the disk. */
  | { readonly kind: "committed"; readonly outcomes: readonly VerbOutcome[]; readonly commitMs: number }
  /** Nothing of the batch was kept. */
  | { readonly kind: "failed"; readonly code: StoreFailureCode | "internal"; readonly message: string }
  | { readonly kind: "closed" };

/** How the store speaks to its writer: one question at a time. The product's is a thread of its own. */
export interface WriterLine {
  /** The first answer: whether the writer could open the database. */
  opening(): Promise<WriterAnswer>;
  /** Ask and wait. */
  ask(request: WriterRequest): Promise<WriterAnswer>;
  /** Wait until the writer is gone. */
  join(): Promise<void>;
}
