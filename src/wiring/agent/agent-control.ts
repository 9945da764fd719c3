import { STOP_ANSWER } from "../../agents/agent-voice.ts";
import type { Control } from "../../agents/control.ts";
import { createControlVoice, parseControl } from "../../agents/control.ts";
import type { LiveTurns } from "../../agents/live-turns.ts";
import { renewSession } from "../../agents/session/renew.ts";
import { createLabelSource } from "../../authority/gateway/label-source.ts";
import type { Standpoint } from "../../authority/gateway/turn-authority.ts";
import { withoutAlias } from "../../road/1-admission/addressed.ts";
import { commandWords } from "../../road/1-admission/own-words.ts";
import type { Voice } from "../../road/3-turns/voice.ts";
import type { Road } from "../../road/road.ts";
import type { Store } from "../../store/store.ts";
import type { Place } from "../../vocabulary/place.ts";
import { labelText } from "../../vocabulary/calls/text-label.ts";
import type { ComposeOptions } from "../compose-options.ts";
import { foreignIn } from "./sessions.ts";

/** What controls of the agent's lines work on. */
export interface AgentControlFloors {
  readonly store: Store;
  readonly live: LiveTurns;
  readonly classesOf: Standpoint["classesOf"];
  /** Let a turn that waits go on. */
  readonly resume: Road["resume"];
}

/** The control in a line of an operator's own place, a character's name in front taken off; null for any other line. */
export function controlIn(text: string, place: Place, { config }: Pick<ComposeOptions, "config">): Control | null {
  if (place.kind !== "direct") return null;
  const aliases = config.current().characters.get(place.character)?.aliases ?? [];
  return parseControl(withoutAlias(commandWords(text), aliases));
}

/** The voice of controls over the store and the road. */
export function agentControl(options: ComposeOptions, { store, live, classesOf, resume }: AgentControlFloors): Voice {
  const { clock, ids } = options.floor;
  return createControlVoice({
    live,
    controlOf: ({ trigger, place }) => controlIn(trigger.text, place, options),
    async stopWaiting({ person, place }) {
      const waiting = store.read.openQuestions(person, place.id);
      for (const { approval, digest } of waiting) await resume({ approval, digest, person, answer: STOP_ANSWER });
      return waiting.length;
    },
    renew: ({ place, person, character }, how) =>
      renewSession(place.id, how, {
        clock,
        ids,
        verbs: store.sessions,
        reads: store.read.sessions,
        ownLabel: labelText(createLabelSource().ofRuntime()),
        isForeign: (label) =>
          foreignIn(label, { person, character, classesOf, endorsed: (sha256) => store.read.calls.endorsed(sha256) }).length > 0,
      }),
  });
}
