import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "../../testing/manual-clock.ts";
import { ToolBench } from "../../testing/tool-bench.ts";
import { parseAsk } from "../../vocabulary/calls/ask.ts";
import type { Verdict } from "../../vocabulary/calls/gateway.ts";
import type { TextLabel } from "../../vocabulary/calls/text-label.ts";
import { joinLabels, labelText } from "../../vocabulary/calls/text-label.ts";

const KNOWN = "a".repeat(64);
const CHANGED = "b".repeat(64);

test("SE-080 an import's words are somebody else's until an operator endorsed exactly its bytes, and again when that is taken back, also where they stand already", async (context) => {
  const made = new ToolBench(new ManualClock());
  context.after(() => made.store[Symbol.dispose]());
  const { labels } = made.gateway;
  const of = (sha256: string): TextLabel => joinLabels(made.label([], ["anyone"]), labels.ofImport(sha256));
  // Labelled before anybody endorsed it, and kept as text meanwhile.
  const kept = labels.read(labelText(of(KNOWN)));
  const note = async (label: TextLabel): Promise<Verdict> =>
    (await made.judge({ ...made.batch([{ name: "note" }]), label }))[0] ?? assert.fail();
  assert.equal((await note(kept)).kind, "ask");
  made.endorsed.add(KNOWN);
  assert.equal((await note(kept)).kind, "allow");
  const asked = await note(joinLabels(kept, of(CHANGED)));
  assert.ok(asked.kind === "ask");
  const card = parseAsk(asked.question.call);
  assert.deepEqual(card?.foreign, [`import:${CHANGED}`], "changed bytes are another import");
  assert.deepEqual(
    card?.influence.filter((one) => one.startsWith("import:")),
    [`import:${KNOWN}`, `import:${CHANGED}`],
    "the card still names both",
  );
  made.endorsed.clear();
  assert.equal((await note(kept)).kind, "ask");
});
