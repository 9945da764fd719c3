import type { Clock } from "../../foundation/clock.ts";
import { linkSignals, throwIfAborted } from "../../foundation/cancellation.ts";
import { RuntimeError } from "../../foundation/errors.ts";
import type { IdSource } from "../../foundation/ids.ts";
import { parseSurfaceName } from "../../vocabulary/ids.ts";
import type { CharacterId, SurfaceName } from "../../vocabulary/ids.ts";
import type { OutcomeChange } from "../../vocabulary/outcome.ts";
import type { Part, ReadBack, SendOutcome } from "../../vocabulary/part.ts";
import type { Place } from "../../vocabulary/place.ts";
import { LOCAL_OWNER } from "../../vocabulary/principal.ts";
import type { TerminalSession } from "../../vocabulary/terminal-session.ts";
import type { Inbox, Surface, SurfaceProfile } from "../surface.ts";
import { AttachedTerminal } from "./attached-terminal.ts";

/** Name of the terminal's surface; a configured surface of this name is refused by the configuration. */
export const TERMINAL: SurfaceName = parseSurfaceName("terminal");
/** Terminals attached at the same time. */
const MAX_ATTACHED = 8;

/** What the terminal needs. */
export interface TerminalNeeds {
  readonly clock: Clock;
  readonly ids: IdSource;
  /** Characters by id with the names people know, in the order of the configuration; read anew at each use. */
  characters(): ReadonlyMap<CharacterId, { readonly name: string }>;
  /** Whether the understudy stands in now. */
  understudy(): boolean;
  /** Lines to the owner that found nobody attached, oldest first; each is given once. */
  missed(
    character: CharacterId,
    signal: AbortSignal,
  ): Promise<readonly { readonly text: string; readonly action: string; readonly atMs: number }[]>;
  /** What became of own lines. */
  readonly outcomes: { subscribe(listener: (change: OutcomeChange) => void): Disposable };
}

/** The owner's own line to each character, from any number of terminals. */
export interface TerminalSurface extends Surface {
  /**
   * Take a person's terminal in until its lines end and all it said is answered, or the signal aborts.
   * @throws RuntimeError `not_found` for an unknown character, `capacity` past 8 terminals, `closed` before `open`; the
   * signal's reason on abort.
   */
  attach(session: TerminalSession, signal: AbortSignal): Promise<void>;
}

const PROFILE: SurfaceProfile = {
  limits: { maxBytes: 6_000 },
  readsBack: false,
  pacing: { public: { burst: 200, everyMs: 10 }, direct: { burst: 200, everyMs: 10 } },
  // A line of a terminal is a whole thought: it ends with the return key.
  timing: { quietMs: 0, holdMs: 0, fragments: 1 },
  keepsAmbient: false,
};

/**
 * Make the terminal's surface: direct lines of {@link LOCAL_OWNER} alone, with assurance `local` because only that person
 * reaches the process's own terminal or its socket (SE-081). A part that finds nobody attached is `failed` with reason
 * `nobody_attached`: the line becomes unsaid, and no prompt pretends that it was heard. Whoever attaches next is shown it first.
 */
export function createTerminal(needs: TerminalNeeds): TerminalSurface {
  return new Terminal(needs);
}

class Terminal implements TerminalSurface {
  readonly name: SurfaceName = TERMINAL;
  readonly kind: string = "terminal";
  readonly profile: SurfaceProfile = PROFILE;
  readonly #needs: TerminalNeeds;
  readonly #attached = new Set<AttachedTerminal>();
  readonly #life = new AbortController();
  #inbox: Inbox | null = null;

  constructor(needs: TerminalNeeds) {
    this.#needs = needs;
  }

  open(inbox: Inbox, signal: AbortSignal): Promise<void> {
    throwIfAborted(signal);
    this.#inbox = inbox;
    return Promise.resolve();
  }

  async attach(session: TerminalSession, signal: AbortSignal): Promise<void> {
    throwIfAborted(signal);
    if (this.#inbox === null || this.#life.signal.aborted)
      throw new RuntimeError("closed", "Cannot attach a terminal: the characters are not up");
    if (this.#attached.size >= MAX_ATTACHED) throw new RuntimeError("capacity", "Cannot attach a terminal: too many are attached");
    const character = this.#characterOf(session.character);
    using linked = linkSignals(signal, this.#life.signal);
    const terminal = new AttachedTerminal({
      session,
      character,
      inbox: this.#inbox,
      ids: this.#needs.ids,
      surface: TERMINAL,
      clock: this.#needs.clock,
    });
    using _following = this.#needs.outcomes.subscribe((change) => {
      if (change.person === LOCAL_OWNER) terminal.onOutcome(change, this.#nameOf(character));
    });
    this.#attached.add(terminal);
    try {
      await this.#catchUp(terminal, linked.signal);
      await terminal.converse(linked.signal);
    } finally {
      this.#attached.delete(terminal);
    }
  }

  async #catchUp(terminal: AttachedTerminal, signal: AbortSignal): Promise<void> {
    for (const line of await this.#needs.missed(terminal.character, signal)) terminal.tellMissed(line, this.#nameOf(terminal.character));
  }

  async send(part: Part, signal: AbortSignal): Promise<SendOutcome> {
    const here = [...this.#attached].filter((terminal) => terminal.character === part.character);
    if (part.place.kind !== "direct" || part.place.person !== LOCAL_OWNER) return { kind: "failed", reason: "not_this_surface" };
    if (here.length === 0) return { kind: "failed", reason: "nobody_attached" };
    const badge = this.#needs.understudy() ? "understudy" : null;
    const shown = await Promise.all(here.map((terminal) => terminal.show(part, { name: this.#nameOf(part.character), badge }, signal)));
    return shown.includes(true) ? { kind: "delivered", platformId: part.id } : { kind: "unknown", reason: "terminal_left" };
  }

  readBack(): Promise<ReadBack> {
    return Promise.resolve({ kind: "unreadable" });
  }

  typing(character: CharacterId, place: Place, on: boolean): void {
    if (place.kind !== "direct" || place.person !== LOCAL_OWNER) return;
    for (const terminal of this.#attached) if (terminal.character === character) terminal.typing(this.#nameOf(character), on);
  }

  [Symbol.asyncDispose](): Promise<void> {
    if (!this.#life.signal.aborted) this.#life.abort(new RuntimeError("aborted", "Cannot go on: the process is stopping"));
    return Promise.resolve();
  }

  #nameOf(character: CharacterId): string {
    return this.#needs.characters().get(character)?.name ?? character;
  }

  #characterOf(wanted: string | null): CharacterId {
    const characters = [...this.#needs.characters().keys()];
    const found = wanted === null ? characters[0] : characters.find((character) => character === wanted.toLowerCase());
    if (found === undefined)
      throw new RuntimeError("not_found", `Cannot talk to that character: there is none of that name. There is: ${characters.join(", ")}`);
    return found;
  }
}
