/**
 * The hard ceilings of the road (MC-048…MC-051, MC-070, MC-071, MC-081…MC-089). Configuration may lower what it can set and
 * is refused where it would raise one; only `testing/` and `bench/` entries compose with other numbers.
 */
export const CEILINGS = {
  /** Turns that think at the same time (MC-048). */
  concurrentTurns: 64,
  /** People with something waiting or running (MC-050). */
  senders: 4_096,
  /** Waiting messages of one person to one character in one place (MC-050). */
  queuedPerLane: 64,
  /** Lines of one person that become one turn (TR-050). */
  fragments: 8,
  /** Bytes of those lines together (TR-050). */
  fragmentBytes: 4_096,
  /** Messages admitted and not ended, in all (MC-051). */
  ingress: 8_192,
  /** Grid events waiting (MC-081). */
  gridEvents: 8_192,
  /** Control requests waiting (MC-082). */
  controls: 256,
  /** Observations waiting for a reader (MC-083). */
  observations: 8_192,
  /** Read-only work kept while a grid session is away (MC-086). */
  offlineWork: 1_024,
  /** Bytes of one inbound message (MC-087). */
  messageBytes: 65_536,
  /** Bytes of one HTTP body from a model or a platform (MC-087). */
  bodyBytes: 8_388_608,
  /** Bytes of the configuration file (MC-088). */
  configBytes: 65_536,
  /** Listed operators (MC-035). */
  operators: 1_024,
  /** Lines of conversation in one packet (MC-071). */
  packetLines: 256,
  /** Open model requests (MC-078). */
  modelRequests: 256,
  /** Bytes of a reply in public, before splitting (TR-054). */
  publicReplyBytes: 2_000,
  /** Bytes of a reply in a direct line, before splitting (TR-054). */
  directReplyBytes: 6_000,
  /** Milliseconds a model may take, at most (TR-053). */
  modelDeadlineMs: 600_000,
  /** Times an inbox row may be started (TR-042). */
  attempts: 2,
  /** Registered tools (MC-040). */
  tools: 64,
  /** Questions that wait for a person, and answers that are kept (MC-040). */
  approvals: 4_096,
  /** Words of operators that a schedule may act on (MC-040). */
  grants: 1_024,
  /** Imports that count as an operator's own words (MC-040). */
  endorsements: 1_024,
  /** Ids of inbound deliveries remembered in memory (TR-052). */
  duplicates: 4_096,
} as const;

/** Name of a hard ceiling. */
export type Ceiling = keyof typeof CEILINGS;
/** The ceilings in force: never above {@link CEILINGS}. */
export type Limits = Readonly<Record<Ceiling, number>>;
