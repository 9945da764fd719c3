import type { TerminalSession } from "../vocabulary/terminal-session.ts";
import type { Operations } from "./operations.ts";

/** What the command line asks for when it starts the runtime. */
export interface StartRequest {
  /** The configuration file as it was named; null for the one that stands here, if any. */
  readonly config: string | null;
  /** The state folder as it was named; null for `TROUPE_STATE`, else `.troupe` beside the configuration. */
  readonly state: string | null;
  /** Take an older copy of the database, without its authority (SE-099). */
  readonly restored?: boolean;
  /** Log failures alone: a chat stands on the same terminal. */
  readonly quiet?: boolean;
}

/** What a start found and opened, for its first lines. */
export interface StartReport {
  /** `host/model`; null when the understudy stands in. */
  readonly model: string | null;
  /** What a trial of it showed: nothing yet, that it may speak, or that its host drops part of what it is sent and it never will. */
  readonly trial: "untried" | "fit" | "barred";
  /** Where spans go, without path and key; null for nowhere. */
  readonly traces: string | null;
  /** Who may trigger what, surface by surface. */
  readonly triggers: readonly { readonly surface: string; readonly who: string }[];
  /** Rooms that others reach, and who comes in. */
  readonly open: readonly { readonly surface: string; readonly url: string; readonly door: "open" | "invited" }[];
  readonly stateDirectory: string;
  /** Whether everything was halted before, and stands until it is taken up again. */
  readonly halted: boolean;
  /** The configuration's name for people. */
  readonly config: string;
  readonly recovered: {
    readonly partsFound: number;
    readonly messagesAgain: number;
    readonly expired: number;
    readonly interrupted: number;
  };
}

/** A running runtime as the command line sees it. Disposing it is the orderly shutdown. */
export interface Runtime extends AsyncDisposable {
  readonly operations: Operations;
  readonly addresses: {
    /** Where guests come in, and the port behind it. */
    readonly room: readonly { readonly name: string; readonly url: string; readonly port: number }[];
    readonly console: string;
  };
  /** Bring everything to a stand because the process was told so by a signal (TR-073). */
  halt(): void;
  /** A fresh one-time code for the console (SE-086). */
  issueConsoleCode(): string;
  readonly startReport: StartReport;
  /** Aborts with the failure once nothing can be kept any more: the process then has to end (TR-085). */
  readonly failed: AbortSignal;
  readonly terminal: { attach(session: TerminalSession, signal: AbortSignal): Promise<void> };
}

/** Operations on the store alone, when no process runs; disposing them gives the lease back. */
export interface OfflineOperations extends AsyncDisposable {
  readonly operations: Operations;
}

/** How the command line gets at the runtime; whatever stands behind these is loaded only when they are called. */
export interface RuntimeDoor {
  /** Where the socket lies when the state folder's path is too long for one. */
  readonly temporaryDirectory: string;
  /** Absolute path of the state folder, without reading the configuration. */
  stateDirectory(request: StartRequest): string;
  /** Start everything. @throws RuntimeError `config_*`, `state_*`, `port_in_use` */
  open(request: StartRequest, signal: AbortSignal): Promise<Runtime>;
  /** Open the store for commands that need nothing else. @throws RuntimeError `state_*` */
  openOffline(request: StartRequest, signal: AbortSignal): Promise<OfflineOperations>;
}
