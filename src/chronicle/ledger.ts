import type { Store } from "../store/store.ts";
import type { CharacterId, MessageId, SurfaceName } from "../vocabulary/ids.ts";
import type { InboundEvent } from "../vocabulary/inbound.ts";
import type { Influence, Labels } from "../vocabulary/label.ts";
import type { Turn } from "../vocabulary/turn.ts";
import type { Chronicle } from "./chronicle.ts";
import { labelsOfLine, labelsOfReply } from "./labels.ts";

/** The store's verbs of messages: those that touch events go through the chronicle, which publishes them and fixes their labels. */
export type Ledger = Pick<Chronicle, "hear" | "answer" | "settle" | "suspend"> &
  Pick<Store, "note" | "start" | "close" | "halt" | "resume" | "lapse" | "recover" | "claim" | "generation"> & {
    numberQuestion: Store["calls"]["number"];
    asked: Store["read"]["calls"]["asked"];
    void: Store["calls"]["void"];
    readonly conversations: Pick<Store["conversations"], "takeBack" | "tookBack"> & Pick<Store["read"]["conversations"], "takingBack">;
    readonly cards: Pick<Store["calls"], "closedCard"> & Pick<Store["read"]["calls"], "settledCards">;
    told: Store["read"]["told"];
    deliveryOf: Store["read"]["deliveryOf"];
    delivered(surface: SurfaceName, deliveryId: string): MessageId | null;
    inbox: Store["read"]["inbox"];
    putAside: Store["read"]["conversations"]["putAside"];
    openQuestions: Store["read"]["openQuestions"];
    labelsOfLine(event: InboundEvent, witnesses: readonly CharacterId[]): Labels;
    labelsOfReply(turn: Turn, influence: readonly Influence[] | null): Labels;
  };

/** Join store and chronicle for the road. `present` names the characters of a surface. It allocates nothing that must end. */
export function createLedger(needs: {
  store: Store;
  chronicle: Chronicle;
  present: (surface: SurfaceName) => readonly CharacterId[];
}): Ledger {
  const { store, chronicle } = needs;
  return {
    generation: store.generation,
    conversations: {
      takeBack: (row) => store.conversations.takeBack(row),
      tookBack: (row) => store.conversations.tookBack(row),
      takingBack: () => store.read.conversations.takingBack(),
    },
    cards: {
      closedCard: (row) => store.calls.closedCard(row),
      settledCards: (surfaces, sinceMs) => store.read.calls.settledCards(surfaces, sinceMs),
    },
    told: (person, character) => store.read.told(person, character),
    deliveryOf: (turn) => store.read.deliveryOf(turn),
    hear: (row) => chronicle.hear(row),
    answer: (row) => chronicle.answer(row),
    settle: (row, place) => chronicle.settle(row, place),
    note: (decision) => store.note(decision),
    start: (row) => store.start(row),
    close: (row) => store.close(row),
    suspend: (row) => chronicle.suspend(row),
    numberQuestion: () => store.calls.number(),
    halt: (row) => store.halt(row),
    resume: (row) => store.resume(row),
    lapse: (nowMs) => store.lapse(nowMs),
    asked: (nowMs) => store.read.calls.asked(nowMs),
    void: (row) => store.calls.void(row),
    recover: (row) => store.recover(row),
    claim: (part, atMs) => store.claim(part, atMs),
    delivered: (surface, deliveryId) => store.read.delivered(surface, deliveryId),
    inbox: (id) => store.read.inbox(id),
    putAside: (id) => store.read.conversations.putAside(id),
    openQuestions: (person, place) => store.read.openQuestions(person, place),
    labelsOfLine: (event, witnesses) =>
      labelsOfLine({ author: event.sender.principal, place: event.place, characters: witnesses, ambient: witnesses.length === 0 }),
    labelsOfReply(turn, influence) {
      const labels = labelsOfReply({
        character: turn.character,
        place: turn.place,
        present: needs.present(turn.place.surface),
        influence: influence ?? [],
      });
      // A fixed notice and the answer to a command are the runtime's word, not the character's: no character perceives them, so they enter no prompt.
      return influence === null || turn.class === "command" ? { ...labels, witnesses: [] } : labels;
    },
  };
}
