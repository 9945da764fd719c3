import type { Clock } from "../../foundation/clock.ts";
import { isRuntimeError } from "../../foundation/errors.ts";
import type { ActAnswer, PersonalAct } from "../../vocabulary/act.ts";
import type { AuditEntry } from "../../vocabulary/audit.ts";
import type { SurfaceName, TurnId } from "../../vocabulary/ids.ts";
import type { Pause } from "../../vocabulary/pause.ts";
import type { PlaceId } from "../../vocabulary/place.ts";
import type { PrincipalId, Role } from "../../vocabulary/principal.ts";
import { parsePrincipalId } from "../../vocabulary/principal.ts";
import { SPAN_FORM, parseSpan } from "../span.ts";
import { NOT_YOURS } from "./not-yours.ts";
import type { ServerBlocks } from "./server-blocks.ts";
import type { Standing } from "./standing.ts";
import { serverOf } from "./standing.ts";

/** Times that a moderator may name: a block, and a pause of a place. */
const MAX_BLOCK_MS = 28 * 86_400_000;
const MAX_PAUSE_MS = 86_400_000;
/** How long a message that was just posted may not be known as such, and how often it is looked for meanwhile. */
const SPOKEN_WITHIN_MS = 20_000;
const LOOK_AGAIN_MS = 500;

/** What a character said, by what its platform calls it. */
export interface PostedLine {
  readonly turn: TurnId;
  readonly place: PlaceId;
  /** Whom it answered. */
  readonly person: PrincipalId;
}

/** What keeping order changes. */
export interface OrderLedger {
  pauses(): readonly Pause[];
  pause(pause: Pause): Promise<void>;
  unpause(row: Pick<Pause, "character" | "place" | "by" | "atMs">): Promise<{ readonly resumed: number }>;
  audit(entry: AuditEntry): Promise<void>;
  posted(surface: SurfaceName, platformId: string, postedAtMs: number): PostedLine | null;
}

/** What keeping order stands on. */
export interface OrderNeeds {
  readonly clock: Pick<Clock, "nowMs" | "sleep">;
  readonly ledger: OrderLedger;
  readonly blocks: ServerBlocks;
  readonly standing: (act: PersonalAct) => Standing;
  readonly roleOf: (person: PrincipalId) => Exclude<Role, "bot">;
}

/** What the road does for it. */
export interface OrderRoad {
  /** Take back what a turn said. */
  takeBack(turn: TurnId, by: PrincipalId): Promise<"taken" | "speaking" | "nothing">;
}

type TakeBack = Extract<PersonalAct["what"], { kind: "take_back" }>;

interface TakingBack {
  readonly what: TakeBack;
  readonly road: OrderRoad;
}

type Work = (signal: AbortSignal) => Promise<ActAnswer>;

/**
 * What moderators may do, and nothing else: block a guest in their server for a time, pause a place for a time, take a character's
 * words back. Whether somebody is one is read from the act itself, at the moment it is done. Whoever was answered may take that
 * answer back, also by a mark. Missing and forbidden have one answer.
 */
export class KeepingOrder {
  readonly #needs: OrderNeeds;

  constructor(needs: OrderNeeds) {
    this.#needs = needs;
  }

