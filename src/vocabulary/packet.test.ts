import assert from "node:assert/strict";
import { test } from "node:test";
import { isRuntimeError } from "../foundation/errors.ts";
import type { ChronicleEvent } from "./event.ts";
import { parseCharacterId, parseMessageId } from "./ids.ts";
import { PrivateSegment, privateSegment } from "./packet.ts";
import { publicPlace } from "./place.ts";
import { LOCAL_OWNER } from "./principal.ts";
import { parseSurfaceName } from "./ids.ts";

const card = { id: parseCharacterId("mirelle"), private: "The cellar has\na second door." };

test("SE-088 a private segment names its card and is one data line", () => {
  const segment = privateSegment(card);
  assert.equal(segment.kind, "private");
  assert.equal(segment.source, "card:mirelle");
  assert.equal(segment.text, '{"private":"The cellar has\\na second door."}\n');
  assert.ok(PrivateSegment.is(segment));
  assert.ok(!PrivateSegment.is({ kind: "scaffold", source: "runtime", text: segment.text }));
});

test("SE-088 TR-002 a private segment can't be made without its mint, nor by a subclass", () => {
  const forged = (error: unknown): boolean => isRuntimeError(error, "forged");
  assert.throws(() => new PrivateSegment(Symbol("card"), card, "text"), forged);
  class Look extends PrivateSegment {}
  assert.throws(() => new Look(Symbol("card"), card, "text"), forged);
});

test("SE-088 conversation, settings and people don't fit the only constructor of a private segment", () => {
  const place = publicPlace(parseSurfaceName("parlour"));
  const event: ChronicleEvent = {
    id: parseMessageId("m-0001"),
    place: place.id,
    seq: 1,
    atMs: 0,
    author: { kind: "person", principal: LOCAL_OWNER, name: "Ann" },
    text: "hello",
    action: "",
    state: "said",
    witnesses: [],
    audience: [],
    influence: [],
  };
  const setting = { key: "x", value: "y" };
  const person = { id: LOCAL_OWNER, name: "Ann" };
  // @ts-expect-error an event has no private text and no character's id
  assert.equal(privateSegment(event).text, "{}\n");
  // @ts-expect-error a setting has neither
  assert.equal(privateSegment(setting).text, "{}\n");
  // @ts-expect-error a person's id is no character's
  assert.equal(privateSegment(person).text, "{}\n");
});
