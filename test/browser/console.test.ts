import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { OperatorWhyView } from "../../src/surfaces/room/protocol.ts";
import { troubled } from "../../src/testing/operator-answers.ts";
import { BYTES } from "./fake-agents.ts";
import type { FakeRoom } from "./fake-room.ts";
import { DESK, PHONE } from "./harness.ts";
import type { Playhouse, Visit } from "./visit.ts";
import { openPlayhouse } from "./visit.ts";

let house: Playhouse;
before(async () => {
  house = await openPlayhouse();
});
after(async () => {
  await house[Symbol.asyncDispose]();
});

const NETWORK = /Failed to load resource|net::ERR/;
const TWO = [
  { id: "mirelle", name: "Mirelle", understudy: false },
  { id: "tobias", name: "Tobias", understudy: false },
];
const PAGES = ["Backstage", "Packets", "People", "Budgets", "Health"] as const;

const CONSOLE = {
  door: "console",
  voice: { kind: "model", model: "local/qwen3-8b", firstTokenMs: 240 },
  characters: TWO,
} as const;

/** A text that stands on a page once its numbers are there. */
const ARRIVED = {
  Backstage: "Winter timetable starts Friday",
  Packets: "What Mirelle saw",
  People: "2 operators",
  Budgets: "A month is thirty days",
  Health: "Store and process",
} as const;

/** Go to a page by its link, and wait for its numbers. */
async function goTo(owner: Visit, name: keyof typeof ARRIVED): Promise<void> {
  await owner.view.page.getByRole("link", { name }).click();
  await owner.view.page.getByText(ARRIVED[name]).waitFor();
}

/** Look at a page: picture, accessibility, width, console. */
async function inspect(owner: Visit, name: string): Promise<void> {
  await owner.view.shot(name);
  assert.deepEqual(await owner.view.axe(), [], `${name}: axe`);
  assert.equal(await owner.view.overflowsSideways(), false, `${name}: wider than the window`);
  assert.deepEqual(owner.view.problems, [], `${name}: console`);
}

function explain(room: FakeRoom): void {
  for (const { message } of room.operations.packets) {
    const why: OperatorWhyView = {
      lineId: message,
      outcome: "answered",
      tookMs: 2_879,
      words: true,
      command: `troupe why ${message}`,
      explanation: {
        atMs: 1_800_000_000_300,
        surface: "parlour",
        place: "public:parlour",
        person: "room:m-03f2k1",
        character: "mirelle",
        admission: "admitted",
        reason: null,
        gate: "addressed",
        rule: "alias",
        key: "surfaces.parlour.admission",
        class: "talk",
        count: 1,
        state: "ended",
        end: "answered",
        endReason: null,
        attempts: 1,
        turn: {
          id: "t-0001",
          startedAtMs: 1_800_000_001_212,
          endedAtMs: 1_800_000_003_062,
          voice: "responder",
          by: "local/qwen3-8b",
          firstTokenMs: 240,
          usage: { promptTokens: 1_204, completionTokens: 58, costMicros: 100 },
          candidates: 0,
          skipped: [],
          packet: { id: "p-0f41", bytes: 3_412, segments: [], withheld: [{ class: "other_direct_line", count: 4 }] },
          gate: [],
        },
        parts: [{ id: "t-0001.0", state: "delivered", reason: "", settledAtMs: 1_800_000_003_179 }],
      },
    };
    room.whys.set(message, why);
  }
}

/** A room where people have talked, with what came of it. */
function fill(room: FakeRoom): void {
  room.people = [
    { id: "x-Sefa", name: "Sefa", role: "guest", you: false, here: true, sinceMs: Date.now() },
    { id: "x-Kaito", name: "Kaito", role: "guest", you: false, here: false, sinceMs: Date.now() - 725_000 },
    ...room.people,
  ];
  room.told(room.say("Sefa", "Evening, all. Mirelle, is the ferry still running in this fog?"), {
    outcome: "answered",
    tookMs: 2_600,
    words: true,
  });
  room.speak(
    { kind: "public" },
    null,
    "The half past eight left without its passengers, so I suppose it is running.",
    "lifts the lamp off its hook",
  );
  room.told(room.say("Wen", "ha, that’s what they said about the last one"), { outcome: "not_addressed", tookMs: null, words: false });
  room.told(room.say("Bram", "Mirelle, what should people bring tomorrow evening?"), { outcome: "waiting", tookMs: null, words: true });
}

