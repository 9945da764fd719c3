import type { Locator } from "playwright-core";
import type { BuiltFile } from "./built-page.ts";
import { buildPage } from "./built-page.ts";
import { FakeRoom } from "./fake-room.ts";
import type { FakeRoomOptions } from "./fake-room.ts";
import { DESK, launchBrowser } from "./harness.ts";
import type { PageOptions, TestBrowser, TestPage } from "./harness.ts";

/** How a page is looked at. */
export type Look = Omit<PageOptions, "origins">;

/** What a page can be opened in. */
export interface Visited {
  readonly origin: string;
}

/** One person's page in a room, and the few things that every test does with it. */
export class Visit<Room extends Visited = FakeRoom> {
  readonly room: Room;
  readonly view: TestPage;

  constructor(room: Room, view: TestPage) {
    this.room = room;
    this.view = view;
  }

  /** Come in under a name, as a guest. */
  async comeIn(name: string): Promise<void> {
    await this.view.page.goto(`${this.room.origin}/`);
    await this.view.page.getByLabel("Your name").fill(name);
    await this.view.page.keyboard.press("Enter");
    await this.inside();
  }

  /** Open the operators' side with a code. */
  async openConsole(): Promise<void> {
    await this.view.page.goto(`${this.room.origin}/#code=good-code`);
    await this.inside();
  }

  /** Wait until the room stands. */
  async inside(): Promise<void> {
    await this.view.page.getByRole("heading", { level: 1, name: "The Foyer" }).waitFor();
  }

  get publicBox(): Locator {
    return this.view.page.getByRole("textbox", { name: "Say in The Foyer" });
  }

  get privateBox(): Locator {
    return this.view.page.getByRole("textbox", { name: "Say to Mirelle, privately" });
  }

  /** The script of the room. */
  get script(): Locator {
    return this.view.page.getByRole("log", { name: "Said in The Foyer" });
  }

  /** Say a line in public and wait until the script has it. */
  async say(text: string): Promise<void> {
    await this.publicBox.fill(text);
    await this.publicBox.press("Enter");
    await this.script.locator("[data-line]").filter({ hasText: text }).waitFor();
  }

  /** Go to the end of the talk, which may be there already. */
  async goToNow(): Promise<void> {
    const button = this.view.page.getByRole("button", { name: /newer line/ });
    await button.or(this.script.getByText("part 1 of 2")).first().waitFor();
    if (await button.isVisible()) await button.click();
  }

  /** Scroll the script, as a person with a wheel does. */
  async scrollTo(top: number): Promise<void> {
    await this.view.page.evaluate(`document.querySelector('[data-log="public"]').scrollTop = ${top}`);
    await this.view.page.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))");
  }

  /** The topmost line in view and where it stands, and how far the end is. */
  async reading(): Promise<{ readonly top: string; readonly below: number }> {
    return this.view.page.evaluate(`(() => {
      const box = document.querySelector('[data-log="public"]');
      const line = [...box.querySelectorAll("[data-line]")].find((each) => each.offsetTop + each.offsetHeight > box.scrollTop);
      return { top: line.innerText + Math.round(line.offsetTop - box.scrollTop), below: box.scrollHeight - box.scrollTop - box.clientHeight };
    })()`);
  }

  /** The line of the script that holds a text. */
  line(text: string): Locator {
    return this.script.getByRole("listitem").filter({ hasText: text });
  }
}

/** One browser and one built page for a test file. */
export class Playhouse implements AsyncDisposable {
  readonly #browser: TestBrowser;
  readonly #files: ReadonlyMap<string, BuiltFile>;

  constructor(browser: TestBrowser, files: ReadonlyMap<string, BuiltFile>) {
    this.#browser = browser;
    this.#files = files;
  }

  /** Start a fake room of its own. */
  room(options: Omit<FakeRoomOptions, "files"> = {}): Promise<FakeRoom> {
    return FakeRoom.start({ ...options, files: this.#files });
  }

  /** Open a page of that room, not yet loaded. */
  async visit(room: FakeRoom, look: Look = DESK): Promise<Visit & AsyncDisposable> {
    const view = await this.#browser.open({ ...look, origins: [room.origin] });
    return Object.assign(new Visit(room, view), { [Symbol.asyncDispose]: () => view[Symbol.asyncDispose]() });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser[Symbol.asyncDispose]();
  }
}

/** Build the page and start the browser. */
export async function openPlayhouse(): Promise<Playhouse> {
  const [browser, files] = await Promise.all([launchBrowser(), buildPage()]);
  return new Playhouse(browser, files);
}
