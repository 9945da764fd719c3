import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { leanSpeech, startScriptedModel } from "../../src/testing/scripted-model.ts";
import { DESK, PHONE, launchBrowser } from "./harness.ts";
import type { RealHouse, RealVisit } from "./real-house.ts";
import { openRealHouse, openedBy } from "./real-house.ts";
import type { RealRoom } from "./real-process.ts";
import type { Look } from "./visit.ts";

let house: RealHouse;
before(async () => {
  house = await openRealHouse();
});
after(async () => {
  await house[Symbol.asyncDispose]();
});

/** What a browser says of requests to a process that is not there, is not ready yet, or does not know its session any more, and of nothing else. */
const NO_PROCESS =
  /status of (?:401|503)|Failed to load resource: net::ERR_(?:CONNECTION_|INCOMPLETE_CHUNKED_ENCODING|EMPTY_RESPONSE|FAILED)|net::ERR_INCOMPLETE_CHUNKED/;
const SECRET = "Between us: the spare key is under the blue pot.";
const ANSWER = "Had my process died meanwhile, you would still get this line, and only once.";

/** Look at a page: picture, accessibility, width, console. A violation of the page's policy is a console error too. */
async function inspect(visit: RealVisit, name: string, mayLack: "a process" | "nothing" = "nothing"): Promise<void> {
  await visit.view.shot(name);
  assert.deepEqual(await visit.view.axe(), [], `${name}: axe`);
  assert.equal(await visit.view.overflowsSideways(), false, `${name}: wider than the window`);
  const problems = visit.view.problems.filter((problem) => mayLack === "nothing" || !NO_PROCESS.test(problem));
  assert.deepEqual(problems, [], `${name}: console`);
}

async function press(visit: RealVisit, name: string): Promise<void> {
  await visit.show("Room");
  await visit.page.getByRole("button", { name }).click();
}

/** The four things to try: what each writes and where, and that nothing is sent. */
async function tryThings(ann: RealVisit): Promise<void> {
  await press(ann, "Ask for the secret");
  assert.equal(await ann.publicBox.inputValue(), "Mirelle, what do you know about the spare key?");
  assert.equal(await ann.view.hasFocus(ann.publicBox), true);
  await press(ann, "Take your time, then kill me");
  assert.equal(await ann.publicBox.inputValue(), "Mirelle, take your time.");
  await ann.publicBox.fill("");
  await press(ann, "Whisper a secret");
  assert.equal(await ann.privateBox.inputValue(), SECRET);
  await ann.privateBox.and(ann.page.locator(":focus")).waitFor();
  assert.deepEqual(ann.room.rows("select id from event"), [], "nothing was sent");
}

/** Open the page as somebody else: by the button in a new window, or in a browser of their own. */
async function openBen(ann: RealVisit, room: RealRoom, look: Look): Promise<RealVisit> {
  if (look.dark === true) {
    const ben = await house.visit(room, look);
    await ben.page.goto(`${room.origin}/`);
    return ben;
  }
  await ann.show("Room");
  return openedBy(ann.view, room, () => ann.page.getByRole("link", { name: "Open as someone else" }).click());
}

const LOOKS = [
  { name: "desk-light", ...DESK },
  { name: "desk-dark", ...DESK, dark: true },
  { name: "phone-light", ...PHONE },
  { name: "phone-dark", ...PHONE, dark: true },
];

