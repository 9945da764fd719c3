import assert from "node:assert/strict";
import { test } from "node:test";
import { Credentials, parseFragment } from "./credentials.ts";
import { createKeptText } from "./kept-text.ts";
import type { RawStorage } from "./kept-text.ts";

class MapStorage implements RawStorage {
  readonly map = new Map<string, string>();
  getItem(key: string): string | null {
    return this.map.get(key) ?? null;
  }
  setItem(key: string, value: string): void {
    this.map.set(key, value);
  }
  removeItem(key: string): void {
    this.map.delete(key);
  }
}

function keptIn(storage: MapStorage): ReturnType<typeof createKeptText> {
  return createKeptText(() => storage);
}

const ANN = { id: "m-1", name: "Ann", secret: "s-ann" };
const BEN = { id: "m-2", name: "Ben", secret: "s-ben" };

test("SE-087 a member's secret lies in localStorage and the tabs of one browser are one person", () => {
  const local = new MapStorage();
  const tab = new MapStorage();
  new Credentials(keptIn(local), keptIn(tab)).keepMember(ANN);
  assert.deepEqual([local.map.size, tab.map.size], [1, 0]);
  assert.equal(new Credentials(keptIn(local), keptIn(new MapStorage())).bearer(), "s-ann");
});

test("SE-087 a tab opened as new keeps a member of its own and leaves the other one alone", () => {
  const local = new MapStorage();
  const tab = new MapStorage();
  const fresh = new Credentials(keptIn(local), keptIn(tab));
  fresh.keepMember(ANN);
  fresh.beNew();
  assert.equal(fresh.bearer(), null);
  fresh.keepMember(BEN);
  assert.equal(new Credentials(keptIn(local), keptIn(tab)).bearer(), "s-ben");
  assert.equal(new Credentials(keptIn(local), keptIn(new MapStorage())).bearer(), "s-ann");
  fresh.forget("s-of-another-tab");
  assert.equal(fresh.bearer(), "s-ben", "what another tab has is not this one's to drop");
  fresh.forget("s-ben");
  assert.deepEqual([fresh.bearer(), new Credentials(keptIn(local), keptIn(new MapStorage())).name], [null, "Ann"]);
});

test("SE-086 an operator's token lies in sessionStorage only", () => {
  const local = new MapStorage();
  const tab = new MapStorage();
  const operator = new Credentials(keptIn(local), keptIn(tab));
  operator.keepToken("token");
  assert.deepEqual([operator.bearer(), local.map.size], ["token", 0]);
  operator.forget("token");
  assert.deepEqual([operator.bearer(), tab.map.size], [null, 0]);
});

test("a browser that refuses storage still has a page that works until it is closed", () => {
  const refusing = createKeptText(() => {
    throw new DOMException("denied", "SecurityError");
  });
  const here = new Credentials(refusing, refusing);
  here.keepMember(ANN);
  assert.equal(here.bearer(), "s-ann");
});

test("damaged storage is no membership", () => {
  const local = new MapStorage();
  local.map.set("troupe.member", "{oops");
  assert.equal(new Credentials(keptIn(local), keptIn(new MapStorage())).bearer(), null);
});

test("SE-086 a fragment is a code, a fresh person, or nothing", () => {
  assert.deepEqual(parseFragment("#code=abc"), { kind: "code", code: "abc" });
  assert.deepEqual(parseFragment("#invite=abc"), { kind: "invite", code: "abc" });
  assert.deepEqual(parseFragment("#invite="), { kind: "none" });
  assert.deepEqual(parseFragment("#as=new"), { kind: "as_new" });
  assert.deepEqual(parseFragment("#as=old"), { kind: "none" });
  assert.deepEqual(parseFragment("#code="), { kind: "none" });
  assert.deepEqual(parseFragment(""), { kind: "none" });
});
