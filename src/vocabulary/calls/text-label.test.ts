import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createLabelSource } from "../../authority/gateway/label-source.ts";
import { isRuntimeError } from "../../foundation/errors.ts";
import type { Gateway } from "./gateway.ts";
import type { Influence, Reader } from "../label.ts";
import { TextLabel, joinLabels, labelText, mintLabel } from "./text-label.ts";

const INFLUENCE: readonly Influence[] = [
  "local:owner" as Influence,
  "room:m-1" as Influence,
  "tool:clock",
  `import:${"a".repeat(64)}`,
  "character:mirelle" as Influence,
];
const READERS: readonly Reader[] = ["anyone", "operators", "person:local:owner" as Reader, "place:public:parlour" as Reader];
const labels = fc.record({ influence: fc.subarray([...INFLUENCE]), readers: fc.subarray([...READERS]) }).map((facts) => mintLabel(facts));
const mayReceive = (label: TextLabel, reader: Reader): boolean => {
  const { readers } = TextLabel.factsOf(label);
  return readers.includes("anyone") || readers.includes(reader);
};

test("SE-080 a join has everybody who shaped a part, and only readers who may have every part", () => {
  fc.assert(
    fc.property(labels, fc.array(labels, { maxLength: 5 }), (first, others) => {
      const joined = joinLabels(first, ...others);
      const all = [first, ...others];
      for (const atom of INFLUENCE)
        assert.equal(
          TextLabel.factsOf(joined).influence.includes(atom),
          all.some((one) => TextLabel.factsOf(one).influence.includes(atom)),
        );
      for (const reader of READERS)
        assert.equal(
          mayReceive(joined, reader),
          all.every((one) => mayReceive(one, reader)),
          reader,
        );
    }),
  );
});

test("SE-080 a join does not depend on order, adds nothing twice, and is kept as it is", () => {
  const source: Gateway["labels"] = createLabelSource();
  fc.assert(
    fc.property(labels, labels, (one, other) => {
      const joined = joinLabels(one, other);
      assert.equal(labelText(joinLabels(other, one)), labelText(joined));
      assert.equal(labelText(joinLabels(joined, one)), labelText(joined));
      assert.equal(labelText(source.read(labelText(joined))), labelText(joined));
    }),
  );
});

test("SE-080 a kept label that cannot be read is foreign and for nobody", () => {
  const source = createLabelSource();
  const sealed = labelText(mintLabel({ influence: ["unknown:origin"], readers: [] }));
  const damaged = [
    "",
    "null",
    "[]",
    "{}",
    `{"influence":[],"readers":"anyone"}`,
    `{"influence":["mirelle"],"readers":["anyone"]}`,
    `{"influence":[],"readers":["everybody"]}`,
    `{"influence":[],"readers":["anyone"],"more":1}`,
    `{"influence":[1],"readers":[]}`,
  ];
  for (const text of damaged) assert.equal(labelText(source.read(text)), sealed, text);
});

test("SE-080 nobody but the authority makes a label: a copy, a look-alike and a subclass are refused", () => {
  const label = mintLabel({ influence: ["unknown:origin"], readers: [] });
  const forged = (error: unknown): boolean => isRuntimeError(error, "forged");
  for (const value of [{ ...label }, Object.create(TextLabel.prototype), new Proxy(label, {})])
    assert.throws(() => joinLabels(mintLabel({ influence: [], readers: ["anyone"] }), value as TextLabel), forged);
  assert.throws(() => new TextLabel(Symbol("label"), { influence: [], readers: ["anyone"] }), forged);
  assert.throws(() => {
    (TextLabel.factsOf(label).influence as Influence[]).length = 0;
  }, TypeError);
});

test("SE-080 an import is labelled by its digest, whatever an operator says of it; tool output has what went in and the tool", () => {
  const digest = "b".repeat(64);
  const source = createLabelSource();
  assert.deepEqual(TextLabel.factsOf(source.ofImport(digest)).influence, [`import:${digest}`]);
  const into = mintLabel({ influence: ["room:m-1" as Influence], readers: ["person:local:owner" as Reader] });
  assert.deepEqual(TextLabel.factsOf(source.ofToolOutput("clock", into)), {
    influence: ["room:m-1", "tool:clock"],
    readers: ["person:local:owner"],
  });
});