for (const look of LOOKS) {
  test(`TR-030 SE-087 SE-094 two people in the real room by ${look.name}: what one whispers stays there, and each may ask why`, async () => {
    await using room = await house.room();
    await using ann = await house.visit(room, look);
    await ann.page.goto(`${room.origin}/`);
    await ann.page.getByRole("heading", { name: "Who is coming in?" }).waitFor();
    await inspect(ann, `real-door-${look.name}`);
    await ann.name("Ann");
    await ann.page.getByText("The understudy is speaking.").waitFor();
    await ann.script.getByText("nothing has been said in it").waitFor();
    await inspect(ann, `real-empty-${look.name}`);

    await tryThings(ann);
    await inspect(ann, `real-try-${look.name}`);
    await ann.page.keyboard.press("Enter");
    await ann.privateScript.getByRole("listitem").filter({ hasText: "understudy" }).waitFor();
    await ann.privateScript.getByText(/answered,? \d/).waitFor();

    await using ben = await openBen(ann, room, look);
    await ben.name("Ben");
    await ben.say("Mirelle, what do you know about the spare key?");
    await ben.line("Nothing. My packet").waitFor();
    await ben
      .line("what do you know")
      .getByText(/answered,? \d/)
      .waitFor();
    await ben.line("what do you know").getByRole("button", { name: /^why/ }).click();
    await ben.script.getByText(/^Answered, [\d.]+ m?s\.$/).waitFor();
    assert.equal((await ben.allText()).includes("blue pot"), false);
    await ben.publicBox.blur();
    await inspect(ben, `real-ben-${look.name}`);

    await ann.show("Private line");
    await ann.privateBox.click();
    await ann.page.keyboard.type("Mirelle, what do you know about the spare key?");
    await ann.page.keyboard.press("Enter");
    await ann.privateScript
      .getByRole("listitem")
      .filter({ hasText: "this is all that my packet has" })
      .getByText("under the blue pot")
      .waitFor();
    await inspect(ann, `real-private-${look.name}`);
    await ann.show("Room");
    assert.equal(await ann.script.getByText("blue pot").count(), 0, "in the room it stands nowhere");
    await ann.show("Who is here");
    await inspect(ann, `real-here-${look.name}`);
    await seeAsOperator(room, look);
    assert.equal(
      room.errors
        .split("\n")
        .filter((line) => line !== "" && !line.startsWith("troupe: no build here"))
        .join("\n"),
      "",
    );
  });
}

/** The operator's page by the one-time link: the road of Ben's line with its stations, and no word of anybody's private line. */
async function seeAsOperator(room: RealRoom, look: Look & { readonly name: string }): Promise<void> {
  await using owner = await house.visit(room, look);
  await owner.page.goto(`file://${room.redirectFile}`);
  await owner.inside();
  assert.equal(owner.page.url(), `${room.consoleOrigin}/`, "the code stands in no address");
  assert.match(await owner.line("what do you know").locator(".line__cue").innerText(), /answered, \d/, "and how Ben's line ended");
  await owner.line("what do you know").getByRole("button", { name: /^why/ }).click();
  await owner.script.getByText("Admitted, and answered by Mirelle").waitFor();
  const stations = owner.script.locator(".station__name");
  assert.deepEqual(await stations.allTextContents(), ["Surface", "Admission", "Lane", "Turn", "Voice", "Delivery"]);
  assert.equal((await owner.allText()).includes("blue pot"), false);
  await inspect(owner, `real-operator-${look.name}`);
  await using second = await house.visit(room, look);
  await second.page.goto(`file://${room.redirectFile}`);
  await second.page.getByRole("alert").getByText("That code is wrong, used, or too old").waitFor();
  second.view.expectProblem(/status of 401/);
  await inspect(second, `real-code-${look.name}`);
}

/** The pages while the process is gone: since when, what was on its way, what is being written, and no amber. */
async function whileAway(ann: RealVisit, ben: RealVisit): Promise<void> {
  for (const visit of [ann, ben]) {
    await visit.page.getByText(/Not connected since \d\d:\d\d:\d\d/).waitFor();
    assert.equal(await visit.page.locator(".line--live, .lamp--live, .brand--live").count(), 0, "amber is off");
  }
  await ann.line("take your time").getByText("was being answered").waitFor();
  await ann.line(ON_ITS_WAY).getByText("not sent yet").waitFor();
  await ann.publicBox.fill(WRITTEN);
  await ann.publicBox.press("Enter");
  await ann.page.getByText("Your words stay here until the connection is back.").waitFor();
  assert.equal(await ann.publicBox.inputValue(), WRITTEN);
  await ann.privateBox.fill("half a thought");
  await inspect(ann, "real-offline-desk-light", "a process");
  await inspect(ben, "real-offline-phone-dark", "a process");
}

