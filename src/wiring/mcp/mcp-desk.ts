import { RuntimeError } from "../../foundation/errors.ts";
import type { Notices } from "../../observe/notices.ts";
import type { KeptPolicy } from "../../operations/policy/kept-policy.ts";
import type { McpClient, McpClients } from "../../operations/mcp/mcp-clients.ts";
import { principalOfClient } from "../../operations/mcp/mcp-clients.ts";
import type { Desk } from "../../operations/mcp/mcp-proposing.ts";
import { freezeProposal, readProposal } from "../../operations/mcp/proposal.ts";
import type { Proposal } from "../../operations/mcp/proposal.ts";
import type { AnswerWord } from "../../operations/approvals.ts";
import type { ResponsePolicies } from "../../operations/policy/response-policies.ts";
import type { ProposalEffect } from "../../store/call-store.ts";
import type { ResumeRow, Store } from "../../store/store.ts";
import { sha256Hex } from "../../foundation/ids.ts";
import { askText } from "../../vocabulary/calls/ask.ts";
import type { Ask } from "../../vocabulary/calls/ask.ts";
import type { MessageId, SurfaceName } from "../../vocabulary/ids.ts";
import { parseApprovalId, parseMessageId, parseTurnId } from "../../vocabulary/ids.ts";
import { LOCAL_OWNER, parsePrincipalId } from "../../vocabulary/principal.ts";
import type { ComposeOptions } from "../compose-options.ts";
import { proposedState } from "./mcp-reply.ts";
import { botsOf } from "../commands/policies.ts";
import { sessionOfClient } from "./mcp-session.ts";

/** Proposals of one client that wait at the same time, and how long each does. */
export const MOST_PROPOSALS = 8;
const WAITS_MS = 24 * 3_600_000;

/** What the desk stands on. */
export interface DeskFloors {
  readonly store: Store;
  readonly policies: ResponsePolicies;
  readonly notices: Pick<Notices, "note">;
  readonly clients: Pick<McpClients, "list">;
}

/** Where programs' wishes are put, and where a person's answers to them take effect. */
export class ProposalDesk implements Desk {
  readonly #options: ComposeOptions;
  readonly #floors: DeskFloors;

  constructor(options: ComposeOptions, floors: DeskFloors) {
    this.#options = options;
    this.#floors = floors;
  }

  async propose(client: McpClient, { proposal, influence, destination }: Parameters<Desk["propose"]>[1]): Promise<number | null> {
    const { clock, ids } = this.#options.floor;
    const { store, notices } = this.#floors;
    const approval = parseApprovalId(ids.next("a"));
    const ask = freezeProposal(proposal, {
      client: client.name,
      session: sessionOfClient(client.name),
      call: ids.next("c"),
      influence,
      destination,
    });
    const atMs = clock.nowMs();
    const { number } = await store.calls.propose({
      approval,
      turn: parseTurnId(ids.next("t")),
      client: principalOfClient(client.name),
      person: LOCAL_OWNER,
      digest: sha256Hex(ask.bytes),
      call: askText(ask),
      atMs,
      expiresAtMs: atMs + WAITS_MS,
      most: MOST_PROPOSALS,
    });
    if (number !== null) notices.note("approval", { ids: [approval] });
    return number;
  }

  isChangeable(person: string): boolean {
    return !this.#options.config.current().people.operators.includes(parsePrincipalId(person));
  }

  nameOf(person: string): string | null {
    return this.#floors.store.read.member(parsePrincipalId(person))?.name ?? null;
  }

  messageOf(surface: SurfaceName, trigger: string): MessageId | null {
    return this.#floors.store.read.delivered(surface, trigger);
  }

  /** How many of a client's proposals wait. */
  waiting(client: McpClient): { readonly waiting: number; readonly most: number } {
    return {
      waiting: this.#floors.store.read.calls.proposals(principalOfClient(client.name), this.#options.floor.clock.nowMs()),
      most: MOST_PROPOSALS,
    };
  }

  /**
   * Take an answer that was judged to count, and do what was shown, in the same commit. Null for a question that is no proposal; an allow
   * that says something gives the row that goes on to say it.
   */
  async answer(judged: Omit<ResumeRow, "inbox" | "atMs">): Promise<{ readonly word: AnswerWord; readonly say: MessageId | null } | null> {
    const { store } = this.#floors;
    const record = store.read.calls.ask(judged.approval);
    const read = record === null ? null : readProposal(record);
    if (record === null || read === null) return null;
    const allows = judged.answer.startsWith("allow ");
    if (allows && record.shownAtMs === null) return { word: "show_first", say: null };
    const effect = allows ? this.#effectOf(read.wish, read.ask) : null;
    return allows && effect === null ? { word: "not_waiting", say: null } : this.#settle(judged, effect);
  }

  async #settle(
    { approval, digest, person, answer }: Omit<ResumeRow, "inbox" | "atMs">,
    effect: ProposalEffect | null,
  ): Promise<{ readonly word: AnswerWord; readonly say: MessageId | null }> {
    const atMs = this.#options.floor.clock.nowMs();
    const { settled } = await this.#floors.store.calls.settleProposal({ approval, digest, person, answer, atMs, effect });
    return { word: settled ? "taken" : "not_waiting", say: settled && effect?.kind === "say" ? effect.inbox : null };
  }

  /** What follows from an allow; null where its client is gone, or what it is about. */
  #effectOf(wish: Proposal, ask: Ask): ProposalEffect | null {
    const client = this.#floors.clients.list().find(({ name }) => sessionOfClient(name) === ask.session);
    if (client === undefined) return null;
    switch (wish.tool) {
      case "set_puppet_config":
        return this.#policyEffect(wish.arguments.surface, wish.arguments.policy);
      case "set_trust":
        return this.#trustEffect(wish.arguments);
      case "reply": {
        const { floor } = this.#options;
        const state = proposedState({ client: client.name, text: wish.arguments.text, influence: ask.influence });
        return { kind: "say", trigger: parseMessageId(wish.arguments.message), inbox: parseMessageId(floor.ids.next("m")), state };
      }
    }
  }

  #policyEffect(surface: string, policy: KeptPolicy): ProposalEffect | null {
    const bot = botsOf(this.#options.config.current()).find((name) => name === surface);
    if (bot === undefined) return null;
    const overrides = new Map(Object.entries(policy.overrides));
    return { kind: "setting", row: this.#floors.policies.rowOf(bot, { ...policy, overrides }, LOCAL_OWNER) };
  }

  #trustEffect({ person: written, to }: Extract<Proposal, { tool: "set_trust" }>["arguments"]): ProposalEffect | null {
    if (!this.isChangeable(written)) return null;
    const person = parsePrincipalId(written);
    if (!person.startsWith("discord:"))
      throw new RuntimeError("forbidden", "Cannot change trust: a program proposes accounts of a platform only");
    return { kind: "trust", row: { person, role: to, by: LOCAL_OWNER, atMs: this.#options.floor.clock.nowMs() } };
  }
}
