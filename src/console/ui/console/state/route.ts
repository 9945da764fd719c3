/** The console's pages, in the order of their numbers. */
export const CONSOLE_PAGES = ["stage", "backstage", "packets", "people", "budgets", "health"] as const;
/** One of {@link CONSOLE_PAGES}. */
export type ConsolePage = (typeof CONSOLE_PAGES)[number];

/** Which page is shown, and what on it; accounts of people never stand in an address. */
export interface Route {
  readonly page: ConsolePage;
  /** A turn on Packets, a session or a question on Backstage; null elsewhere and for the newest. */
  readonly item: string | null;
}

/** Where one begins. */
export const STAGE_ROUTE: Route = { page: "stage", item: null };

const OWN_ID = /^[a-z]-[0-9a-z]{4,32}$/;

/** What a fragment names; null for one that names no page, a one-time code among them. */
export function routeOf(fragment: string): Route | null {
  const [name, item] = fragment.replace(/^#/, "").split("/");
  const page = CONSOLE_PAGES.find((each) => each === name);
  if (page === undefined) return null;
  return { page, item: (page === "packets" || page === "backstage") && item !== undefined && OWN_ID.test(item) ? item : null };
}

/** The fragment of a route. */
export function hashOf({ page, item }: Route): string {
  return item === null ? `#${page}` : `#${page}/${item}`;
}