const ON_ITS_WAY = "Mirelle, count to 3.";
const COUNTED = "1 2 3";
const WRITTEN = "written while it was away";

/** Say a line that the process has got and not read when it dies. */
async function sayIntoTheVoid(ann: RealVisit): Promise<void> {
  ann.room.freeze();
  await ann.publicBox.fill(ON_ITS_WAY);
  await ann.publicBox.press("Enter");
  await ann.line(ON_ITS_WAY).getByText("sending").waitFor();
}

async function comeBack(owner: RealVisit): Promise<void> {
  await owner.page.getByRole("heading", { name: "This session has ended" }).waitFor();
  await inspect(owner, "real-ended-desk-light", "a process");
  const { hash } = new URL(await owner.room.consoleLink());
  await owner.page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
  await owner.inside();
  assert.equal(await owner.publicBox.inputValue(), "an operator’s draft");
}

test("TR-042 TR-044 killed while it takes its time: the pages say so, come back by themselves, and everything stands once", async () => {
  await using room = await house.room();
  await using ann = await house.visit(room);
  await using ben = await house.visit(room, { ...PHONE, dark: true });
  await using owner = await house.visit(room);
  await ann.page.goto(`${room.origin}/`);
  await ann.name("Ann");
  await ben.page.goto(`${room.origin}/`);
  await ben.name("Ben");
  await owner.page.goto(await room.consoleLink());
  await owner.inside();
  await owner.publicBox.fill("an operator’s draft");
  await press(ann, "Take your time, then kill me");
  await ann.page.keyboard.press("Enter");
  await ann.line("take your time").getByText("being answered").waitFor();
  await ben.script.getByText(/asked \d s ago/).waitFor();
  await inspect(ben, "real-answering-phone-dark");
  await inspect(ann, "real-answering-desk-light");

  await sayIntoTheVoid(ann);
  await room.kill();
  await whileAway(ann, ben);
  await room.start();
  for (const visit of [ann, ben]) await visit.page.getByText(/Not connected since/).waitFor({ state: "detached", timeout: 20_000 });
  await ann.line(ON_ITS_WAY).getByText("being answered").waitFor();
  await comeBack(owner);
  assert.equal(await ann.publicBox.inputValue(), WRITTEN);
  assert.equal(await ann.privateBox.inputValue(), "half a thought");
  await ann.publicBox.press("Enter");
  await ann.line(WRITTEN).waitFor();
  await Promise.all([ann, ben, owner].map((visit) => visit.line(ANSWER).waitFor({ timeout: 40_000 })));
  await ann
    .line("take your time")
    .getByText(/answered,? \d/)
    .waitFor();
  await Promise.all([ann, ben, owner].map((visit) => visit.line(COUNTED).waitFor()));
  for (const visit of [ann, ben, owner]) await standsOnce(visit);
  await ann.page.reload();
  await ann.inside();
  await standsOnce(ann);
  assert.deepEqual(
    room.rows("select body from event where author_kind = 'person' order by n").map(({ body }) => body),
    ["Mirelle, take your time.", ON_ITS_WAY, WRITTEN],
  );
  assert.deepEqual(
    room.rows("select end, attempts from inbox order by n").map((row) => ({ ...row })),
    [
      { end: "answered", attempts: 2 },
      { end: "answered", attempts: 1 },
    ],
  );
  await inspect(ann, "real-after-desk-light", "a process");
  await inspect(ben, "real-after-phone-dark", "a process");
  await inspect(owner, "real-after-operator-desk-light", "a process");
});

async function standsOnce(visit: RealVisit): Promise<void> {
  for (const text of ["Mirelle, take your time.", ON_ITS_WAY, WRITTEN, ANSWER, COUNTED])
    assert.equal(await visit.line(text).count(), 1, text);
  assert.equal(await visit.script.locator("[data-line]").count(), 5);
  assert.equal(await visit.page.locator(".line--unsent").count(), 0);
}

