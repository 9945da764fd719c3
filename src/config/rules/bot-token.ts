import { RuntimeError } from "../../foundation/errors.ts";
import { Secret } from "../../foundation/secret.ts";

/** What a text breaks that is to be a bot's token. */
export const TOKEN_RULE = "is no bot token: copy the one that the developer portal shows under Bot, without the word Bot";

/** Three words with dots between them, as far as they can be told without asking anybody. */
export function isBotToken(token: Secret): boolean {
  return /^[\w-]{8,100}\.[\w-]{3,40}\.[\w-]{8,200}$/.test(token.reveal());
}

/** Take a token as somebody typed or pasted it. @throws RuntimeError `secret_invalid`, without a byte of it */
export function botToken(typed: string, origin: string): Secret {
  const token = Secret.parse(typed, origin);
  if (!isBotToken(token)) throw new RuntimeError("secret_invalid", `Cannot use that: it ${TOKEN_RULE}`);
  return token;
}

/** The account a token is of, as its first word says; null where that says nothing. */
export function accountIn(token: Secret): string | null {
  const [word = ""] = token.reveal().split(".");
  const account = Buffer.from(word, "base64url").toString("latin1");
  return /^[1-9]\d{16,19}$/.test(account) ? account : null;
}
