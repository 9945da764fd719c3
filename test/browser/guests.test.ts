import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { CharacterView } from "../../src/surfaces/room/protocol.ts";
import { buildPage } from "./built-page.ts";
import { DESK, OWN_NETWORK, PHONE, launchBrowser } from "./harness.ts";
import { RealHouse } from "./real-house.ts";
import { Checkout } from "./real-process.ts";
import { Playhouse } from "./visit.ts";
import type { Visit } from "./visit.ts";

let play: Playhouse;
let real: RealHouse;
before(async () => {
  // One browser and one page for both houses.
  const [browser, page] = await Promise.all([launchBrowser(), buildPage()]);
  play = new Playhouse(browser, page);
  real = new RealHouse(browser, await Checkout.make(page));
});
after(async () => {
  await real[Symbol.asyncDispose]();
});

const TWO: readonly CharacterView[] = ["Mirelle", "Tobias"].map((name) => ({ id: name.toLowerCase(), name, understudy: false }));
const MODEL = { kind: "model", model: null, firstTokenMs: null } as const;
/** What a browser says of a process that is gone or not ready yet, and of a header that it minds over https only. */
const NO_PROCESS_OR_HTTPS = /net::ERR_|status of 503|Cross-Origin-Opener-Policy header has been ignored/;
const LINK = "#invite=good-invite";

async function inspect(visit: Pick<Visit, "view">, name: string): Promise<void> {
  await visit.view.shot(name);
  assert.deepEqual(await visit.view.axe(), [], `${name}: axe`);
  assert.equal(await visit.view.overflowsSideways(), false, `${name}: wider than the window`);
  assert.deepEqual(visit.view.problems, [], `${name}: console`);
}

/** Both sizes in both colours; what stands beside the room is looked at closely in one of each. */
const LOOKS = [
  { name: "desk-light", ...DESK, isClose: true },
  { name: "desk-dark", ...DESK, dark: true, isClose: false },
  { name: "phone-light", ...PHONE, isClose: false },
  { name: "phone-dark", ...PHONE, dark: true, isClose: true },
];

for (const look of LOOKS) {
  test(`TR-094 TR-091 an invited guest's way by ${look.name}: looked at, in, unheard by wish, shown out; complete, accessible, quiet`, async () => {
    await using room = await play.room({ entry: "invited", characters: TWO, voice: MODEL });
    room.invite = { state: "open", name: "Kim", title: "The Foyer", untilMs: Date.now() + 4 * 3_600_000 };
    room.siblings = [{ title: "The Yard", url: "http://127.0.0.1:9" }];
    await using kim = await play.visit(room, look);
    const { page } = kim.view;
    await page.goto(`${room.origin}/${LINK}`);
    await page.getByRole("heading", { name: "Kim, you are invited" }).waitFor();
    assert.equal(new URL(page.url()).hash, "", "the code stands in no address");
    assert.equal(room.requests.includes("POST /api/invites/redeem"), false, "a look uses nothing up");
    await inspect(kim, `invite-${look.name}`);
    await page.reload();
    await page.getByRole("button", { name: "Come in" }).click();
    await kim.inside();
    assert.equal(await page.getByRole("button", { name: "Try it" }).count(), 0, "the demonstration is not for guests by invitation");
    await kim.say("hello?");
    room.settle(room.lastSaid.id, "not_addressed", null);
    await kim.line("hello?").getByText("chosen under Answer by").waitFor();
    room.optedOut = true;
    room.push({ type: "room", room: room.roomFor("Kim") });
    await page.getByText("No character hears you.").waitFor();
    await inspect(kim, `invited-room-${look.name}`);
    if (look.isClose) await seeOwnThings(kim, look.name);

    room.showOut("Kim", "revoked");
    await page.getByRole("heading", { name: "Your invitation was taken back" }).waitFor();
    assert.equal(
      await page.evaluate("localStorage.length + (sessionStorage.getItem('troupe.drafts') ?? '{}').length"),
      2,
      "no key, no draft",
    );
    assert.equal(await page.getByText("hello?").count(), 0);
    await inspect(kim, `invite-revoked-${look.name}`);
  });
}

/** What stands beside the room for a guest: who is here, other rooms, own words, leaving. */
async function seeOwnThings(kim: Visit, look: string): Promise<void> {
  const { page } = kim.view;
  const tab = page.getByRole("button", { name: "Who is here", exact: true });
  const isNarrow = await tab.isVisible();
  if (isNarrow) await tab.click();
  await page.getByText(/Kim, a guest until \d\d:\d\d|Kim, a guest until \w+ \d/).waitFor();
  const yard = page.getByRole("link", { name: "The Yard" });
  assert.equal(await yard.filter({ visible: true }).getAttribute("href"), "http://127.0.0.1:9/#name=Kim");
  if (isNarrow) await inspect(kim, `invited-here-${look}`);
  await page.getByRole("button", { name: "Hear me again" }).filter({ visible: true }).last().click();
  assert.equal(await kim.privateBox.inputValue(), "/hear me", "written for the guest, not said");
  await kim.privateBox.fill("a draft");
  await page.getByRole("button", { name: "Leave" }).click();
  await page.getByRole("dialog").getByText("to come back you need a new one").waitFor();
  await inspect(kim, `leave-${look}`);
  await page.getByRole("button", { name: "Stay" }).click();
}

