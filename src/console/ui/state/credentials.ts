import type { JoinAnswer } from "../../../surfaces/room/protocol.ts";
import type { KeptText } from "./kept-text.ts";
import { isJoinAnswer } from "./wire-guards.ts";

const MEMBER = "troupe.member";
const TOKEN = "troupe.token";
/** Longest name that is offered, in characters. */
const MAX_NAME = 80;
const AS_NEW = "troupe.as-new";

/** What a URL fragment asks for. The fragment is taken off the address at once, so that it stands in no history. */
export type Fragment =
  | { readonly kind: "code" | "invite"; readonly code: string }
  | { readonly kind: "as_new" }
  /** A name to offer at the door. */
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "none" };

/** Read a fragment, with or without its `#`. */
export function parseFragment(fragment: string): Fragment {
  const values = new URLSearchParams(fragment.replace(/^#/, ""));
  const code = values.get("code");
  if (code !== null && code !== "") return { kind: "code", code };
  const invite = values.get("invite");
  if (invite !== null && invite !== "") return { kind: "invite", code: invite };
  const name = values.get("name");
  if (name !== null && name !== "") return { kind: "name", name: name.slice(0, MAX_NAME) };
  return values.get("as") === "new" ? { kind: "as_new" } : { kind: "none" };
}

/**
 * Who this page is. A member's secret lies in `localStorage`, so that all tabs are one person; a tab opened with `#as=new` keeps
 * a member of its own (SE-087). An operator's token lies in `sessionStorage` and dies with the tab (SE-086).
 */
export class Credentials {
  readonly #lasting: KeptText;
  readonly #tab: KeptText;
  #offered = "";

  constructor(lasting: KeptText, tab: KeptText) {
    this.#lasting = lasting;
    this.#tab = tab;
  }

  /** What goes into the `Authorization` header; null before a name or a code was given. */
  bearer(): string | null {
    return this.#tab.get(TOKEN) ?? this.#member()?.secret ?? null;
  }

  /** Offer a name at the door; whoever is in keeps theirs. */
  offer(name: string): void {
    this.#offered = name;
  }

  /** The name that was offered; "" when none was. */
  get offered(): string {
    return this.#offered;
  }

  /** The member's name, for the page's own words; "" for operators and newcomers. */
  get name(): string {
    return this.#member()?.name ?? "";
  }

  /** Make this tab a person of its own, who has not come in yet. */
  beNew(): void {
    this.#tab.set(AS_NEW, "1");
    this.#tab.remove(MEMBER);
    this.#tab.remove(TOKEN);
  }

  keepMember(member: JoinAnswer): void {
    this.#memberKeeper().set(MEMBER, JSON.stringify({ id: member.id, name: member.name, secret: member.secret }));
  }

  keepToken(token: string): void {
    this.#tab.set(TOKEN, token);
  }

  /**
   * Drop what the server does not know any more, if it is `used`: another tab may have come in anew meanwhile, and that membership
   * is not this tab's to drop. Whether a tab is its own person stays.
   */
  forget(used: string | null): void {
    if (this.#tab.get(TOKEN) !== null) this.#tab.remove(TOKEN);
    else if (this.#member()?.secret === used) this.#memberKeeper().remove(MEMBER);
  }

  #memberKeeper(): KeptText {
    return this.#tab.get(AS_NEW) === null ? this.#lasting : this.#tab;
  }

  #member(): JoinAnswer | null {
    const text = this.#memberKeeper().get(MEMBER);
    if (text === null) return null;
    try {
      const value: unknown = JSON.parse(text);
      return isJoinAnswer(value) ? value : null;
    } catch {
      return null;
    }
  }
}
