import { LOOPBACK_HOST } from "./loopback-host.ts";

/** The rule that an id of a server, category, channel or thread breaks, or null. */
export function placeIdRule(text: string): string | null {
  return /^[1-9]\d{16,19}$/.test(text) ? null : "must be an id of 17 to 20 digits, in quotes (right click, Copy ID), not a name";
}

/** The rule that an entry of `allow` breaks, or null: accounts and roles by id, never by a name that anybody can take (TR-010). */
export function allowRule(text: string): string | null {
  if (/^role:[1-9]\d{16,19}\/[1-9]\d{16,19}$/.test(text)) return null;
  if (text.startsWith("role:")) return "a role is `role:<server id>/<role id>`: roles of one server mean nothing in another";
  if (/^discord:[1-9]\d{16,19}$/.test(text)) return null;
  if (/[*?%]/.test(text) || /^@?(?:all|any|anyone|everyone|here)$/i.test(text))
    return "wildcards are refused; for everyone here write `admission: addressed`";
  return "must be `discord:<user id>` or `role:<server id>/<role id>`, by id and not by name";
}

/** The rule that an entry of `moderators` breaks, or null: roles of one server each; single people are operators or none. */
export function moderatorRule(text: string): string | null {
  return text.startsWith("role:") ? allowRule(text) : "must be `role:<server id>/<role id>`, by id and not by name";
}

/** The rule that the address of an interface breaks, or null. */
export function apiBaseRule(text: string): string | null {
  const url = /^https?:\/\/[^\s\\@?#]+$/i.test(text) ? URL.parse(text) : null;
  if (url === null) return "must be an https address without user name, query or fragment, such as https://discord.com/api";
  return url.protocol === "https:" || LOOPBACK_HOST.test(url.hostname) ? null : "must be https: http is for this computer alone";
}
