import assert from "node:assert/strict";
import { test } from "node:test";
import { CEILINGS } from "./limits.ts";

/** The contract's numbers. A ceiling changes here only because the contract did. */
const CONTRACT: Readonly<Record<string, number>> = {
  concurrentTurns: 64,
  senders: 4_096,
  queuedPerLane: 64,
  fragments: 8,
  fragmentBytes: 4_096,
  ingress: 8_192,
  gridEvents: 8_192,
  controls: 256,
  observations: 8_192,
  offlineWork: 1_024,
  messageBytes: 64 * 1024,
  bodyBytes: 8 * 1024 * 1024,
  configBytes: 64 * 1024,
  operators: 1_024,
  packetLines: 256,
  modelRequests: 256,
  publicReplyBytes: 2_000,
  directReplyBytes: 6_000,
  modelDeadlineMs: 600_000,
  attempts: 2,
  tools: 64,
  approvals: 4_096,
  grants: 1_024,
  duplicates: 4_096,
};

test("MC-040 MC-081 MC-082 MC-083 MC-086 MC-087 MC-088 MC-089 TR-050 TR-054 the hard ceilings are the contract's", () => {
  // The contract says nothing of these: they are ours.
  assert.deepEqual(CEILINGS, { ...CONTRACT, endorsements: 1_024 });
});