test("keys alone lead through the real room: in, into the boxes, to a line, why, and out again", async () => {
  await using room = await house.room();
  await using ann = await house.visit(room, { width: 320, height: 640 });
  const { page } = ann;
  const { keyboard } = page;
  await page.goto(`${room.origin}/`);
  await page.getByLabel("Your name").and(page.locator(":focus")).waitFor();
  await keyboard.type("Ann");
  await keyboard.press("Tab");
  await page.getByRole("button", { name: "Come in" }).and(page.locator(":focus")).waitFor();
  await keyboard.press("Enter");
  await ann.inside();
  await page.getByRole("heading", { level: 1 }).and(page.locator(":focus")).waitFor();
  // Somebody else is here: a person alone with a character need not name it.
  await using ben = await house.visit(room);
  await ben.page.goto(`${room.origin}/`);
  await ben.name("Ben");
  await keyboard.press("c");
  await keyboard.type("good evening, all");
  await keyboard.press("Enter");
  await ann.line("good evening").getByText("not answered").waitFor();
  await keyboard.press("Escape");
  await keyboard.press("p");
  await keyboard.type("hello");
  await keyboard.press("Enter");
  await ann.privateScript.getByRole("listitem").filter({ hasText: "understudy" }).waitFor();
  await keyboard.press("Escape");
  await keyboard.press("c");
  await keyboard.press("Escape");
  await keyboard.press("j");
  await keyboard.press("w");
  await ann.script.getByText("Not answered: nobody was named.").waitFor();
  await inspect(ann, "real-keys-narrow");
  await keyboard.press("w");
  await ann.script.getByText("Not answered: nobody was named.").waitFor({ state: "detached" });
  await keyboard.press("?");
  await page.getByRole("dialog", { name: "Keys" }).waitFor();
  await keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "hidden" });
  await reachByTab(ann);
});

/** Tab reaches everything that acts, and comes round: nothing holds the focus. */
async function reachByTab(ann: RealVisit): Promise<void> {
  const reached = new Set<string>();
  for (let at = 0; at < 60; at += 1) {
    await ann.page.keyboard.press("Tab");
    reached.add(
      await ann.page.evaluate<string>(
        "document.activeElement.tagName + ' ' + (document.activeElement.innerText || document.activeElement.id)",
      ),
    );
  }
  for (const name of ["A Skip to the room", "BUTTON Leave", "BUTTON Whisper a secret", "TEXTAREA say-public", "BUTTON Say to everyone"])
    assert.ok(
      [...reached].some((each) => each.startsWith(name)),
      `${name} is not among ${[...reached].join(", ")}`,
    );
}

/** Windows that leave little room: narrow, zoomed, and with text of twice the size as its reader's browser has it. */
const SIZES: readonly (Look & { readonly name: string; readonly textPixels?: number })[] = [
  { name: "narrow", width: 320, height: 568, touch: true },
  { name: "zoomed-desk", ...DESK, zoom: 2 },
  { name: "large-text-desk", ...DESK, textPixels: 32, dark: true },
  { name: "large-text-phone", ...PHONE, textPixels: 32 },
];

test("the real room is whole at 320 pixels, zoomed to 200 % and with text of twice the size", async () => {
  await using room = await house.room();
  await using ben = await house.visit(room);
  await ben.page.goto(`${room.origin}/`);
  await ben.name("Ben");
  await using large = await launchBrowser({ textPixels: 32 });
  for (const size of SIZES) {
    await using ann = await house.visit(room, size, size.textPixels === undefined ? house.browser : large);
    await ann.page.goto(`${room.origin}/`);
    await ann.name(`Ann ${size.name}`);
    await inspect(ann, `real-${size.name}-empty`);
    await ann.say(`evening, says ${size.name}`);
    await ann.line(`says ${size.name}`).getByRole("button", { name: /^why/ }).click();
    await ann.script.getByText("Not answered: nobody was named.").first().waitFor();
    await inspect(ann, `real-${size.name}`);
    for (const pane of ["Private line", "Who is here"] as const) {
      await ann.show(pane);
      assert.equal(await ann.view.overflowsSideways(), false, `${size.name}: ${pane}`);
      await ann.view.shot(`real-${size.name}-${pane.toLowerCase().replaceAll(" ", "-")}`);
    }
    await ann.show("Private line");
    await ann.privateBox.scrollIntoViewIfNeeded();
    assert.equal(await ann.view.isInWindow(ann.privateBox), true, `${size.name}: the private box can be reached`);
  }
});

