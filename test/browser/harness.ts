import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import packedChromium from "@sparticuz/chromium";
import { chromium } from "playwright-core";
import type { Browser, BrowserContext, ConsoleMessage, Locator, Page, Route } from "playwright-core";

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "..", "..");
const resolveFrom = createRequire(import.meta.url);

/** A name of somebody else that leads a test's browser to this machine. */
export const REBOUND = "rebound.example";

/** A name of an own network that leads a test's browser to this machine: no secure context, so no fetch metadata. */
export const OWN_NETWORK = "inn.local";

/** No sandbox, because tests run as root in containers; the rest keeps the browser from calling anybody. */
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
  "--font-render-hinting=none",
  `--host-resolver-rules=MAP ${REBOUND} 127.0.0.1,MAP ${OWN_NETWORK} 127.0.0.1`,
];

/** How long a page may take for one thing; a slow machine needs a fraction of it. */
const WAIT_MS = 10_000;

/** What a page is opened with. */
export interface PageOptions {
  readonly width?: number;
  readonly height?: number;
  readonly dark?: boolean;
  readonly touch?: boolean;
  readonly reducedMotion?: boolean;
  readonly forcedColors?: boolean;
  /** Zoom of the whole page: the window holds so many times fewer of its pixels. */
  readonly zoom?: number;
  /** Share storage with another page: a second tab of the same person. */
  readonly with?: TestPage;
  /** Loading of addresses outside these origins is refused and reported as an error. */
  readonly origins: readonly string[];
}

/** Desktop and phone, as the design's reference pictures are taken. */
export const DESK = { width: 1440, height: 900 } as const;
/** See {@link DESK}. */
export const PHONE = { width: 390, height: 844, touch: true } as const;

/** One open page, and what went wrong on it. */
export class TestPage implements AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Console errors and warnings, uncaught exceptions, and requests that left the given origins. */
  readonly problems: string[] = [];
  readonly #ownsContext: boolean;

  constructor(page: Page, context: BrowserContext, ownsContext: boolean) {
    this.page = page;
    this.context = context;
    this.#ownsContext = ownsContext;
  }

  /** Watch the page, and refuse whatever it asks of others than `origins`. */
  async watch(origins: readonly string[]): Promise<void> {
    this.page.on("pageerror", (error) => this.problems.push(`exception: ${error.message}`));
    this.page.on("console", (message: ConsoleMessage) => {
      if (message.type() === "error" || message.type() === "warning") this.problems.push(`${message.type()}: ${message.text()}`);
    });
    await this.page.route("**/*", (route: Route) => {
      const url = route.request().url();
      if (origins.some((origin) => url.startsWith(`${origin}/`))) return route.continue();
      this.problems.push(`left the machine: ${url}`);
      return route.abort();
    });
  }

  /** The page of a new window that an act opens, watched like this one. Closing the context ends it. */
  async opens(act: () => Promise<unknown>, origins: readonly string[]): Promise<TestPage> {
    const [page] = await Promise.all([this.context.waitForEvent("page"), act()]);
    const opened = new TestPage(page, this.context, false);
    await opened.watch(origins);
    return opened;
  }

  /** Whether an element stands in the window, as far as it fits. */
  async isInWindow(element: Locator): Promise<boolean> {
    const box = await element.boundingBox();
    const size = this.page.viewportSize();
    return (
      box !== null && size !== null && box.x >= 0 && box.y >= 0 && box.x + box.width <= size.width && box.y + box.height <= size.height
    );
  }

  /** Forget console lines that a test provoked on purpose; fails when there was none. */
  expectProblem(pattern: RegExp): void {
    const kept = this.problems.filter((problem) => !pattern.test(problem));
    if (kept.length === this.problems.length) throw new Error(`no console line matches ${pattern.source}`);
    this.problems.splice(0, this.problems.length, ...kept);
  }

  /** Violations of the accessibility rules, one line each; evaluated outside the page's content policy, which stays in force. */
  async axe(): Promise<readonly string[]> {
    const source = await readFile(resolveFrom.resolve("axe-core/axe.min.js"), "utf8");
    await this.page.evaluate(`(() => { const module = undefined, define = undefined; ${source}\n })()`);
    const result = await this.page.evaluate<AxeResult>("globalThis.axe.run(document, { resultTypes: ['violations'] })");
    return result.violations.map(
      (each) => `${each.id}: ${each.nodes.map((node) => `${node.html} ${node.failureSummary ?? ""}`).join(" | ")}`,
    );
  }

  /** A picture for the eye, into `TROUPE_SHOTS`; nothing without it. */
  async shot(name: string): Promise<void> {
    const folder = process.env["TROUPE_SHOTS"];
    if (folder === undefined || folder === "") return;
    await mkdir(folder, { recursive: true });
    await this.page.screenshot({ path: join(folder, `${name}.png`) });
  }

  /** Whether an element has the focus. */
  async hasFocus(element: Locator): Promise<boolean> {
    return (await element.and(this.page.locator(":focus")).count()) === 1;
  }

  /** Whether the page is wider than its window. */
  async overflowsSideways(): Promise<boolean> {
    return this.page.evaluate<boolean>("document.documentElement.scrollWidth > document.documentElement.clientWidth");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (this.#ownsContext ? this.context.close() : this.page.close());
  }
}

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
  }[];
}