/** Open the operators' side over a room with people in it. */
async function openOwner(room: FakeRoom, look: Parameters<Playhouse["visit"]>[1] = DESK): Promise<Visit & AsyncDisposable> {
  const owner = await house.visit(room, look);
  await owner.openConsole();
  await owner.view.page.getByRole("link", { name: "Health" }).waitFor();
  return owner;
}

/** All looks where somebody wants the pictures; the two that differ most otherwise. */
const LOOKS = [
  { name: "desk-light", ...DESK },
  { name: "phone-dark", ...PHONE, dark: true },
  ...(process.env["TROUPE_SHOTS"] === undefined
    ? []
    : [
        { name: "desk-dark", ...DESK, dark: true },
        { name: "phone-light", ...PHONE },
        { name: "tablet-light", width: 900, height: 1_000 },
        { name: "narrow-dark", width: 320, height: 640, touch: true, dark: true },
        { name: "contrast-desk", ...DESK, forcedColors: true },
        { name: "low-phone", width: 740, height: 360, touch: true },
      ]),
];

for (const look of LOOKS) {
  test(`SE-086 the operators' pages by ${look.name}: complete, accessible, quiet`, async () => {
    await using room = await house.room({ ...CONSOLE, otherRooms: [{ name: "garden", title: "The Night Garden" }] });
    explain(room);
    fill(room);
    room.operations.agents.ask();
    const ago = (ms: number): { readonly firstAtMs: number; readonly lastAtMs: number } => ({
      firstAtMs: Date.now() - ms,
      lastAtMs: Date.now() - ms,
    });
    room.operations.notices = {
      notices: [
        { kind: "host_down", count: 1, ...ago(271_000), ids: ["spare/qwen3"], counts: {} },
        { kind: "somebody_tried", count: 3, ...ago(9e6), ids: ["m-8c25", "m-8c26"], counts: {} },
      ],
      dropped: 0,
    };
    await using owner = await openOwner(room, look);
    await inspect(owner, `console-stage-${look.name}`);
    for (const name of PAGES) {
      await goTo(owner, name);
      if (name === "Packets") await owner.view.page.getByText("Admitted, and answered by Mirelle").waitFor();
      await inspect(owner, `${name.toLowerCase()}-${look.name}`);
      await owner.view.page.evaluate("for (const each of document.querySelectorAll('.view--back, .packets__body')) each.scrollTo(0, 1e6)");
      await owner.view.shot(`${name.toLowerCase()}-${look.name}-end`);
    }
    room.operations.status = troubled();
    await owner.view.page.getByText("Second Life needs you.").waitFor();
    await owner.view.page.evaluate("document.querySelector('.view--back')?.scrollTo(0, 0)");
    await inspect(owner, `health-trouble-${look.name}`);
    await inspectQuestions(owner, look.name);
  });
}

/** Look at each question that can stand over the pages. */
async function inspectQuestions(owner: Visit, look: string): Promise<void> {
  const { page } = owner.view;
  const close = async (): Promise<void> => {
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  };
  await page.getByRole("button", { name: "Pause answering" }).click();
  await page.getByRole("dialog").waitFor();
  await inspect(owner, `pause-${look}`);
  await close();
  await goTo(owner, "People");
  await page.getByRole("button", { name: "Forget Sefa" }).click();
  await page.getByText("own lines").waitFor();
  await inspect(owner, `forget-${look}`);
  await close();
  await page.getByRole("button", { name: "Block Sefa" }).click();
  await page.getByRole("dialog").waitFor();
  await inspect(owner, `block-${look}`);
  await close();
  await page.getByRole("button", { name: "Private lines Sefa" }).click();
  await page.getByRole("dialog").waitFor();
  await inspect(owner, `lines-closed-${look}`);
  await page.getByRole("button", { name: "Open and note it" }).click();
  await page.getByText("under the third stair").waitFor();
  await inspect(owner, `lines-${look}`);
  await close();
}

