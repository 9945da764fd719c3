import assert from "node:assert/strict";
import { after, before, test } from "node:test";
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

const TWO = [
  { id: "mirelle", name: "Mirelle", understudy: false },
  { id: "tobias", name: "Tobias", understudy: false },
];

const EXPLANATION = {
  atMs: 1_800_000_000_300,
  surface: "parlour",
  place: "public:parlour",
  person: "room:m-02aa",
  character: "mirelle",
  admission: "admitted",
  reason: null,
  gate: "address",
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
    skipped: [],
    usage: { promptTokens: 1_204, completionTokens: 58, costMicros: 100 },
    candidates: 0,
    packet: { id: "p-0f41", bytes: 3_412, segments: [], withheld: [{ class: "direct", count: 1 }] },
    gate: [],
  },
  parts: [{ id: "t-0001.0", state: "delivered", reason: "", settledAtMs: 1_800_000_003_179 }],
};

/** A room where people have talked: answered, not answered, and one line being spoken. */
function fill(room: FakeRoom): void {
  room.people = [
    { id: "x-Bram", name: "Bram", role: "guest", you: false, here: true, sinceMs: Date.now() },
    { id: "x-Kaito", name: "Kaito", role: "guest", you: false, here: false, sinceMs: Date.now() - 725_000 },
    ...room.people,
  ];
  room.say("Bram", "Mirelle, what should people bring tomorrow evening?");
  room.speak(
    { kind: "public" },
    null,
    "Something warm to wear and something to sit on. No speeches. The last one ran past the second ferry.",
    "lifts the lamp off its hook and looks toward the quay",
  );
  room.say("Wen", "ha, that’s what they said about the last one");
}

/** Have a line of one's own in each outcome. */
async function haveOutcomes(visit: Visit): Promise<void> {
  await visit.say("Mirelle, is the ferry still running in this fog?");
  visit.room.settle(visit.room.lastSaid.id, "answered", 912);
  await visit.say("evening, all");
  visit.room.settle(visit.room.lastSaid.id, "not_addressed", null);
  await visit.say("Mirelle, and now?");
}

/** Look at a page: picture, accessibility, width, console. */
async function inspect(visit: Visit, name: string): Promise<void> {
  await visit.view.shot(name);
  assert.deepEqual(await visit.view.axe(), [], `${name}: axe`);
  assert.equal(await visit.view.overflowsSideways(), false, `${name}: wider than the window`);
  assert.deepEqual(visit.view.problems, [], `${name}: console`);
}

const LOOKS = [
  { name: "desk-light", ...DESK },
  { name: "desk-dark", ...DESK, dark: true },
  { name: "phone-light", ...PHONE },
  { name: "phone-dark", ...PHONE, dark: true },
  { name: "tablet-light", width: 900, height: 1000 },
  { name: "narrow-dark", width: 320, height: 640, touch: true, dark: true },
  { name: "contrast-desk", ...DESK, forcedColors: true },
  { name: "low-phone", width: 740, height: 360, touch: true },
];

for (const look of LOOKS) {
  test(`TR-080 TR-084 a guest's room by ${look.name}: complete, accessible, quiet`, async () => {
    await using room = await house.room();
    fill(room);
    await using ann = await house.visit(room, look);
    await ann.view.page.goto(`${room.origin}/`);
    await ann.view.page.getByRole("heading", { name: "Who is coming in?" }).waitFor();
    await inspect(ann, `door-${look.name}`);
    await ann.comeIn("Sefa");
    await haveOutcomes(ann);
    room.setTyping([{ character: "mirelle", place: { kind: "public" }, sinceMs: Date.now() - 4_200 }]);
    await ann.line("asked 4 s ago").waitFor();
    await ann.publicBox.blur();
    await inspect(ann, `guest-${look.name}`);
    await ann.line("Mirelle, is the ferry").getByRole("button", { name: /^why/ }).click();
    await ann.script.getByText("Answered, 0.9 s.").waitFor();
    for (const pane of ["Private line", "Who is here"]) {
      const tab = ann.view.page.getByRole("button", { name: pane, exact: true });
      if (await tab.isVisible()) {
        await tab.click();
        await inspect(ann, `guest-${pane.replaceAll(" ", "-").toLowerCase()}-${look.name}`);
      }
    }
  });

  test(`SE-094 an operator's room by ${look.name}: the road with its stations, accessible, quiet`, async () => {
    await using room = await house.room({
      door: "console",
      voice: { kind: "model", model: "local/qwen3-8b", firstTokenMs: 240 },
      characters: TWO,
    });
    fill(room);
    const asked = room.lines[0]?.line.id ?? "";
    room.whys.set(asked, {
      lineId: asked,
      outcome: "answered",
      tookMs: 2_879,
      words: true,
      command: `troupe why ${asked}`,
      explanation: EXPLANATION,
    });
    await using owner = await house.visit(room, look);
    await owner.openConsole();
    await owner.line("what should people bring").getByRole("button", { name: /^why/ }).click();
    await owner.script.getByText("Admitted, and answered by Mirelle").waitFor();
    await owner.script.getByText(`troupe why ${asked}`).waitFor();
    const head = room.head({ kind: "public" }, "sets the lamp down", 2);
    room.push({ type: "part", head, part: { id: `${head.id}.0`, index: 0, body: "Lamps along the quay, if the fog allows." } });
    await owner.goToNow();
    await owner.script.getByText("part 1 of 2").waitFor();
    await inspect(owner, `operator-${look.name}`);
    assert.equal(new URL(owner.view.page.url()).hash, "", "the code stands in no address");
  });
}

test("an empty room, a slow one and a model out of reach say so", async () => {
  await using room = await house.room({ voice: { kind: "offline", sinceMs: Date.now() } });
  await using ann = await house.visit(room);
  await ann.comeIn("Ann");
  await ann.script.getByText("nothing has been said in it").waitFor();
  await ann.view.page.getByText("The model can’t be reached since").waitFor();
  await inspect(ann, "empty-offline-model");
  room.streamDelayMs = 2_500;
  await ann.view.page.reload({ waitUntil: "commit" });
  await ann.view.page.getByText("Opening the room").waitFor();
  await inspect(ann, "loading");
  await ann.inside();
});

test("SE-103 markup in names and lines is shown and never run", async () => {
  await using room = await house.room();
  room.say("<b>Eve</b>", "<img src=x onerror=alert(1)> <script>alert(2)</script>");
  room.speak({ kind: "public" }, null, "<svg onload=alert(3)>", "<i>bows</i>");
  await using ann = await house.visit(room);
  await ann.comeIn("Ann");
  await ann.line("<img src=x onerror=alert(1)> <script>alert(2)</script>").waitFor();
  await ann.line("(<i>bows</i>) <svg onload=alert(3)>").waitFor();
  assert.equal(await ann.script.locator("img, script, b, i").count(), 0);
  assert.deepEqual(ann.view.problems, []);
});

test("SE-086 the page's own policy refuses inline code and markup from strings", async () => {
  await using room = await house.room();
  await using ann = await house.visit(room);
  await ann.comeIn("Ann");
  const refused = await ann.view.page.evaluate<boolean>(
    `(() => { try { document.createElement("p").innerHTML = "<b>x</b>"; return false; } catch { return true; } })()`,
  );
  assert.equal(refused, true);
  ann.view.expectProblem(/TrustedHTML/);
});
