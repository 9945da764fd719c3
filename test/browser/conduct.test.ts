import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { PHONE } from "./harness.ts";
import type { Playhouse } from "./visit.ts";
import { openPlayhouse } from "./visit.ts";

let house: Playhouse;
before(async () => {
  house = await openPlayhouse();
});
after(async () => {
  await house[Symbol.asyncDispose]();
});

const NETWORK = /Failed to load resource|net::ERR/;

test("SE-087 a name that is taken or not allowed is said beside the field, and the field keeps the focus", async () => {
  await using room = await house.room();
  await using ann = await house.visit(room);
  const { page } = ann.view;
  await page.goto(`${room.origin}/`);
  const field = page.getByLabel("Your name");
  await field.fill("mirelle");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").getByText("Somebody here has that name").waitFor();
  assert.equal(await ann.view.hasFocus(field), true);
  await field.fill("<Ann>");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").getByText("A name has 1 to 40").waitFor();
  await ann.view.shot("door-error");
  ann.view.expectProblem(NETWORK);
  assert.deepEqual(await ann.view.axe(), []);
});

test("SE-087 a second tab is the same person, a tab opened as new is another, and stays so over a reload", async () => {
  await using room = await house.room();
  await using ann = await house.visit(room);
  await ann.comeIn("Ann");
  await using again = await house.visit(room, { with: ann.view });
  await again.view.page.goto(`${room.origin}/`);
  await again.inside();
  await again.view.page.getByText("Ann guest").waitFor();
  await using ben = await house.visit(room, { with: ann.view });
  await ben.view.page.goto(`${room.origin}/#as=new`);
  await ben.view.page.getByLabel("Your name").fill("Ben");
  await ben.view.page.keyboard.press("Enter");
  await ben.inside();
  assert.equal(new URL(ben.view.page.url()).hash, "");
  await ben.view.page.reload();
  await ben.view.page.getByText("Ben guest").waitFor();
  await ann.view.page.reload();
  await ann.view.page.getByText("Ann guest").waitFor();
});

test("TR-080 what is said in private reaches its own page only", async () => {
  await using room = await house.room();
  await using ann = await house.visit(room);
  await using ben = await house.visit(room);
  await ann.comeIn("Ann");
  await ben.comeIn("Ben");
  await ann.privateBox.fill("between us: the ledger is under the third stair");
  await ann.privateBox.press("Enter");
  await ann.view.page.getByRole("log", { name: "Said to Mirelle in private" }).getByText("third stair").waitFor();
  await ben.say("anything new?");
  assert.equal(await ben.view.page.getByText("third stair").count(), 0);
  assert.deepEqual([ann.view.problems, ben.view.problems], [[], []]);
});

test("TR-042 killed in the middle: the page says so, keeps what was written, comes back by itself, and says nothing twice", async () => {
  await using room = await house.room();
  await using ann = await house.visit(room);
  const { page } = ann.view;
  await ann.comeIn("Ann");
  const head = room.head({ kind: "public" }, "", 2);
  room.push({ type: "part", head, part: { id: `${head.id}.0`, index: 0, body: "The lamp is lit" } });
  await ann.line("speaking now").waitFor();
  room.losesAnswers = true;
  await ann.publicBox.fill("Mirelle, take your time");
  await ann.publicBox.press("Enter");
  await ann.publicBox.fill("and this I am still writing");
  await room.down();
  await page.getByText(/Not connected since/).waitFor();
  await ann.line("was speaking").waitFor();
  await ann.line("not sent yet").waitFor();
  assert.equal(await page.locator(".line--live, .lamp--live").count(), 0, "amber is off");
  await ann.publicBox.press("Enter");
  assert.equal(await ann.publicBox.inputValue(), "and this I am still writing");
  await page.getByRole("button", { name: "Not connected" }).first().waitFor();
  ann.view.expectProblem(NETWORK);
  await ann.view.shot("offline-desk");
  assert.deepEqual(await ann.view.axe(), []);
  await page.setViewportSize({ width: 390, height: 844 });
  await ann.view.shot("offline-phone");
  room.losesAnswers = false;
  await room.up();
  await page.getByText(/Not connected since/).waitFor({ state: "detached" });
  await ann.line("Mirelle, take your time").waitFor();
  await room.took("Mirelle, take your time");
  assert.deepEqual(room.ledger, ["Mirelle, take your time"]);
  assert.equal(await ann.line("Mirelle, take your time").count(), 1);
  assert.equal(await ann.publicBox.inputValue(), "and this I am still writing");
});

