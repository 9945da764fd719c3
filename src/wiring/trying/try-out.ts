import type { Clock } from "../../foundation/clock.ts";
import { RuntimeError, codeOf } from "../../foundation/errors.ts";
import type { Line } from "../../foundation/line.ts";
import { line, toned } from "../../foundation/line.ts";
import { packetBytes } from "../../characters/coordinator.ts";
import { openTrialModel } from "../../models/trial-model.ts";
import type { TrialStep } from "../../models/trial.ts";
import { runTrial } from "../../models/trial.ts";
import type { Candidate, TrialOutcome } from "../../operations/setup/model-bench.ts";
import { leanSchema, parseLean } from "../../responder/lean-answer.ts";
import { createTrialPackets } from "./trial-packets.ts";

/** Try a model with packets of the runtime's own builder, and read its answers as a turn would. @throws the signal's reason on abort. */
export async function tryOut(
  { name, host, character }: Candidate,
  needs: { readonly clock: Clock; readonly told: (line: Line) => void },
  signal: AbortSignal,
): Promise<TrialOutcome> {
  const { clock, told } = needs;
  const id = name.slice(name.indexOf("/") + 1);
  const config = host.models.get(id);
  const packets = createTrialPackets(character, clock);
  try {
    using model = openTrialModel(
      { name, host, clock, schema: ({ packet }) => leanSchema(packet.visible_context.allowed_action_labels) },
      signal,
    );
    const { found, said } = await runTrial(
      {
        clock,
        asksNoThinking: config?.think === "off",
        longestBytes: packetBytes(config?.contextTokens ?? null),
        ask: (packet, format, until) => model.ask(packet, format, until),
        greeting: packets.greeting,
        rehearsal: packets.rehearsal,
        readLean: (text, { packet }) => parseLean(text, packet.visible_context.allowed_action_labels)?.speech ?? null,
        step: (step) => told(stepLine(step)),
      },
      signal,
    );
    return { kind: "tried", trial: { model: name, atMs: clock.nowMs(), ...found }, said };
  } catch (error) {
    if (signal.aborted || !(error instanceof RuntimeError)) throw error;
    return { kind: "failed", code: codeOf(error), why: error.message };
  }
}

function stepLine(step: TrialStep): Line {
  switch (step.kind) {
    case "greeting":
      return toned("faint", line`  … a newcomer's greeting`);
    case "format":
      return step.format === "json"
        ? toned("faint", line`  … it keeps no schema; the same, asked for as JSON`)
        : toned("faint", line`  … it keeps no JSON; the same, as plain words`);
    case "reading":
      return toned("faint", line`  … a packet of ${Math.floor(step.bytes / 1_024)} KiB with code words along it`);
  }
}
