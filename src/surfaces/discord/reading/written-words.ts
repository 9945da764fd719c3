/** Code, quotes and escaped marks of a message: nothing in them is said by its writer to anybody (SE-096). */
const NOT_SAID = /```[\s\S]*?(?:```|(?![\s\S]))|(`{1,2})[^\n]*?\1|^[ \t]*>>>[\s\S]*|^[ \t]*>[^\n]*|\\[@<]\S*/gm;
const MAX_NAME = 80;

/** The message with everything blanked that its writer does not say: what is left keeps its place. */
export function saidWords(content: string): string {
  return content.replace(NOT_SAID, (text) => " ".repeat(text.length));
}

/** Accounts, roles and everybody that a message calls by the platform's marks, in its writer's own words. */
export interface Calls {
  readonly users: readonly string[];
  readonly roles: readonly string[];
  readonly everyone: boolean;
}

/** Read the calls of a message from its words, never from the list beside them: that names also whom a reply pings. */
export function callsIn(content: string): Calls {
  const said = saidWords(content);
  return {
    users: [...said.matchAll(/<@!?(\d{1,20})>/g)].map((match) => match[1] ?? ""),
    roles: [...said.matchAll(/<@&(\d{1,20})>/g)].map((match) => match[1] ?? ""),
    everyone: /@(?:everyone|here)\b/.test(said),
  };
}

/** Names for the ids in a text. */
export interface Names {
  user(id: string): string | null;
  role(id: string): string | null;
  channel(id: string): string | null;
}

/** A message as people see it: ids by the names they stand for. */
export function shownWords(content: string, names: Names): string {
  return content
    .replace(/<@!?(\d{1,20})>/g, (_, id: string) => `@${oneLine(names.user(id) ?? "someone")}`)
    .replace(/<@&(\d{1,20})>/g, (_, id: string) => `@${oneLine(names.role(id) ?? "role")}`)
    .replace(/<#(\d{1,20})>/g, (_, id: string) => `#${oneLine(names.channel(id) ?? "channel")}`)
    .replace(/<a?:(\w{1,32}):\d{1,20}>/g, ":$1:")
    .replace(/<\/([\w -]{1,100}):\d{1,20}>/g, "/$1");
}

/** Marks that call these ids taken off the front, with the punctuation behind them. */
export function withoutCall(content: string, ids: { readonly user: string; readonly role: string | null }): string {
  const marks = [`<@!?${ids.user}>`, ...(ids.role === null ? [] : [`<@&${ids.role}>`])].join("|");
  return content.replace(new RegExp(`^\\s*(?:(?:${marks})[\\s,:;.!?]*)+`), "").trim();
}

/** A name as data: one line, bounded. */
export function oneLine(name: string): string {
  return Array.from(name.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim())
    .slice(0, MAX_NAME)
    .join("");
}