test("drafts and unsent lines outlive a reload of the tab", async () => {
  await using room = await house.room();
  await using ann = await house.visit(room);
  await ann.comeIn("Ann");
  room.nextSay = { code: "too_many", message: "Slow down.", retryAfterMs: 60_000 };
  await ann.publicBox.fill("too fast");
  await ann.publicBox.press("Enter");
  await ann.line("not sent").getByText("too many lines in a short time").waitFor();
  await ann.view.shot("refused-line");
  ann.view.expectProblem(NETWORK);
  assert.deepEqual(await ann.view.axe(), []);
  await ann.privateBox.fill("half a thought");
  await ann.view.page.reload();
  await ann.inside();
  await ann.line("too fast").waitFor();
  assert.equal(await ann.privateBox.inputValue(), "half a thought");
  await room.took("too fast");
  assert.deepEqual(room.ledger, ["too fast"]);
});

test("SE-086 an operator whose process has died is asked for a new code, and the new link works in the open page", async () => {
  await using room = await house.room({ door: "console" });
  await using owner = await house.visit(room);
  const { page } = owner.view;
  await owner.openConsole();
  await owner.publicBox.fill("still writing");
  room.forgetMembers();
  await room.down();
  await room.up();
  await page.getByRole("heading", { name: "This session has ended" }).waitFor();
  owner.view.expectProblem(NETWORK);
  await owner.view.shot("code-ended");
  assert.deepEqual(await owner.view.axe(), []);
  room.addMember("local:owner", "the operator", "operator-token");
  await page.evaluate("location.hash = '#code=good-code'");
  await owner.inside();
  assert.equal(new URL(page.url()).hash, "");
  assert.equal(await owner.publicBox.inputValue(), "still writing");
});

test("a wrong code is said beside the field", async () => {
  await using room = await house.room({ door: "console" });
  await using owner = await house.visit(room);
  await owner.view.page.goto(`${room.origin}/#code=stale`);
  await owner.view.page.getByRole("alert").getByText("That code is wrong, used, or too old").waitFor();
  owner.view.expectProblem(NETWORK);
});

test("the four things to try fill a composer and never send", async () => {
  await using room = await house.room();
  await using ann = await house.visit(room);
  const { page } = ann.view;
  await ann.comeIn("Ann");
  await page.getByRole("button", { name: "Whisper a secret" }).click();
  assert.match(await ann.privateBox.inputValue(), /^Between us:/);
  assert.equal(await ann.view.hasFocus(ann.privateBox), true);
  await page.getByRole("button", { name: "Ask for the secret" }).click();
  assert.match(await ann.publicBox.inputValue(), /^Mirelle, what do you know/);
  await page.getByRole("button", { name: "Take your time, then kill me" }).click();
  assert.match(await ann.publicBox.inputValue(), /take your time/);
  await page.getByText("whoever runs Troupe").waitFor();
  await ann.view.shot("try-it");
  assert.deepEqual(room.ledger, []);
  const [opened] = await Promise.all([
    ann.view.context.waitForEvent("page"),
    page.getByRole("link", { name: "Open as someone else" }).click(),
  ]);
  await opened.getByLabel("Your name").fill("Ben");
  await opened.keyboard.press("Enter");
  await opened.getByText("Ben guest").waitFor();
  await opened.close();
  await page.getByRole("button", { name: /^Done/ }).click();
  await page.reload();
  await ann.inside();
  assert.equal(await page.getByRole("heading", { name: "Try it" }).count(), 0);
});

test("an operator's fourth button names the process and the command", async () => {
  await using room = await house.room({ door: "console" });
  await using owner = await house.visit(room);
  await owner.openConsole();
  await owner.view.page.getByRole("button", { name: "Take your time, then kill me" }).click();
  await owner.view.page.getByText("kill -9 4711").waitFor();
  const link = owner.view.page.getByRole("link", { name: "Open as someone else" });
  assert.equal(await link.getAttribute("href"), "http://127.0.0.1:7777/#as=new");
});

