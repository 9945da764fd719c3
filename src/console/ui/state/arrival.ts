import type { Clock } from "../../../foundation/clock.ts";
import type { ApiError, InviteAnswer, InviteEnd } from "../../../surfaces/room/protocol.ts";
import type { Credentials } from "./credentials.ts";
import type { InviteKeeper } from "./invite-keeper.ts";
import type { Answer, RoomClient } from "./room-client.ts";
import type { Phase, Trouble } from "./stage-state.ts";
import { troubleOfAnswer } from "./trouble.ts";

/** What coming in stands on. */
export interface ArrivalNeeds {
  readonly client: RoomClient;
  readonly credentials: Credentials;
  readonly invites: InviteKeeper;
  readonly clock: Clock;
  readonly show: (phase: Phase) => void;
}

/**
 * How somebody comes in: by a name, by an invite, or, at the operators' door, by a one-time code. What goes wrong is in the phase.
 *
 * I1  Looking at an invite uses nothing up: only the press of a button does.
 * I2  An invite that is of no use is dropped, and does not keep out whoever is in already.
 */
export class Arrival {
  readonly #needs: ArrivalNeeds;
  /** The name of a membership that has ended: offered again, and told to whoever can't come in any more. */
  before: string = "";
  #hadSession = false;
  /** What the last look at the held invite said. */
  #invite: Extract<InviteAnswer, { state: "open" }> | null = null;

  constructor(needs: ArrivalNeeds) {
    this.#needs = needs;
  }

  /** Ask for what this door wants. False when nobody answered. */
  async learnDoor(signal: AbortSignal): Promise<boolean> {
    const { client, credentials, show } = this.#needs;
    const answer = await client.door(signal);
    if (answer.kind !== "ok") return false;
    const asks = { busy: false, error: null } as const;
    if (answer.value.door === "console") show({ kind: "code", ended: this.#hadSession, ...asks });
    else if (answer.value.entry === "invited") show({ kind: "closed", why: "invited_only", name: this.before });
    else show({ kind: "name", before: this.before, offered: credentials.offered, ...asks });
    return true;
  }

  /** Come in under a name. True once in. */
  async join(name: string, signal: AbortSignal): Promise<boolean> {
    const { client, credentials, show } = this.#needs;
    show({ kind: "name", before: "", offered: name, busy: true, error: null });
    const answer = await client.join(name, signal);
    if (answer.kind === "ok") {
      credentials.keepMember(answer.value);
      show({ kind: "starting" });
      return true;
    }
    if (answer.kind === "refused" && answer.error.code === "invited_only") show({ kind: "closed", why: "invited_only", name: "" });
    else show({ kind: "name", before: "", offered: name, busy: false, error: this.#troubleOf(answer) });
    return false;
  }

  /** Look at the invite this tab holds. False when nobody answered. */
  async look(signal: AbortSignal): Promise<boolean> {
    const { client, credentials, invites, show } = this.#needs;
    const held = invites.held();
    if (held === null) return true;
    const answer = await client.look(held.code, signal);
    if (answer.kind === "unreachable") return false;
    if (answer.kind === "refused") {
      show({ kind: "invite", invite: null, busy: false, error: this.#troubleOf(answer) });
      return true;
    }
    const invite = answer.value;
    this.#invite = invite.state === "open" ? invite : null;
    if (invite.state === "open") show({ kind: "invite", invite, busy: false, error: null });
    else if (invite.state === "used" && credentials.bearer() === null) await this.#redeem(held, signal);
    else this.#useless(invite.state);
    return true;
  }

  /** Use the invite up. True once in. */
  async accept(signal: AbortSignal): Promise<boolean> {
    const { invites, show } = this.#needs;
    const held = invites.held();
    if (held === null) return false;
    show({ kind: "invite", invite: this.#invite, busy: true, error: null });
    return this.#redeem(held, signal);
  }

  /** `used` may be this very browser's own use, whose answer was lost: its claim tells. */
  async #redeem(held: { readonly code: string; readonly claim: string }, signal: AbortSignal): Promise<boolean> {
    const { client, credentials, invites, show } = this.#needs;
    const answer = await client.redeem(held, signal);
    if (answer.kind !== "ok") {
      show({ kind: "invite", invite: this.#invite, busy: false, error: this.#troubleOf(answer) });
      return false;
    }
    if (answer.value.state !== "joined") {
      this.#useless(answer.value.state);
      return false;
    }
    credentials.keepMember(answer.value);
    invites.drop();
    show({ kind: "starting" });
    return true;
  }

  #useless(why: InviteEnd): void {
    const { invites, credentials, show } = this.#needs;
    invites.drop();
    if (credentials.bearer() === null) show({ kind: "closed", why, name: "" });
  }

  /** Exchange a one-time code at the operators' door. True once in. */
  async exchange(code: string, phase: Phase, signal: AbortSignal): Promise<boolean> {
    const { client, credentials, show } = this.#needs;
    const ended = phase.kind === "code" && phase.ended;
    if (phase.kind === "code") show({ kind: "code", ended, busy: true, error: null });
    const answer = await client.exchange(code, signal);
    if (answer.kind === "ok") {
      credentials.keepToken(answer.value.token);
      show({ kind: "starting" });
      return true;
    }
    show({ kind: "code", ended, busy: false, error: this.#troubleOf(answer) });
    return false;
  }

  /** What the server does not know any more is forgotten here too; how an invite ended is told, for any other end the door is asked. */
  turnedAway(error: Pick<ApiError, "ended" | "door">): void {
    const { credentials, show } = this.#needs;
    this.before = credentials.name;
    this.#hadSession = credentials.bearer() !== null;
    credentials.forget(credentials.bearer());
    if (error.door === "console") show({ kind: "code", ended: this.#hadSession, busy: false, error: null });
    else if (error.ended === undefined) show({ kind: "starting" });
    else show({ kind: "closed", why: error.ended === "revoked" ? "stay_revoked" : "stay_expired", name: this.before });
  }

  #troubleOf(answer: Exclude<Answer<unknown>, { kind: "ok" }>): Trouble {
    return troubleOfAnswer(answer, this.#needs.clock.nowMs());
  }
}
