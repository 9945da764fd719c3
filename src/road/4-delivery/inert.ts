const PREFIXES = "/!.?$%&#;:=@~\\-";
const MAX_COMBINING = 4;

/** Count of what was changed, by code. */
export type Changes = Map<string, number>;

/** What a space lets through. */
export interface InertRules {
  /** Exact URL prefixes that stay (TR-090). */
  readonly links: readonly string[];
  /** Words for a region's gadgets that are never said. */
  readonly neverSay: readonly string[];
}

const URL_LIKE =
  /[a-z0-9+.-]{1,40}:\/\/[^\s<>"'`]*|(?<![\p{L}\p{N}_])www\.[^\s<>"'`]+|\b(?:discord\.gg|discord(?:app)?\.com\/invite|secondlife:)\/?[^\s<>"'`]*/giu;
const BARE_DOMAIN =
  /(?<![\p{L}\p{N}@./-])(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:com|net|org|io|gg|dev|app|info|biz|co|me|tv|xyz|ru|cn|de|uk|eu|us|example|link|site|online|shop|top|live|chat|ai)(?:[:/][^\s<>"'`]*)?(?![\p{L}\p{N}-])/giu;
const IP_ADDRESS = /(?<![\p{L}\p{N}.])(?:\d{1,3}\.){3}\d{1,3}(?::\d{1,5})?(?:\/[^\s<>"'`]*)?(?![\p{L}\p{N}.])/gu;

interface Step {
  readonly code: string;
  readonly pattern: RegExp;
  readonly by: string | ((found: string, before: string, rules: InertRules) => string);
}

const unlessAllowed = (found: string, before: string, rules: InertRules): string =>
  isAllowed(found, rules.links) || isInsideAllowed(before, found, rules.links) ? found : "[link]";

/** In this order: what hides is taken out before what links is looked for. */
const STEPS: readonly Step[] = [
  { code: "line_break", pattern: /\r\n?|[\u2028\u2029]/gu, by: "\n" },
  // The joiner stays between two pictographs, where it makes one emoji of them.
  {
    code: "control",
    pattern: /(?!\n)(?!(?<=\p{Extended_Pictographic}[\uFE0F\p{Emoji_Modifier}]?)\u200D(?=\p{Extended_Pictographic}))[\p{Cc}\p{Cf}]/gu,
    by: (found) => (found === "\t" ? " " : ""),
  },
  {
    code: "combining",
    pattern: new RegExp(`\\p{M}{${MAX_COMBINING + 1},}`, "gu"),
    by: (found) => Array.from(found).slice(0, MAX_COMBINING).join(""),
  },
  { code: "link", pattern: URL_LIKE, by: unlessAllowed },
  { code: "link", pattern: BARE_DOMAIN, by: unlessAllowed },
  { code: "link", pattern: IP_ADDRESS, by: unlessAllowed },
  { code: "masked_link", pattern: /\](?=\()/gu, by: "] " },
  { code: "mention", pattern: /@(?=[\p{L}\p{N}<&])/gu, by: "＠" },
  { code: "mention", pattern: /<(?=[#@:/])/gu, by: "‹" },
];

/**
 * Make a text inert for machines as well as harmless to read (SE-095, MC-055, MC-056, TR-059): no link, no mention, no masked link,
 * no bidi or invisible control except the joiner inside emoji, at most four combining marks in a row. What was changed is
 * counted in `changes`. Line starts are the business of {@link inertLineStarts}, once parts are cut.
 */
export function inertText(text: string, rules: InertRules, changes: Changes): string {
  const change = (rest: string, step: Step): string => {
    const by = step.by;
    return rest.replace(step.pattern, (...groups: unknown[]) => {
      const found = String(groups[0]);
      const at = groups.find((group) => typeof group === "number") ?? 0;
      const put = typeof by === "string" ? by : by(found, rest.slice(0, at), rules);
      if (put !== found) changes.set(step.code, (changes.get(step.code) ?? 0) + 1);
      return put;
    });
  };
  const banned = rules.neverSay.map((word): Step => ({ code: "never_say", pattern: new RegExp(escape(word), "giu"), by: "—" }));
  return [...STEPS, ...banned].reduce(change, text.normalize("NFC").toWellFormed());
}

/** Part a command prefix from the word behind it at the start of every line, so that no gadget takes the line for an order. */
export function inertLineStarts(text: string): string {
  return text.replace(new RegExp(`^([\\s]*[${PREFIXES}]+)(?=[\\p{L}\\p{N}_])`, "gmu"), "$1 ");
}

/** Compared after parsing, so that `https://good.example@evil.example` is what it really is. */
function isAllowed(found: string, links: readonly string[]): boolean {
  const url = URL.parse(found);
  return url !== null && url.username === "" && url.password === "" && links.some((prefix) => url.href.startsWith(prefix));
}

function isInsideAllowed(before: string, found: string, links: readonly string[]): boolean {
  const start = /\S*$/u.exec(before)?.[0] ?? "";
  return start !== "" && isAllowed(start + found, links);
}

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&");
}
