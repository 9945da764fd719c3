import { throwIfAborted } from "../foundation/cancellation.ts";
import type { Clock } from "../foundation/clock.ts";
import { RuntimeError } from "../foundation/errors.ts";
import type { Model } from "../vocabulary/model.ts";
import { readPacket } from "../vocabulary/packet-lines.ts";
import type { UnderstudyLine } from "./understudy-rules.ts";
import { UNDERSTUDY_RULES, heardBy } from "./understudy-rules.ts";

/** What the understudy says to a prompt, and for how long it is to think first. */
export interface UnderstudyAnswer {
  readonly text: string;
  readonly thinkMs: number;
}

/**
 * Answer a prompt by fixed rules: a pure function of the two texts, without clock, chance, state or network (TR-084). It is a
 * gossip on purpose: asked for anything, it repeats what it can see, so whatever it can't tell was not in the packet.
 */
export function understudyAnswer(system: string, prompt: string): UnderstudyAnswer {
  const packet = readPacket(system, prompt);
  if (packet === null) throw new RuntimeError("invalid_argument", "Cannot answer as the understudy: the prompt is no packet");
  const heard = heardBy(packet);
  const line = firstAnswer(heard);
  if (packet.plain) return { text: line.speech === "" ? "…" : line.speech, thinkMs: line.thinkMs };
  const answer = {
    action_label: line.silent ? "silence" : "speak",
    visible_action: "",
    spoken_text: line.speech,
    ...(line.wish === "" ? {} : { state_update_candidates: [line.wish] }),
  };
  return { text: JSON.stringify(answer), thinkMs: line.thinkMs };
}

function firstAnswer(heard: ReturnType<typeof heardBy>): UnderstudyLine {
  for (const rule of UNDERSTUDY_RULES) {
    const line = rule.answer(heard);
    if (line !== null) return line;
  }
  throw new RuntimeError("internal", "Cannot answer as the understudy: no rule took the line");
}

/**
 * Make the model that speaks when none is configured: offline, free, and named as what it is. It never stands in for a
 * configured model that fails. Think time is waited on the clock it is given.
 */
export function createUnderstudy(clock: Clock): Model {
  return {
    name: "understudy",
    understudy: true,
    async generate(request, signal) {
      throwIfAborted(signal);
      const startMs = clock.monotonicMs();
      const { text, thinkMs } = understudyAnswer(request.system, request.prompt);
      if (thinkMs > 0) await clock.sleep(thinkMs, signal);
      // It reads no tokens, so it counts none.
      return {
        kind: "answer",
        text,
        usage: { promptTokens: 0, completionTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, estimated: false },
        costMicros: 0,
        by: "understudy",
        firstTokenMs: clock.monotonicMs() - startMs,
        loadMs: null,
        finish: "stop",
        thought: false,
        skipped: [],
      };
    },
  };
}
