/** How a connection to where people are stands (MC-098). `degraded`: the transport is up and not everything is ready. */
export const LIFECYCLE_STATES = [
  "stopped",
  "connecting",
  "degraded",
  "online",
  "backoff",
  "authentication-blocked",
  "paused",
  "shutting-down",
] as const;
/** One of {@link LIFECYCLE_STATES}. */
export type LifecycleState = (typeof LIFECYCLE_STATES)[number];

/** The state of a surface, since when, and what happens next. Codes and times only: what a platform said stands nowhere in it (MC-090). */
export interface Lifecycle {
  readonly state: LifecycleState;
  readonly sinceMs: number;
  /** Why, as a code of ours (`closed_4009`, `password_refused`); "" when there is nothing to say. */
  readonly reason: string;
  /** When it tries again by itself; null when it does not. */
  readonly retryAtMs: number | null;
  /** Connections made since the process started. */
  readonly generation: number;
}
