import { BARE_HOSTS, LINK_LIKE } from "./link-like.ts";

/** Characters that begin an order to a gadget when a word stands directly behind them (SE-095). */
const COMMAND_PREFIXES = "/!.?$%&#;:=@~-\\";
const MAX_COMBINING = 4;

/** Count of what was changed, by code. */
export type Changes = Map<string, number>;

/** What a place lets through. */
export interface InertRules {
  /** Exact URL prefixes that stay (TR-090); `any` in an operator's own line (TR-059). */
  readonly links: readonly string[] | "any";
  /** Words for a region's gadgets that are never said. */
  readonly neverSay: readonly string[];
  /** Characters that may not stand directly before a line's first word. */
  readonly commandPrefixes: string;
}

interface Step {
  readonly code: string;
  readonly pattern: RegExp;
  readonly by: string | ((found: string, before: string, rules: InertRules) => string);
}

const unlessAllowed = (found: string, before: string, { links }: InertRules): string => {
  if (links === "any") return found;
  return allowedForm(found, links) ?? (isInsideAllowed(before, found, links) ? found : "[link]");
};

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
  ...[LINK_LIKE, ...BARE_HOSTS].map((pattern): Step => ({ code: "link", pattern, by: unlessAllowed })),
  { code: "masked_link", pattern: /\](?=\()/gu, by: "] " },
  { code: "mention", pattern: /@(?=[\p{L}\p{N}<&])/gu, by: "＠" },
  { code: "mention", pattern: /<(?=[#@:/]|[a-z]{1,4}:)/gu, by: "‹" },
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
export function inertLineStarts(text: string, prefixes: string = COMMAND_PREFIXES): string {
  if (prefixes === "") return text;
  return text.replace(startsWith(prefixes), "$1 ");
}

/** One set of prefixes is used for a long time, and its pattern is made once. */
let made: { readonly prefixes: string; readonly pattern: RegExp } | null = null;

function startsWith(prefixes: string): RegExp {
  if (made?.prefixes !== prefixes)
    made = { prefixes, pattern: new RegExp(`^([\\s]*[${prefixes.replace(/[\\\]^-]/g, "\\$&")}]+)(?=[\\p{L}\\p{N}_])`, "gmu") };
  return made.pattern;
}

/** The address as its parser writes it when it is allowed, so that what was compared is what is sent; else null. */
function allowedForm(found: string, links: readonly string[]): string | null {
  const url = URL.parse(found);
  if (url === null || url.username !== "" || url.password !== "") return null;
  return links.some((prefix) => url.href.startsWith(prefix)) ? url.href : null;
}

/** Whether what was found is a later piece of an allowed address, for readers who take it as one. */
function isInsideAllowed(before: string, found: string, links: readonly string[]): boolean {
  const start = /[^\s<>"'`]*$/u.exec(before)?.[0] ?? "";
  return start.includes("://") && allowedForm(start + found, links) !== null;
}

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}