test("TR-082 pausing asks who, where and for how long, holds on every page, and resuming is one press", async () => {
  await using room = await house.room(CONSOLE);
  await using owner = await openOwner(room);
  const { page } = owner.view;
  await owner.publicBox.focus();
  await page.keyboard.press("Shift+Escape");
  const dialog = page.getByRole("dialog", { name: "What should be silent?" });
  await dialog.waitFor();
  await dialog.getByRole("radio", { name: "Mirelle" }).check();
  await dialog.getByRole("radio", { name: "1 hour" }).check();
  await dialog.getByText("troupe pause --character mirelle --for 1h").waitFor();
  assert.deepEqual(room.operations.of("pause"), [], "nothing before the button");
  await dialog.getByRole("button", { name: "Pause Mirelle" }).click();
  await page.getByText("Mirelle is silent everywhere.").first().waitFor();
  assert.deepEqual(room.operations.of("pause"), [{ character: "mirelle", for: "1h" }]);
  await owner.view.shot("paused-one");
  assert.deepEqual(await owner.view.axe(), []);
  await goTo(owner, "People");
  await page
    .locator(".above")
    .getByRole("button", { name: /^Resume/ })
    .click();
  await page.locator(".above .strip").waitFor({ state: "detached" });
  assert.deepEqual(room.operations.of("resume"), [{ character: "mirelle" }]);
  await page.keyboard.press("Shift+Escape");
  await page.getByRole("button", { name: "Pause everything" }).click();
  await page.locator(".strip--stop").getByText("Nothing is answered.").waitFor();
  await page.getByRole("link", { name: "Stage", exact: true }).click();
  await owner.view.shot("paused-all");
  assert.deepEqual(await owner.view.axe(), []);
});