test("keys move, ask and write, never in a text box, and can be switched off", async () => {
  await using room = await house.room();
  room.say("Bram", "one");
  room.say("Bram", "two");
  await using ann = await house.visit(room);
  const { page } = ann.view;
  await ann.comeIn("Ann");
  await ann.say("jkcpw?");
  room.settle(room.lastSaid.id, "not_addressed", null);
  assert.equal(await ann.publicBox.inputValue(), "");
  await page.keyboard.press("Escape");
  await page.keyboard.press("j");
  assert.equal(await ann.view.hasFocus(ann.line("jkcpw?")), true);
  await page.keyboard.press("w");
  await ann.script.getByText("Not answered: nobody was named.").waitFor();
  await page.keyboard.press("k");
  await page.keyboard.press("ArrowUp");
  assert.equal(await ann.view.hasFocus(ann.line("one")), true);
  assert.equal(await ann.script.locator('[data-line][tabindex="0"]').count(), 1, "one tab stop for the list");
  await page.keyboard.press("p");
  await ann.privateBox.and(page.locator(":focus")).waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("c");
  await ann.publicBox.and(page.locator(":focus")).waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keys" }).waitFor();
  await ann.view.shot("keys");
  assert.deepEqual(await ann.view.axe(), []);
  await page.getByLabel("Single keys work outside text boxes").uncheck();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "hidden" });
  await page.keyboard.press("?");
  assert.equal(await page.getByRole("dialog").count(), 0);
});

test("Enter says, Shift Enter starts a line, and a line that is too long is not sent", async () => {
  await using room = await house.room();
  await using ann = await house.visit(room);
  await ann.comeIn("Ann");
  await ann.publicBox.focus();
  await ann.view.page.keyboard.type("one");
  await ann.view.page.keyboard.press("Shift+Enter");
  await ann.view.page.keyboard.type("two");
  await ann.view.page.keyboard.press("Enter");
  await ann.line("one").waitFor();
  await room.took("one\ntwo");
  assert.deepEqual(room.ledger, ["one\ntwo"]);
  await ann.publicBox.fill("é".repeat(1_001));
  await ann.view.page.getByText("Too long by 2 bytes").waitFor();
  await ann.publicBox.press("Enter");
  assert.equal(room.ledger.length, 1);
});

test("Enter that comes before the page has drawn what was typed says it all the same", async () => {
  await using room = await house.room();
  await using ann = await house.visit(room);
  await ann.comeIn("Ann");
  for (const [id, text] of [
    ["say-private", "at once, in private"],
    ["say-public", "at once"],
  ] as const) {
    await ann.view.page.evaluate(`(() => {
      const box = document.getElementById("${id}");
      box.focus();
      box.value = "${text}";
      box.dispatchEvent(new InputEvent("input", { bubbles: true }));
      box.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
    })()`);
    await ann.view.page.getByRole("listitem").filter({ hasText: text }).first().waitFor();
  }
  await room.took("at once, in private");
  await room.took("at once");
  assert.deepEqual(room.ledger, ["at once, in private", "at once"]);
  assert.deepEqual([await ann.privateBox.inputValue(), await ann.publicBox.inputValue()], ["", ""]);
});

test("a streamed reply is read aloud once, when it is whole", async () => {
  await using room = await house.room();
  room.say("Bram", "from before");
  await using ann = await house.visit(room);
  await ann.comeIn("Ann");
  const announcer = ann.view.page.locator("#announcer");
  const head = room.head({ kind: "public" }, "nods", 2);
  room.push({ type: "part", head, part: { id: `${head.id}.0`, index: 0, body: "Good " } });
  await ann.line("part 1 of 2").waitFor();
  assert.equal(await announcer.textContent(), "");
  room.push({ type: "part", head, part: { id: `${head.id}.1`, index: 1, body: "evening." } });
  room.push({ type: "part", head, part: { id: `${head.id}.1`, index: 1, body: "evening." } });
  await announcer.getByText("Mirelle: (nods) Good evening.").waitFor();
  assert.equal(await ann.line("(nods) Good evening.").count(), 1);
});

