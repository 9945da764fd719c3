import { KEPT_MS } from "../../chronicle/retention.ts";
import type { ComposeOptions } from "../compose-options.ts";
import { disclosureLine } from "../../config/config.ts";
import type { ChatFace } from "../../operations/faces/chat.ts";
import { createChatFace } from "../../operations/faces/chat.ts";
import type { SaidLine } from "../../operations/operation.ts";
import { createOperations } from "../../operations/operations.ts";
import { bindAbout } from "../../operations/own/about.ts";
import { bindForgetMe } from "../../operations/own/forget-me.ts";
import { bindHelp } from "../../operations/own/help.ts";
import { bindIgnoreMe } from "../../operations/own/ignore-me.ts";
import { bindPrivacy } from "../../operations/own/privacy.ts";
import { bindReset } from "../../operations/own/reset.ts";
import { bindWhyMine } from "../../operations/own/why-mine.ts";
import { followLastOutcomes } from "../../observe/last-outcomes.ts";
import type { Turn } from "../../vocabulary/turn.ts";
import { wordsOf } from "./forgetting.ts";
import type { RoadFloors } from "../road-needs.ts";

/** What anybody may say about themselves, on every surface that has chat (TR-082, TR-091). */
export function ownCommands(options: ComposeOptions, floors: Pick<RoadFloors, "store" | "chronicle" | "speaker" | "outcomes">): ChatFace {
  const { clock } = options.floor;
  const { store, chronicle, speaker } = floors;
  const last = followLastOutcomes(floors.outcomes);
  const disclosure = (): ReturnType<typeof options.config.current>["delivery"]["disclosure"] =>
    options.config.current().delivery.disclosure;
  return createChatFace(
    createOperations([
      bindAbout({ disclosure: () => disclosureLine(disclosure()), voice: () => (speaker.model.understudy ? "understudy" : "model") }),
      bindPrivacy({
        operator: () => disclosure().operator,
        modelHost: () => (speaker.model.understudy ? null : speaker.model.name),
        keptMs: { public: KEPT_MS.publicBeforeMs, direct: KEPT_MS.directBeforeMs, decisions: KEPT_MS.decisionsBeforeMs },
      }),
      bindForgetMe(wordsOf(floors), clock),
      ...bindIgnoreMe({ optedOut: (person) => store.read.optedOut(person), setOptedOut: (row) => store.setOptedOut(row) }, clock),
      bindWhyMine(last),
      bindReset(
        {
          async reset(row) {
            const emptied = await store.conversations.reset(row);
            chronicle.reset({ person: row.person, place: row.place.id, turns: emptied.turns, platformIds: emptied.platformIds });
            return emptied;
          },
        },
        clock,
      ),
      bindHelp(),
    ]),
  );
}

/** The line that a turn's command stands on. */
export function saidLineOf(
  {
    character,
    place,
    heardIn = place,
    trigger,
  }: Pick<Turn, "character" | "place" | "heardIn"> & { readonly trigger: Pick<Turn["trigger"], "id"> },
  { config }: ComposeOptions,
): SaidLine {
  const known = config.current().characters.get(character);
  const language = known?.language;
  return {
    id: trigger.id,
    place: heardIn,
    character,
    characterName: known?.name ?? character,
    ...(language === undefined ? {} : { language }),
  };
}
