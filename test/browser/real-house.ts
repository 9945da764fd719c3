import type { Page } from "playwright-core";
import { buildPage } from "./built-page.ts";
import { DESK, launchBrowser } from "./harness.ts";
import type { TestBrowser, TestPage } from "./harness.ts";
import { Checkout, RealRoom } from "./real-process.ts";
import { Visit } from "./visit.ts";
import type { Look } from "./visit.ts";

/** One person's page in the real product. */
export class RealVisit extends Visit<RealRoom> implements AsyncDisposable {
  /** Come in at the door that is shown, as a guest. */
  async name(name: string): Promise<void> {
    await this.page.getByRole("heading", { name: "Who is coming in?" }).waitFor();
    await this.page.getByLabel("Your name").fill(name);
    await this.page.keyboard.press("Enter");
    await this.inside();
  }

  get page(): Page {
    return this.view.page;
  }

  /** The private line's script. */
  get privateScript(): ReturnType<Page["getByRole"]> {
    return this.page.getByRole("log", { name: "Said to Mirelle in private" });
  }

  /** Show a part of the stage where only one is shown at a time. */
  async show(pane: "Room" | "Private line" | "Who is here"): Promise<void> {
    const tab = this.page.getByRole("button", { name: pane, exact: true });
    if (await tab.isVisible()) await tab.click();
  }

  /** Every text that stands in the document, shown or not. */
  async allText(): Promise<string> {
    return this.page.evaluate<string>("document.documentElement.textContent");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.view[Symbol.asyncDispose]();
  }
}

/** The real product's processes and one real browser for a test file. */
export class RealHouse implements AsyncDisposable {
  readonly browser: TestBrowser;
  readonly #checkout: Checkout;

  constructor(browser: TestBrowser, checkout: Checkout) {
    this.browser = browser;
    this.#checkout = checkout;
  }

  /** Start the product in a folder of its own. */
  room(host: string | null = null, model: string | null = null): Promise<RealRoom> {
    return RealRoom.open(this.#checkout, host, model);
  }

  /** A browser of somebody's own, its page not yet loaded. */
  async visit(room: RealRoom, look: Look = DESK, browser: TestBrowser = this.browser): Promise<RealVisit> {
    return new RealVisit(room, await browser.open({ ...look, origins: originsOf(room) }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.browser[Symbol.asyncDispose]();
    await this.#checkout[Symbol.asyncDispose]();
  }
}

/** Where pages of a room may load from: its two doors, and the file that leads to the second. */
export function originsOf(room: RealRoom): readonly string[] {
  return [room.origin, room.consoleOrigin, `file://${room.folder}`];
}

/** The page of a window that `act` opens, as somebody's. */
export async function openedBy(view: TestPage, room: RealRoom, act: () => Promise<unknown>): Promise<RealVisit> {
  return new RealVisit(room, await view.opens(act, originsOf(room)));
}

/** Build the page, copy the sources and start the browser. */
export async function openRealHouse(): Promise<RealHouse> {
  const [browser, page] = await Promise.all([launchBrowser(), buildPage()]);
  return new RealHouse(browser, await Checkout.make(page));
}