test("TR-091 SE-096 people are found, trusted, blocked for a time and forgotten only after their name is typed; private lines open only when asked", async () => {
  await using room = await house.room(CONSOLE);
  await using owner = await openOwner(room);
  const { page } = owner.view;
  await goTo(owner, "People");
  await page.keyboard.press("/");
  await page.keyboard.type("we");
  await page.getByRole("row", { name: /^Bram/ }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Trust Wen" }).click();
  await page.getByRole("dialog").getByText("an avatar on a grid").waitFor();
  await page.keyboard.press("Enter");
  assert.deepEqual(room.operations.of("trust"), [], "the question has the focus, not its button");
  await page.getByRole("dialog").getByRole("button", { name: "Trust Wen" }).click();
  await page.getByRole("button", { name: "Untrust Wen" }).waitFor();
  assert.equal(await page.getByRole("button", { name: "Trust Sefa" }).count(), 0, "a room's member is always a guest");
  await page.getByRole("searchbox").fill("");
  await page.getByRole("button", { name: "Block dex_91" }).click();
  await page.getByRole("radio", { name: "a day" }).check();
  await page.getByRole("dialog").getByRole("button", { name: "Block dex_91" }).click();
  await page.getByRole("button", { name: "Unblock dex_91" }).waitFor();
  assert.deepEqual(room.operations.of("block"), [{ person: "room:m-0c19zz", yes: true, for: "1d" }]);
  await page.getByRole("button", { name: "Private lines Sefa" }).click();
  await page.getByText("Opened 2 times").waitFor();
  assert.deepEqual(room.operations.of("lines"), [], "nothing is read before it is opened");
  await page.getByRole("button", { name: "Open and note it" }).click();
  await page.getByText("under the third stair").waitFor();
  assert.deepEqual(room.operations.of("lines"), [{ person: "room:m-03f2k1", character: "mirelle" }]);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Forget Sefa" }).click();
  const forget = page.getByRole("dialog").getByRole("button", { name: "Forget Sefa" });
  await page.getByText("own lines").waitFor();
  assert.equal(await forget.getAttribute("aria-disabled"), "true");
  await page.getByLabel("Type Sefa to confirm").fill("Sef");
  await page.keyboard.press("Enter");
  await page.getByLabel("Type Sefa to confirm").fill("Sefa");
  await forget.click();
  await page.getByRole("row", { name: /^Sefa/ }).waitFor({ state: "detached" });
  assert.deepEqual(room.operations.of("forget"), [{ person: "room:m-03f2k1" }, { person: "room:m-03f2k1", yes: true }]);
});

test("TR-092 costs are summed by space, person, character, model and day", async () => {
  await using room = await house.room(CONSOLE);
  await using owner = await openOwner(room);
  const { page } = owner.view;
  await goTo(owner, "Budgets");
  for (const [tab, row] of [
    ["Person", /^Bram/],
    ["Character", /^Tobias/],
    ["Model", /^local\/qwen3-8b/],
    ["Day", /^2026-11-30/],
  ] as const) {
    await page.getByRole("button", { name: tab, exact: true }).click();
    await page.getByRole("row", { name: row }).waitFor();
  }
  await page.getByText("used up: nothing more is asked").waitFor();
  await page.getByText("A price is unknown:").waitFor();
});

test("keys go to pages and along rows, never in a text box, and an address leads back to its page and turn", async () => {
  await using room = await house.room(CONSOLE);
  explain(room);
  await using owner = await openOwner(room);
  const { page } = owner.view;
  await page.keyboard.press("3");
  await page.getByText("What Mirelle saw").waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Tobias, answering Bram" }).waitFor();
  assert.equal(new URL(page.url()).hash, "#packets/t-0002");
  await page.reload();
  await page.getByRole("heading", { name: "Tobias, answering Bram" }).waitFor();
  await page.keyboard.press("6");
  await page.getByRole("heading", { name: "Health", level: 1 }).waitFor();
  await page.goBack();
  await page.getByRole("heading", { name: "Tobias, answering Bram" }).waitFor();
  await page.keyboard.press("4");
  await page.keyboard.press("/");
  await page.keyboard.type("12c");
  assert.equal(await page.getByRole("searchbox").inputValue(), "12c");
  await page.keyboard.press("Escape");
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keys" }).getByText("go to a page").waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("c");
  await owner.publicBox.and(page.locator(":focus")).waitFor();
});

test("SE-084 a question is shown whole on Backstage, in order and to the letter, and is answered as it was shown, once; what does not count says so", async () => {
  await using room = await house.room(CONSOLE);
  const { agents } = room.operations;
  agents.ask();
  await using owner = await openOwner(room);
  const { page } = owner.view;
  await page
    .getByRole("link", { name: /^Backstage/ })
    .getByText("1 waits")
    .waitFor();
  await page.keyboard.press("a");
  const card = page.getByRole("region", { name: "Question 7: may this run?" });
  await card.and(page.locator(":focus")).waitFor();
  await card.getByRole("button", { name: /^Allow once/ }).waitFor();
  assert.equal(await card.locator(".ask__call").textContent(), BYTES);
  const shown = (await card.textContent()) ?? "";
  const order = ["Asked because", "room:m-03f2k1, not you", BYTES, "in its own words:", "I would remind you"].map((words) =>
    shown.indexOf(words),
  );
  assert.ok(
    order.every((at, index) => at >= 0 && at > (order[index - 1] ?? -1)),
    String(order),
  );
  await page
    .locator(".chip")
    .filter({ hasText: "room:m-03f2k1" })
    .getByText(/^since \d\d:\d\d$/)
    .waitFor();

  agents.refuses = "Cannot allow: that question waits no more";
  await card.getByRole("button", { name: /^Allow once/ }).click();
  await page.getByRole("alert").getByText("that question waits no more").waitFor();
  owner.view.expectProblem(NETWORK);
  await owner.view.shot("backstage-refused");
  agents.refuses = null;
  await card.getByRole("radio", { name: /as long as this session lasts/ }).check();
  await card.getByRole("button", { name: /^Allow in this session/ }).dblclick();
  await card.waitFor({ state: "detached" });
  const [answer, ...others] = agents.answered;
  assert.deepEqual([answer, others], [{ act: "allow", id: "a-000007", digest: "9f2c".repeat(16), scope: "session" }, []]);
  await page.getByRole("heading", { level: 1 }).and(page.locator(":focus")).waitFor();
  assert.equal(await page.getByText("Nothing was answered.").count(), 0);

  agents.ask(8);
  const next = page.getByRole("region", { name: "Question 8: may this run?" });
  await next.getByRole("button", { name: "Deny and say why" }).click();
  await next.getByLabel("Why not?").and(page.locator(":focus")).waitFor();
  await page.keyboard.type("not on a Sunday");
  await page.keyboard.press("Enter");
  await next.waitFor({ state: "detached" });
  assert.deepEqual(agents.answered.at(-1), { act: "deny", id: "a-000008", digest: "9f2c".repeat(16), because: "not on a Sunday" });
});

test("TR-007 TR-073 Backstage shows what a turn is at, steers and stops it, and halts everything after asking; a draft and the focus outlive what comes in", async () => {
  await using room = await house.room(CONSOLE);
  const { agents } = room.operations;
  agents.run("calling", "note_write");
  await using owner = await openOwner(room);
  const { page } = owner.view;
  await goTo(owner, "Backstage");
  await page.getByText("runs note_write").waitFor();
  const box = page.getByRole("textbox", { name: "To this session" });
  await box.fill("and rope, please");
  agents.run("thinking", null);
  await page.getByText("waits for its model").waitFor();
  assert.equal(await owner.view.hasFocus(box), true);
  await box.press("Enter");
  await room.took("/steer and rope, please");
  assert.equal(await box.inputValue(), "");
  await page.getByRole("heading", { level: 1 }).click();
  await page.keyboard.press("Escape");
  await page.keyboard.press(".");
  await page.getByText("waits for its model").waitFor({ state: "detached" });
  assert.equal(agents.stopped, 1);
  await page.getByText("begins a turn").waitFor();
  await page.getByRole("button", { name: "Remove weekdays 8:00" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await page.getByText("Nothing happens by the clock.").waitFor();
  await page.getByRole("button", { name: "Halt everything" }).click();
  assert.equal(agents.halted, false, "it asks once");
  await page.getByRole("dialog", { name: "Halt everything?" }).getByRole("button", { name: "Halt everything" }).click();
  await page.getByText("is said at this computer’s terminal").waitFor();
  room.operations.failing.add("sessions");
  await page.getByText("Can’t read the sessions.").waitFor();
  await inspectTrouble(owner);
});

/** What failed is said, and what was told before stays. */
async function inspectTrouble(owner: Visit): Promise<void> {
  await owner.view.page.getByText("Winter timetable starts Friday").waitFor();
  await owner.view.shot("backstage-failed");
  owner.view.expectProblem(NETWORK);
  assert.deepEqual(await owner.view.axe(), []);
}

test("a part that fails says what, since when and which numbers still stand; a slow one has a placeholder; a broken link turns acts off", async () => {
  await using room = await house.room(CONSOLE);
  await using owner = await openOwner(room);
  const { page } = owner.view;
  room.operations.delayMs = 1_500;
  await page.getByRole("link", { name: "People" }).click();
  await page.getByText("Reading who is here").waitFor();
  await owner.view.shot("people-loading");
  room.operations.delayMs = 0;
  await page.getByText("2 operators").waitFor();
  await goTo(owner, "Health");
  room.operations.failing.add("status");
  await page.getByText("Can’t read how things are.").waitFor();
  await page.getByText(/What stands here is from \d\d:/).waitFor();
  await page.getByText("38.2 MB").waitFor();
  await owner.view.shot("health-failed");
  assert.deepEqual(await owner.view.axe(), []);
  room.operations.failing.clear();
  await page.getByRole("button", { name: "Ask again" }).click();
  await page.getByText("Can’t read how things are.").waitFor({ state: "detached" });
  owner.view.expectProblem(NETWORK);
  await goTo(owner, "People");
  await room.down();
  await page.getByText(/Not connected since/).waitFor();
  await page.getByRole("button", { name: "Stop at the terminal" }).waitFor();
  await page.getByRole("button", { name: "Block Sefa" }).dispatchEvent("click");
  assert.equal(await page.getByRole("dialog").count(), 0);
  await owner.view.shot("people-offline");
  assert.deepEqual(await owner.view.axe(), []);
  await room.up();
  await page.getByRole("button", { name: "Pause answering" }).waitFor();
  owner.view.expectProblem(NETWORK);
});

test("a page that cannot be drawn says so in its place, and the rest goes on", async () => {
  await using room = await house.room(CONSOLE);
  room.operations.packets = [{ ...room.operations.packets[0], packet: { id: "p-1" } } as never];
  await using owner = await openOwner(room);
  const { page } = owner.view;
  await page.getByRole("link", { name: "Packets" }).click();
  await page.getByText("This page could not be drawn.").waitFor();
  await owner.view.shot("page-broken");
  await goTo(owner, "Health");
  room.operations.packets = [];
  await page.getByRole("link", { name: "Packets" }).click();
  await page.getByText("No character has answered yet.").waitFor();
});

test("empty pages say what is so and what to do", async () => {
  await using room = await house.room(CONSOLE);
  room.operations.packets = [];
  await using owner = await openOwner(room);
  const { page } = owner.view;
  await page.getByRole("link", { name: "Packets" }).click();
  await page.getByText("No character has answered yet.").waitFor();
  await inspect(owner, "packets-empty");
  room.operations.agents.sessions = [];
  room.operations.agents.schedules = [];
  await page.getByRole("link", { name: "Backstage" }).click();
  await page.getByText("No sessions yet.").waitFor();
  await page.getByText("Nothing happens by the clock.").waitFor();
  await inspect(owner, "backstage-empty");
  room.operations.costs = 0;
  room.operations.budgets = { ...room.operations.budgets, budgets: [], unpricedModels: [] };
  await page.getByRole("link", { name: "Budgets" }).click();
  await page.getByText("No model was asked in this time.").waitFor();
  await page.getByText("No limit of the day is set.").waitFor();
  await inspect(owner, "budgets-empty");
  await goTo(owner, "People");
  await page.getByRole("searchbox").fill("zzz");
  await page.getByText("Nobody here has such a name or id.").waitFor();
  await inspect(owner, "people-empty");
});

test("several rooms: each keeps its own talk and drafts, and what one did not take is never said in another", async () => {
  await using room = await house.room({ ...CONSOLE, otherRooms: [{ name: "garden", title: "The Night Garden" }] });
  room.say("Bram", "said in the foyer");
  room.say("Wen", "said in the garden", Date.now(), "garden");
  await using owner = await openOwner(room);
  const { page } = owner.view;
  await owner.line("said in the foyer").waitFor();
  room.nextSay = { code: "too_many", message: "Slow down.", retryAfterMs: 60_000 };
  await owner.publicBox.fill("only for the foyer");
  await owner.publicBox.press("Enter");
  await owner.line("only for the foyer").getByText("not sent").waitFor();
  owner.view.expectProblem(NETWORK);
  await owner.publicBox.fill("a draft of the foyer");
  await page.getByRole("button", { name: "The Night Garden" }).click();
  await page.getByRole("heading", { level: 1, name: "The Night Garden" }).waitFor();
  await page.getByText("said in the garden").waitFor();
  assert.equal(await page.getByText("said in the foyer").count(), 0);
  assert.equal(await page.getByText("only for the foyer").count(), 0);
  assert.equal(await page.getByRole("textbox", { name: "Say in The Night Garden" }).inputValue(), "");
  assert.match(page.url(), /\?room=garden/);
  await owner.view.shot("stage-garden");
  await page.reload();
  await page.getByText("said in the garden").waitFor();
  assert.deepEqual(room.ledger, []);
  await page.getByRole("button", { name: "The Foyer" }).click();
  await owner.line("said in the foyer").waitFor();
  assert.equal(await owner.publicBox.inputValue(), "a draft of the foyer");
  await room.took("only for the foyer");
});

test("SE-086 a guest's page loads nothing of the operators' pages", async () => {
  await using room = await house.room();
  await using ann = await house.visit(room);
  await ann.comeIn("Ann");
  await ann.say("good evening");
  const scripts = room.requests.filter((request) => request.endsWith(".js"));
  assert.equal(scripts.length, 1, scripts.join(", "));
  assert.equal(room.operations.calls.length, 0);
});
