import assert from "node:assert/strict";
import { test } from "node:test";
import { PARLOUR } from "../../testing/road-fixtures.ts";
import type { Heard } from "../../vocabulary/inbound.ts";
import { parseMessageId } from "../../vocabulary/ids.ts";
import { SeenDeliveries } from "./seen-deliveries.ts";

const id = parseMessageId("m-0001");

test("MC-020 remembers deliveries up to its capacity, oldest out first", () => {
  const seen = new SeenDeliveries(4);
  const durable = Promise.resolve<Heard>({ kind: "admitted", id });
  for (const delivery of ["a", "b", "c"]) seen.remember(PARLOUR, delivery, { id, durable }, "free");
  assert.equal(seen.size, 2);
  assert.equal(seen.find(PARLOUR, "a"), undefined);
  assert.equal(seen.find(PARLOUR, "c")?.id, id);
});

test("TR-042 forgets a delivery whose commit failed, so that it can come again", async () => {
  const seen = new SeenDeliveries(2);
  const failed = Promise.reject<Heard>(new Error("disk"));
  seen.remember(PARLOUR, "a", { id, durable: failed }, "free");
  assert.notEqual(seen.find(PARLOUR, "a"), undefined);
  await assert.rejects(failed);
  assert.equal(seen.find(PARLOUR, "a"), undefined);
});

test("SE-090 a flood of free identities pushes out only theirs", () => {
  const seen = new SeenDeliveries(8);
  const durable = Promise.resolve<Heard>({ kind: "admitted", id });
  seen.remember(PARLOUR, "named", { id, durable }, "named");
  for (let at = 0; at < 100; at += 1) seen.remember(PARLOUR, `free-${at}`, { id, durable }, "free");
  assert.equal(seen.find(PARLOUR, "named")?.id, id);
  assert.equal(seen.size, 5);
});
