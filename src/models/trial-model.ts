import type { Clock } from "../foundation/clock.ts";
import { CEILINGS } from "../vocabulary/limits.ts";
import type { ModelRequest } from "../vocabulary/model.ts";
import type { AnswerFormat } from "../vocabulary/model-trial.ts";
import type { BuiltPacket } from "../vocabulary/packet.ts";
import type { HostConfig } from "./models-config.ts";
import { openModels } from "./models.ts";
import type { TrialAnswer } from "./trial.ts";
import { createUnderstudy } from "./understudy.ts";
import { UNMETERED } from "./unmetered.ts";

/** One model as a turn would ask it, without anybody's budget: whoever tries it out asked for that. */
export interface TrialModel extends Disposable {
  /** @throws RuntimeError `model_*`, `truncated_by_host`, `deadline`; the signal's reason on abort. */
  ask(packet: BuiltPacket, format: AnswerFormat, signal: AbortSignal): Promise<TrialAnswer>;
}

/** What a trial asks. */
export interface TrialModelNeeds {
  /** `host/model`. */
  readonly name: string;
  readonly host: HostConfig;
  readonly clock: Clock;
  /** The form of an answer to this packet, for hosts that take a schema. */
  readonly schema: (packet: BuiltPacket) => NonNullable<ModelRequest["schema"]>;
}

/** Open one model of one host for a trial; nothing is sent before it is asked. @throws RuntimeError `invalid_argument`, `secret_invalid` */
export function openTrialModel(needs: TrialModelNeeds, signal: AbortSignal): TrialModel {
  const { name, host, clock, schema } = needs;
  const understudy = createUnderstudy(clock);
  const hosts = new Map([[name.slice(0, name.indexOf("/")), host]]);
  const models = openModels({ hosts, defaultModel: name, fallbackModels: [], clock, limits: CEILINGS, understudy }, signal);
  const model = models.speaker(UNMETERED);
  return {
    async ask(packet, format, until) {
      const { system, prompt, maxOutputTokens } = packet;
      const answer = await model.generate({ system, prompt, maxOutputTokens, ...formOf(packet, format, schema) }, until);
      if (answer.kind === "window") return { kind: "window" };
      const { text, usage, firstTokenMs, loadMs, thought, asked = format } = answer;
      const counted = usage.estimated ? null : usage;
      const counts = { promptTokens: counted?.promptTokens ?? null, completionTokens: counted?.completionTokens ?? null };
      return { kind: "answer", text, ...counts, firstTokenMs, loadMs, thought, asked };
    },
    [Symbol.dispose]: () => models[Symbol.dispose](),
  };
}

function formOf(packet: BuiltPacket, format: AnswerFormat, schema: TrialModelNeeds["schema"]): Pick<ModelRequest, "format" | "schema"> {
  if (format === "plain") return { format: "plain" };
  return format === "json" ? { format: "json" } : { format: "json", schema: schema(packet) };
}