test("SE-084 TR-015 TR-032 a question of an agent is shown and allowed on Backstage of the real product, and its tool runs once", async () => {
  const wish = { rule: "weekdays 8:00", zone: "Europe/Zurich", does: "say", words: "Good morning." };
  await using model = await startScriptedModel({
    script({ body }) {
      const { messages, tools = [] } = JSON.parse(body.toString()) as { messages: { role: string; content: string }[]; tools?: unknown[] };
      if (tools.length === 0) return leanSpeech("I have no tools here.");
      const last = messages.at(-1);
      return last?.role === "tool"
        ? { text: `It says: ${last.content}` }
        : { text: "", calls: [{ name: "schedule_add", arguments: wish }] };
    },
  });
  await using room = await house.room(null, model.url);
  await using owner = await house.visit(room);
  const { page } = owner;
  await page.goto(await room.consoleLink());
  await owner.inside();
  await owner.privateBox.fill("remind me on weekdays");
  await owner.privateBox.press("Enter");
  await page
    .getByRole("link", { name: /^Backstage/ })
    .getByText("1 waits")
    .waitFor();
  await page.getByRole("heading", { level: 1 }).click();
  await page.keyboard.press("a");
  const card = page.getByRole("region", { name: /^Question \d+: may this run\?$/ });
  await card.getByText("What follows from it").waitFor();
  assert.match(
    (await card.locator(".ask__call").textContent()) ?? "",
    /^\{"arguments":\{"does":"say","rule":"weekdays 8:00","words":"Good morning\."/,
  );
  assert.equal(await card.getByText(/^It happens at \w{3} \d{4}-\d\d-\d\d 08:00 Europe\/Zurich\.$/).count(), 3);
  assert.deepEqual(room.rows("select id from schedule"), [], "nothing runs before it is allowed");
  await inspect(owner, "real-backstage-asked");
  await card.getByRole("button", { name: /^Allow once/ }).dblclick();
  await card.waitFor({ state: "detached" });
  await page
    .getByRole("log")
    .getByText(/^It says: Added c-/)
    .waitFor();
  await page.getByRole("complementary").getByText("weekdays 8:00").waitFor();
  assert.equal(room.rows("select id from schedule").length, 1);
  assert.equal(room.rows("select id from approval where used_at_ms is not null").length, 1);
  await inspect(owner, "real-backstage-done");
});

test("SE-086 the real page's policy is in force on both doors", async () => {
  await using room = await house.room();
  for (const origin of [room.origin, room.consoleOrigin]) {
    await using ann = await house.visit(room);
    const response = await ann.page.goto(`${origin}/`);
    assert.match(
      response?.headers()["content-security-policy"] ?? "",
      /^default-src 'none'; script-src 'self'; .*require-trusted-types-for 'script'/,
    );
    await ann.page.getByRole("button", { name: origin === room.origin ? "Come in" : "Open" }).waitFor();
    assert.deepEqual(ann.view.problems, []);
    const refused = await ann.page.evaluate<boolean>(
      `(() => { try { document.createElement("p").innerHTML = "<b>x</b>"; return false; } catch { return true; } })()`,
    );
    assert.equal(refused, true);
    ann.view.expectProblem(/TrustedHTML/);
    assert.deepEqual(await ann.page.context().cookies(), []);
  }
});