/** The one browser of a test file; a page per test. */
export class TestBrowser implements AsyncDisposable {
  readonly #browser: Browser;

  constructor(browser: Browser) {
    this.#browser = browser;
  }

  /** Open a blank page of its own person, or of the same one as `options.with`. */
  async open(options: PageOptions): Promise<TestPage> {
    const zoom = options.zoom ?? 1;
    const context =
      options.with?.context ??
      (await this.#browser.newContext({
        viewport: { width: (options.width ?? DESK.width) / zoom, height: (options.height ?? DESK.height) / zoom },
        deviceScaleFactor: zoom,
        colorScheme: options.dark === true ? "dark" : "light",
        hasTouch: options.touch === true,
        isMobile: options.touch === true,
        reducedMotion: options.reducedMotion === true ? "reduce" : "no-preference",
        forcedColors: options.forcedColors === true ? "active" : "none",
        locale: "en-GB",
      }));
    context.setDefaultTimeout(WAIT_MS);
    const opened = new TestPage(await context.newPage(), context, options.with === undefined);
    await opened.watch(options.origins);
    return opened;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close();
  }
}

/**
 * Start a headless Chromium from its npm package; no system package is needed. `textPixels` is the size of text that its user has
 * chosen, 16 for most. Dispose it to end it.
 */
export async function launchBrowser(options: { readonly textPixels?: number } = {}): Promise<TestBrowser> {
  const folder = await unpackChromium();
  const fonts = existsSync("/etc/fonts") ? {} : { FONTCONFIG_PATH: join(folder, "fonts") };
  const browser = await chromium.launch({
    executablePath: join(folder, "chromium"),
    args: options.textPixels === undefined ? FLAGS : [...FLAGS, `--blink-settings=defaultFontSize=${options.textPixels}`],
    headless: true,
    env: { ...plainEnvironment(), ...fonts },
  });
  return new TestBrowser(browser);
}

/**
 * The package unpacks to fixed names in the temporary folder, where two test files would race for them. It is unpacked into
 * a folder of this process's own and moved into place whole; whoever comes second uses the first one's.
 */
async function unpackChromium(): Promise<string> {
  const cache = join(ROOT, "node_modules", ".cache");
  const { version } = JSON.parse(await readFile(join(ROOT, "node_modules/@sparticuz/chromium/package.json"), "utf8")) as {
    version: string;
  };
  const target = join(cache, `chromium-${version}`);
  if (existsSync(target)) return target;
  await mkdir(cache, { recursive: true });
  const staging = await mkdtemp(join(cache, "unpacking-"));
  const before = process.env["TMPDIR"];
  process.env["TMPDIR"] = staging;
  try {
    packedChromium.setGraphicsMode = false;
    await packedChromium.executablePath();
  } finally {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
  }
  try {
    await rename(staging, target);
  } catch (error) {
    if (!existsSync(target)) throw error;
    await rm(staging, { recursive: true, force: true });
  }
  return target;
}

/** Proxies of the test's own environment are not the browser's business. */
function plainEnvironment(): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) if (value !== undefined && !/proxy/i.test(name)) kept[name] = value;
  kept["HOME"] ??= tmpdir();
  return kept;
}
