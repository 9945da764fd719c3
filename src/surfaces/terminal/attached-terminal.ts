import { orAbort, withDeadline } from "../../foundation/cancellation.ts";
import type { Clock } from "../../foundation/clock.ts";
import { isRuntimeError } from "../../foundation/errors.ts";
import type { IdSource } from "../../foundation/ids.ts";
import type { Printable } from "../../foundation/printable.ts";
import { printable } from "../../foundation/printable.ts";
import type { CharacterId, MessageId, SurfaceName } from "../../vocabulary/ids.ts";
import type { InboundEvent } from "../../vocabulary/inbound.ts";
import type { OutcomeChange, PersonOutcome } from "../../vocabulary/outcome.ts";
import type { Inbox } from "../surface.ts";
import type { Part } from "../../vocabulary/part.ts";
import { directPlace } from "../../vocabulary/place.ts";
import { LOCAL_OWNER } from "../../vocabulary/principal.ts";
import type { TerminalSession } from "../../vocabulary/terminal-session.ts";

/** How long a terminal may take to say that a part was shown; a paused one (Ctrl-S) says nothing. */
const SHOW_MS = 10_000;
/** Longest single line of a part, in characters. */
const MAX_LINE_CHARACTERS = 6_000;

/** What is said where nothing more is typed and a question of these lines is open. */
const ASKS = "A question waits for your answer: troupe approvals.";

const NOTICES: Readonly<Record<Exclude<PersonOutcome, "waiting" | "answered">, string>> = {
  not_addressed: "Not answered.",
  resting: "Resting for now.",
  interrupted: "That got no answer. Say it again.",
  too_long: "That was too long.",
};

/** What one attached terminal works with. */
export interface AttachedTerminalNeeds {
  readonly session: TerminalSession;
  readonly character: CharacterId;
  readonly inbox: Inbox;
  readonly ids: IdSource;
  readonly surface: SurfaceName;
  readonly clock: Clock;
}

/**
 * One person's terminal while it is attached.
 *
 * T1  Lines are heard one after the other, in the order they were typed.
 * T2  It is drained once each line heard here has a final outcome, which comes after the reply's last part was sent, or waits for its
 *     person's answer to a question; an outcome that comes before `hear` has resolved is kept.
 */
export class AttachedTerminal {
  readonly #needs: AttachedTerminalNeeds;
  readonly #waiting = new Set<MessageId>();
  /** Those of them that wait for an answer of their own person. */
  readonly #asks = new Set<MessageId>();
  readonly #early = new Map<MessageId, OutcomeChange>();
  #hearing = 0;
  #onChange: (() => void) | null = null;

  constructor(needs: AttachedTerminalNeeds) {
    this.#needs = needs;
  }

  get character(): CharacterId {
    return this.#needs.character;
  }

  /** Hear what is typed until it ends, then wait for the answers. Rejects with the signal's reason on abort. */
  async converse(signal: AbortSignal): Promise<void> {
    const lines = this.#needs.session.lines[Symbol.asyncIterator]();
    for (;;) {
      const next = await orAbort(lines.next(), signal);
      if (next.done === true) break;
      if (next.value.trim() !== "") await this.#hear(next.value, signal);
    }
    while (!this.#isDrained()) await orAbort(this.#changed(), signal);
    if (this.#asks.size > 0) this.#tell({ kind: "notice", text: printable(ASKS) });
  }

  /** Show a part; true once it surely was, false when it may not have been. */
  async show(part: Part, by: { readonly name: string; readonly badge: string | null }, signal: AbortSignal): Promise<boolean> {
    using deadline = withDeadline(this.#needs.clock, SHOW_MS, signal);
    const said = this.#needs.session.show({
      kind: "said",
      name: printable(by.name),
      badge: by.badge === null ? null : printable(by.badge),
      action: part.action === "" ? null : printable(part.action),
      lines: part.body === "" ? [] : linesOf(part.body),
      last: part.index === part.count - 1,
    });
    return await orAbort(said, deadline.signal).catch((error: unknown) => {
      if (isRuntimeError(error, "deadline") || signal.aborted) return false;
      throw error;
    });
  }

  /** Show a line that was said while nobody was here. */
  tellMissed({ text, action, atMs }: { readonly text: string; readonly action: string; readonly atMs: number }, name: string): void {
    this.#tell({
      kind: "notice",
      text: printable(`While nobody was here, ${new Date(atMs).toISOString().slice(0, 16).replace("T", " ")}Z:`),
    });
    this.#tell({
      kind: "said",
      name: printable(name),
      badge: null,
      action: action === "" ? null : printable(action),
      lines: text === "" ? [] : linesOf(text),
      last: true,
    });
  }

  /** Show or end the sign of life. Nobody waits for it. */
  typing(name: string, on: boolean): void {
    this.#tell({ kind: "typing", name: printable(name), on });
  }

  /** Follow what became of own lines, heard here or elsewhere. */
  onOutcome(change: OutcomeChange, name: string): void {
    if (change.outcome === "waiting" && change.asks === undefined) return;
    if (!this.#waiting.has(change.id)) {
      // Whether it is ours is known only when `hear` has resolved.
      if (this.#hearing > 0) this.#early.set(change.id, change);
      return;
    }
    if (change.asks === true) this.#asks.add(change.id);
    else this.#asks.delete(change.id);
    if (change.outcome === "waiting") return this.#notify();
    this.#waiting.delete(change.id);
    if (!change.words && change.own !== true) this.#tell({ kind: "notice", text: noticeOf(change, name) });
    this.#notify();
  }

  async #hear(text: string, signal: AbortSignal): Promise<void> {
    this.#hearing += 1;
    try {
      const heard = await this.#needs.inbox.hear(this.#inboundOf(text), signal);
      this.#tell({ kind: "heard", id: printable(heard.id) });
      if (heard.kind === "suppressed")
        this.#tell({ kind: "notice", text: printable(`Not answered: ${heard.reason.replaceAll("_", " ")}.`) });
      else this.#waiting.add(heard.id);
    } finally {
      this.#hearing -= 1;
      this.#takeEarly();
    }
  }

  #takeEarly(): void {
    const early = [...this.#early.values()];
    this.#early.clear();
    for (const change of early) if (this.#waiting.has(change.id)) this.onOutcome(change, this.#needs.character);
  }

  #inboundOf(text: string): InboundEvent {
    const { surface, character, clock, ids } = this.#needs;
    return {
      surface,
      deliveryId: ids.next("l"),
      atMs: clock.nowMs(),
      sender: { principal: LOCAL_OWNER, displayName: "Owner", kind: "person", assurance: "local" },
      place: directPlace(surface, character, LOCAL_OWNER),
      to: character,
      alone: true,
      text,
    };
  }

  #isDrained(): boolean {
    return this.#waiting.size === this.#asks.size;
  }

  #tell(output: Parameters<TerminalSession["show"]>[0]): void {
    // `show` never rejects, and nothing depends on whether this was seen.
    this.#needs.session.show(output).catch(() => false);
  }

  #changed(): Promise<void> {
    return new Promise<void>((resolve) => {
      this.#onChange = resolve;
    });
  }

  #notify(): void {
    this.#onChange?.();
    this.#onChange = null;
  }
}

function linesOf(body: string): readonly Printable[] {
  return body.split("\n").map((row) => printable(row, MAX_LINE_CHARACTERS));
}

function noticeOf({ outcome }: OutcomeChange, name: string): Printable {
  if (outcome === "answered" || outcome === "waiting") return printable(`${name} chose to say nothing.`);
  return printable(NOTICES[outcome]);
}
