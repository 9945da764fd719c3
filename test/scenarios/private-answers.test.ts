import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Part, ReadBack, SendOutcome } from "../../src/vocabulary/part.ts";
import type { ResponseMode } from "../../src/vocabulary/response-policy.ts";
import { MemorySurface, inFolder, openHarness, says } from "./road-harness.ts";

/** What happens to one post, and what the platform says of it afterwards. */
type Fate = readonly [string, (part: Part, signal: AbortSignal) => Promise<SendOutcome>, ReadBack["kind"]];

const NEVER_ENDS: Fate = [
  "never ends",
  (_part, signal) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error))),
  "absent",
];
const FATES: readonly Fate[] = [
  ["arrives", (part) => Promise.resolve({ kind: "delivered", platformId: part.id }), "present"],
  ["is refused", () => Promise.resolve({ kind: "failed", reason: "direct_refused" }), "absent"],
  ["is not known", () => Promise.resolve({ kind: "unknown", reason: "no_answer" }), "unreadable"],
  ["breaks", () => Promise.reject(new Error("the platform broke")), "absent"],
  NEVER_ENDS,
];

const MIXED = fc.array(
  fc.record({
    mode: fc.constantFrom<ResponseMode>("channel", "dm"),
    fate: fc.constantFrom(...FATES),
    /** The process ends here, and the next one finds the other policy. */
    ends: fc.boolean(),
    long: fc.boolean(),
  }),
  { minLength: 1, maxLength: 3 },
);

test("VS-021 TR-042 property: whatever becomes of its posts, whenever the process ends and whatever the policy says by then, each answer is posted only where it was to go", async () => {
  await fc.assert(
    fc.asyncProperty(MIXED, (lines) =>
      inFolder(async (folder) => {
        const surface = new MemorySurface();
        let mode: ResponseMode = "channel";
        const open = (): ReturnType<typeof openHarness> =>
          openHarness({
            folder,
            surface,
            policy: { answersBy: () => mode },
            voice: (turn) =>
              Promise.resolve(says(`to ${turn.trigger.text}${turn.trigger.text.includes("long") ? " on and on".repeat(140) : ""}`)),
          });
        const wanted = new Map<string, "public" | "direct">();
        let harness = await open();
        try {
          for (const [at, { mode: said, fate, ends, long }] of lines.entries()) {
            const [, outcome, found] = fate;
            mode = said;
            surface.outcome = outcome;
            surface.found = () => (found === "present" ? { kind: "present", platformId: "p" } : { kind: found });
            const text = `Mirelle, ${long ? "long " : ""}number ${at}`;
            const heard = await harness.hear({ text, deliveryId: `d-${at}` });
            wanted.set(heard.id, said === "dm" ? "direct" : "public");
            await harness.settle();
            if (!ends) continue;
            await harness[Symbol.asyncDispose]();
            mode = said === "dm" ? "channel" : "dm";
            harness = await open();
            await harness.settle();
          }
        } finally {
          await harness[Symbol.asyncDispose]();
        }
        assert.ok(surface.sent.length > 0);
        for (const part of surface.sent) assert.equal(part.place.kind, wanted.get(part.answers.message), part.body.slice(0, 40));
      }),
    ),
    { numRuns: 5, examples: [[[{ mode: "dm", fate: NEVER_ENDS, ends: true, long: true }]]] },
  );
});
