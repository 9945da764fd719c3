import type { Authority } from "../../authority/authority.ts";
import { momentOf } from "../../surfaces/discord/snowflake.ts";
import type { DiscordConfig } from "../../config/discord-config.ts";
import type { HeldRoad } from "../../operations/order/held-replies.ts";
import { ApprovalCards } from "../../operations/order/approval-cards.ts";
import { HeldReplies } from "../../operations/order/held-replies.ts";
import type { Standing } from "../../operations/order/standing.ts";
import { standingOf } from "../../operations/order/standing.ts";
import { Tried } from "../../operations/order/tried.ts";
import type { ActWork } from "../../road/1-admission/acts.ts";
import type { CardPolicy } from "../../road/4-delivery/cards.ts";
import type { Gate } from "../../road/4-delivery/gate.ts";
import type { RoadObserver } from "../../road/road.ts";
import type { Store } from "../../store/store.ts";
import type { Surface } from "../../surfaces/surface.ts";
import { askMessage } from "../../vocabulary/calls/ask-card.ts";
import type { PersonalAct } from "../../vocabulary/act.ts";
import type { SurfaceName } from "../../vocabulary/ids.ts";
import { parseApprovalId } from "../../vocabulary/ids.ts";
import type { PrincipalId } from "../../vocabulary/principal.ts";
import type { ComposeOptions } from "../compose-options.ts";

/** What operators decide at a bot, and what they are told of there. */
export interface OperatorDesk extends Required<Pick<RoadObserver, "suppressed" | "notice">> {
  standing(act: PersonalAct): Standing;
  /** What is drawn under questions of operators' own lines. */
  readonly cards: CardPolicy;
  /** What follows from an act that is about questions or replies that wait, or about people who tried to talk. */
  workOf(act: PersonalAct, road: HeldRoad): ActWork | null;
  /** Whether an operator let everyone in where a line is heard. */
  isOpen(spot: { readonly surface: SurfaceName; readonly within?: readonly string[] }): boolean;
}

/** What it stands on. */
export interface DeskFloors {
  readonly store: Pick<Store, "read" | "setSetting" | "setTrust" | "audit">;
  readonly authority: Pick<Authority, "roleOf" | "judgeFrom">;
  readonly gate: Pick<Gate, "card">;
  readonly key: Uint8Array;
  /** Where people are; those that are open by now. */
  readonly surfaces?: () => readonly Surface[];
}

/** Make the desk. Whom a bot's notices go to is the first operator with an account there (TR-011, TR-093). */
export function createOperatorDesk(
  options: ComposeOptions,
  { store, authority, gate, key, surfaces = () => [] }: DeskFloors,
): OperatorDesk {
  const { clock } = options.floor;
  const bot = (name: SurfaceName): DiscordConfig | null => {
    const surface = options.config.current().surfaces.get(name);
    return surface?.kind === "discord" ? surface : null;
  };
  const ownerOf = (name: SurfaceName): PrincipalId | null =>
    bot(name)?.ownerNotices === "dm" ? (options.config.current().people.operators.find((one) => one.startsWith("discord:")) ?? null) : null;
  const roleOf = (person: PrincipalId): ReturnType<Authority["roleOf"]> => authority.roleOf(person);
  const standing = (act: PersonalAct): Standing => standingOf(act, { roleOf, moderators: (name) => bot(name)?.moderators ?? [] });
  const at = (name: SurfaceName): Surface | undefined => surfaces().find((one) => one.name === name);
  const held = new HeldReplies({ clock, key, standing, pending: (nowMs, person) => store.read.calls.pending(nowMs, person) });
  const { calls } = store.read;
  const cards = new ApprovalCards({
    clock,
    key,
    ask: (approval) => calls.ask(approval),
    askOfTurn: (turn) => calls.askOfTurn(turn),
    isShown: (ask, frame, place) => gate.card(askMessage(ask, frame), place) !== null,
    originOf: ({ sender: { principal, assurance }, place }) => {
      const role = roleOf(principal);
      return { principal, role: role === "blocked" ? "guest" : role, assurance, channel: place.kind };
    },
    judge: (answer, by) => authority.judgeFrom(answer, by),
  });
  const tried = new Tried({
    clock,
    key,
    shelf: { setting: (name) => store.read.setting(name), setSetting: (name, value) => store.setSetting(name, value) },
    roleOf,
    ownerOf,
    madeAtMs: (person) => (/^discord:\d{1,20}$/.test(person) ? momentOf(person.slice("discord:".length)) : null),
    trust: ({ person, by, atMs }) => store.setTrust({ person, role: "trusted", by, atMs, untilMs: null }),
    audit: (entry) => store.audit(entry),
  });
  return {
    standing,
    cards,
    workOf: (act, road) => held.workOf(act, road) ?? cards.workOf(act, road) ?? tried.workOf(act),
    isOpen: ({ surface, within = [] }) => tried.isOpen(surface, within),
    suppressed(_id, event, reason) {
      const notice = reason === "untrusted" ? tried.heard(event) : null;
      if (notice !== null) at(event.surface)?.tell?.(notice.owner, notice.card);
    },
    notice({ kind, id, surface }) {
      const owner = kind === "approval" ? ownerOf(surface) : null;
      const card = owner === null ? null : held.cardFor(parseApprovalId(id), owner);
      if (owner !== null && card !== null) at(surface)?.tell?.(owner, card);
    },
  };
}