  /** What follows from an act; null where it is not about order. */
  workOf(act: PersonalAct, road: OrderRoad): Work | null {
    const { what } = act;
    if (what.kind === "take_back") return (signal) => this.#takeBack(act, { what, road }, signal);
    if (what.kind !== "command") return null;
    const { given } = what;
    switch (what.name) {
      case "block":
        return () => answered(this.#block(act, given["person"] ?? "", given["for"] ?? ""));
      case "unblock":
        return () => answered(this.#unblock(act, given["person"] ?? ""));
      case "pause":
        return () => answered(this.#pause(act, given["for"] ?? ""));
      case "resume":
        return () => answered(this.#resume(act));
      default:
        return null;
    }
  }

  async #block(act: PersonalAct, account: string, span: string): Promise<string> {
    const { clock, blocks, ledger, roleOf } = this.#needs;
    const server = serverOf(act);
    const person = personOf(account);
    if (server === null || person === null || this.#needs.standing(act) === "nobody") return NOT_YOURS;
    const spanMs = spanIn(span, MAX_BLOCK_MS);
    if (spanMs === null) return `Say for how long, as ${SPAN_FORM}, 28d at most.`;
    const role = roleOf(person);
    if (role !== "guest") return role === "blocked" ? "That person is blocked already." : "That person cannot be blocked here.";
    const untilMs = clock.nowMs() + spanMs;
    const until = new Date(untilMs).toISOString();
    const result = await blocks.block(act.surface, server, { person, untilMs });
    if (result === "already") return "That person is blocked already.";
    if (result === "full") return "As many people are blocked in this server as can be. Wait until a block ends, or lift one.";
    await ledger.audit(auditOf(act, { act: "block", person, about: `server ${server} until ${until}` }, clock));
    return `Blocked in this server until ${until.slice(0, 16)}Z. They are not told.`;
  }

  async #unblock(act: PersonalAct, account: string): Promise<string> {
    const { clock, blocks, ledger } = this.#needs;
    const server = serverOf(act);
    const person = personOf(account);
    if (server === null || person === null || this.#needs.standing(act) === "nobody") return NOT_YOURS;
    if (!(await blocks.lift(act.surface, server, person))) return "No block of this server's moderators is on that person.";
    await ledger.audit(auditOf(act, { act: "unblock", person, about: `server ${server}` }, clock));
    return "Not blocked in this server any more.";
  }

  async #pause(act: PersonalAct, span: string): Promise<string> {
    const { clock, ledger } = this.#needs;
    const standing = this.#needs.standing(act);
    if (standing === "nobody" || act.place.kind === "direct") return NOT_YOURS;
    const spanMs = spanIn(span, standing === "operator" ? Number.POSITIVE_INFINITY : MAX_PAUSE_MS);
    if (spanMs === null) return `Say for how long, as ${SPAN_FORM}${standing === "operator" ? "" : ", 1d at most"}.`;
    const untilMs = clock.nowMs() + spanMs;
    const there = this.#pauseOf(act);
    // A pause that lasts longer is never made shorter by one that does not.
    if (there !== undefined && (there.untilMs === null || there.untilMs >= untilMs)) return "This place is paused already, for longer.";
    await ledger.pause({ character: null, place: act.place.id, by: act.sender.principal, atMs: clock.nowMs(), untilMs });
    return `Nobody is answered in this place and its threads until ${new Date(untilMs).toISOString().slice(0, 16)}Z.`;
  }

  async #resume(act: PersonalAct): Promise<string> {
    const { clock, ledger } = this.#needs;
    const standing = this.#needs.standing(act);
    const there = this.#pauseOf(act);
    // What an operator paused only an operator lets go on.
    const own =
      standing === "operator" || (standing === "moderator" && this.#needs.roleOf(there?.by ?? act.sender.principal) !== "operator");
    if (there === undefined || !own) return NOT_YOURS;
    await ledger.unpause({ character: null, place: act.place.id, by: act.sender.principal, atMs: clock.nowMs() });
    return "People are answered here again.";
  }

  /** What was just posted may not be known yet, or its last part may still be on its way: both are a matter of seconds. */
  async #takeBack(act: PersonalAct, { what, road }: TakingBack, signal: AbortSignal): Promise<ActAnswer> {
    const { clock } = this.#needs;
    const untilMs = clock.nowMs() + SPOKEN_WITHIN_MS;
    for (;;) {
      const taken = await this.#tryTakeBack(act, what, road);
      const maySoon = taken === "speaking" || (taken === "unknown" && clock.nowMs() - what.postedAtMs < SPOKEN_WITHIN_MS);
      if (!maySoon || clock.nowMs() >= untilMs) return { words: taken === "taken" ? "Taken back." : NOT_YOURS };
      await clock.sleep(LOOK_AGAIN_MS, signal);
    }
  }

  #tryTakeBack(act: PersonalAct, what: TakeBack, road: OrderRoad): Promise<"taken" | "speaking" | "nothing" | "unknown"> {
    const { ledger, standing } = this.#needs;
    const line = ledger.posted(act.surface, what.message, what.postedAtMs);
    if (line === null) return Promise.resolve("unknown");
    const may = line.place === act.place.id && (line.person === act.sender.principal || (what.by === "menu" && standing(act) !== "nobody"));
    return may ? road.takeBack(line.turn, act.sender.principal) : Promise.resolve("nothing");
  }

  #pauseOf({ place }: PersonalAct): Pause | undefined {
    return this.#needs.ledger.pauses().find((one) => one.character === null && one.place === place.id);
  }
}

async function answered(words: Promise<string>): Promise<ActAnswer> {
  return { words: await words };
}

function auditOf({ sender }: PersonalAct, entry: Pick<AuditEntry, "act" | "person" | "about">, clock: Pick<Clock, "nowMs">): AuditEntry {
  return { ...entry, by: sender.principal, atMs: clock.nowMs() };
}

/** An account as the platform's own chooser gives it. */
function personOf(account: string): PrincipalId | null {
  return /^\d{1,20}$/.test(account) ? parsePrincipalId(`discord:${account}`) : null;
}

function spanIn(text: string, maxMs: number): number | null {
  try {
    const spanMs = parseSpan(text);
    return spanMs > maxMs ? null : spanMs;
  } catch (error) {
    if (!isRuntimeError(error, "usage")) throw error;
    return null;
  }
}