test("a long talk: earlier lines come on scrolling up, the place that is read stays put, and the document stays small", async () => {
  await using room = await house.room({ pageSize: 50 });
  for (let index = 0; index < 600; index += 1) room.say("Bram", `line ${index}.`, Date.now() - (600 - index) * 1_000);
  await using ann = await house.visit(room);
  await ann.comeIn("Ann");
  await ann.line("line 599.").waitFor();
  for (let turn = 0; turn < 80 && (await ann.line("line 0.").count()) === 0; turn += 1) await ann.scrollTo(0);
  await ann.line("line 0.").waitFor();
  assert.ok((await ann.script.locator("[data-line]").count()) <= 240);
  await ann.scrollTo(900);
  const { top } = await ann.reading();
  room.say("Bram", "something new");
  await ann.view.page.getByRole("button", { name: /newer lines/ }).waitFor();
  assert.equal((await ann.reading()).top, top);
  await ann.view.shot("scrolled-back");
  await ann.view.page.getByRole("button", { name: /newer lines/ }).click();
  await ann.line("something new").waitFor();
  assert.ok((await ann.reading()).below < 2);
});

test("earlier lines that can't be read say so where they would stand", async () => {
  await using room = await house.room({ pageSize: 5 });
  for (let index = 0; index < 12; index += 1) room.say("Bram", `line ${index}.`);
  await using ann = await house.visit(room);
  await ann.comeIn("Ann");
  room.nextOlder = { code: "failed", message: "This could not be done." };
  await ann.view.page.getByRole("button", { name: "Show earlier lines" }).click();
  await ann.view.page.getByText("Can’t read earlier lines.").waitFor();
  ann.view.expectProblem(NETWORK);
  await ann.view.page.getByRole("button", { name: "Read again" }).click();
  await ann.line("line 2.").waitFor();
});

test("with several characters a line goes to the one that is chosen", async () => {
  const characters = [
    { id: "mirelle", name: "Mirelle", understudy: false },
    { id: "tobias", name: "Tobias", understudy: false },
  ];
  await using room = await house.room({ characters, voice: { kind: "model", model: null, firstTokenMs: null } });
  await using ann = await house.visit(room, PHONE);
  const { page } = ann.view;
  await ann.comeIn("Ann");
  await page.getByRole("radiogroup", { name: "Answer by" }).getByRole("radio", { name: "Tobias" }).click();
  const sent = page.waitForRequest((request) => request.method() === "POST" && request.url().endsWith("/api/lines"));
  await ann.say("when do you cast off?");
  assert.equal((JSON.parse((await sent).postData() ?? "{}") as { to?: string }).to, "tobias");
  await page.getByRole("button", { name: "Private line", exact: true }).click();
  await page.getByRole("group", { name: "Private line with" }).getByRole("button", { name: "Tobias" }).click();
  await page.getByRole("textbox", { name: "Say to Tobias, privately" }).waitFor();
  await ann.view.shot("two-characters-phone");
  assert.deepEqual(await ann.view.axe(), []);
});

test("somebody who leaves is forgotten by the page", async () => {
  await using room = await house.room();
  await using ann = await house.visit(room);
  await ann.comeIn("Ann");
  await ann.say("goodbye");
  await ann.view.page.getByRole("button", { name: "Leave" }).click();
  await ann.view.page.getByRole("dialog").getByRole("button", { name: "Leave" }).click();
  await ann.view.page.getByRole("heading", { name: "You have left" }).waitFor();
  assert.equal(await ann.view.page.evaluate("localStorage.getItem('troupe.member')"), null);
  assert.equal(await ann.view.page.getByText("goodbye").count(), 0);
  assert.deepEqual(await ann.view.axe(), []);
});

test("reduced motion holds everything still", async () => {
  await using room = await house.room();
  await using ann = await house.visit(room, { reducedMotion: true });
  await ann.comeIn("Ann");
  room.setTyping([{ character: "mirelle", place: { kind: "public" }, sinceMs: Date.now() }]);
  await ann.line("answering").waitFor();
  assert.equal(await ann.view.page.evaluate("document.getAnimations().length"), 0);
});
