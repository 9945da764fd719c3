import { EndpointUrl } from "../../foundation/endpoint-url.ts";
import { isRuntimeError } from "../../foundation/errors.ts";
import { parsePrincipalId } from "../../vocabulary/principal.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const NIL_UUID = "00000000-0000-0000-0000-000000000000";

/**
 * The rule that an entry of `people.operators` breaks, or null: it must be an immutable account id, never a name, a pattern, a
 * room member or a program (MC-035, TR-011, SE-082, SE-087).
 */
export function operatorRule(entry: string): string | null {
  const rule = realmRule(entry);
  if (rule !== null || accepts(() => parsePrincipalId(entry)) === null) return rule;
  return "must be discord:<user id> or grid:<grid>:<avatar uuid>, with the platform's own id";
}

/** The rule that a model server's address breaks, or null (MC-104, MC-105). */
export function endpointRule(text: string): string | null {
  return accepts(() => EndpointUrl.parse(text, "url"))?.replace(/^Cannot use the address of url: it /, "") ?? null;
}

/** The rule that a beginning of allowed addresses breaks, or null (TR-090). */
export function linkRule(text: string): string | null {
  if (!/^https?:\/\/[^/?#\s\\]/i.test(text)) return "must begin with http:// or https:// and name a host";
  if (/[\s\p{Cc}\p{Cf}\\#]/u.test(text)) return "must have no fragment, spaces or control characters";
  const url = URL.parse(text);
  if (url === null) return "is no valid address";
  return url.username === "" && url.password === "" ? null : "must have no user name or password";
}

/** What a parser says against it, or null. */
function accepts(parse: () => unknown): string | null {
  try {
    parse();
    return null;
  } catch (error) {
    if (!isRuntimeError(error, "invalid_argument")) throw error;
    return error.message;
  }
}

function realmRule(entry: string): string | null {
  if (/[*?%]/.test(entry) || /^(?:all|any|anyone|everyone)$/i.test(entry)) return "wildcards are refused: list each account by its id";
  const [realm, ...rest] = entry.split(":");
  const account = rest.at(-1) ?? "";
  if (realm === "room") return "room members can never be operators: an operator uses the console";
  if (realm === "mcp") return "programs can never be operators";
  if (realm === "discord" && !/^[1-9]\d{16,19}$/.test(account)) return "a Discord account is its user id of 17 to 20 digits, not a name";
  if (realm !== "grid") return null;
  if (rest.length !== 2) return "a grid account is `grid:<grid>:<avatar uuid>`";
  if (account === NIL_UUID) return "the nil UUID is nobody: write the avatar's own";
  return UUID.test(account) ? null : "a grid account is the avatar's UUID in lower case, 8-4-4-4-12 digits";
}