test("TR-094 each link that opens nothing says why, and a room by invitation asks nobody's name", async () => {
  await using room = await play.room({ entry: "invited" });
  await using kim = await play.visit(room, PHONE);
  const { page } = kim.view;
  for (const [state, title] of [
    ["used", "This link was used"],
    ["expired", "This invitation is over"],
    ["revoked", "This invitation was taken back"],
    ["unknown", "This link opens nothing here"],
  ] as const) {
    room.invite = { state };
    await page.goto("about:blank");
    await page.goto(`${room.origin}/${LINK}`);
    await page.getByRole("heading", { name: title }).waitFor();
    await inspect(kim, `invite-${state}-phone`);
  }
  await page.goto("about:blank");
  await page.goto(`${room.origin}/`);
  await page.getByRole("heading", { name: "By invitation" }).waitFor();
  assert.equal(await page.getByRole("textbox").count(), 0);
});

test("TR-020 with several characters the composer says to whom a line goes: by keys, by a name at its front, and alone to the first", async () => {
  await using room = await play.room({ characters: TWO, voice: MODEL });
  await using ann = await play.visit(room);
  await ann.comeIn("Ann");
  const { page } = ann.view;
  const choices = page.getByRole("radiogroup", { name: "Answer by" });
  const chosen = (): Promise<string | null> => choices.getByRole("radio", { checked: true }).textContent();
  assert.equal(await chosen(), "Mirelle", "alone, nobody has to be named");
  await page.keyboard.press("Escape");
  await page.keyboard.press("t");
  await page.keyboard.press("ArrowRight");
  assert.equal(await chosen(), "Tobias");
  await page.keyboard.press("ArrowRight");
  assert.equal(await chosen(), "anyone named");
  await page.keyboard.press("Tab");
  assert.equal(await ann.view.hasFocus(ann.publicBox), true, "the box is the next stop");
  const said = async (text: string): Promise<unknown> => {
    const sent = page.waitForRequest((request) => request.method() === "POST" && request.url().endsWith("/api/lines"));
    await page.keyboard.type(text);
    await page.keyboard.press("Enter");
    return (JSON.parse((await sent).postData() ?? "{}") as { to: unknown }).to;
  };
  assert.equal(await said("what did Tobias say?"), null);
  assert.equal(await said("Tobias, what did Mirelle say?"), "tobias");
  assert.equal(await said("and then?"), "tobias", "the choice stays");
  assert.equal(await said("@mirelle good evening"), "mirelle");
  assert.deepEqual(await ann.view.axe(), []);
});

test("TR-094 SE-086 SE-087 in the real product, over plain http of an own network: one browser by one link, public and private, through a kill, out when revoked", async () => {
  await using room = await real.room(OWN_NETWORK);
  const { id, link } = await room.invite("Kim", "--for", "2h");
  assert.ok(link.startsWith(`${room.origin}/#invite=`));
  await using kim = await real.visit(room, PHONE);
  await kim.page.goto(link);
  await kim.page.getByRole("heading", { name: "Kim, you are invited" }).waitFor();
  assert.equal(await kim.page.evaluate("isSecureContext"), false);
  await kim.page.getByRole("button", { name: "Come in" }).click();
  await kim.inside();
  await kim.say("Mirelle, good evening");
  await kim.line("Welcome, Kim").waitFor();
  await kim.show("Private line");
  await kim.privateBox.fill("/privacy");
  await kim.privateBox.press("Enter");
  await kim.privateScript.getByText("nobody else there is shown what you say").waitFor();
  await kim.view.shot("real-privacy-phone");

  await using other = await real.visit(room);
  await other.page.goto(link);
  await other.page.getByRole("heading", { name: "This link was used" }).waitFor();

  await room.kill();
  await kim.page.getByText("Not connected since").waitFor();
  await room.start();
  await kim.page.getByText("Not connected since").waitFor({ state: "detached" });
  await kim.show("Room");
  await kim.line("good evening").waitFor();

  assert.match(await room.command("invites"), /Kim .* in since .*room:m-/);
  await room.command("invite", "revoke", id);
  await kim.page.getByRole("heading", { name: "Your invitation was taken back" }).waitFor();
  assert.equal(await kim.page.evaluate("localStorage.getItem('troupe.member')"), null);
  await kim.page.goto(room.origin);
  await kim.page.getByRole("heading", { name: "By invitation" }).waitFor();
  const code = link.split("=")[1] ?? assert.fail();
  assert.equal(room.errors.includes(code), false);
  assert.deepEqual(
    kim.view.problems.filter((problem) => !NO_PROCESS_OR_HTTPS.test(problem)),
    [],
  );
});
