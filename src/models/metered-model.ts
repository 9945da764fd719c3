import { codeOf } from "../foundation/errors.ts";
import type { CallMeter } from "../vocabulary/call-meter.ts";
import type { Model } from "../vocabulary/model.ts";
import { COST_NOTHING } from "./hosted-model.ts";

/** Put a model that was given ready-made behind a meter. Its price is what its answers say; before one its calls are counted. */
export function meteredModel(model: Model, meter: CallMeter): Model {
  return {
    name: model.name,
    understudy: model.understudy,
    async generate(request, signal) {
      // Without a price only the call counts, whatever its length.
      const most = { by: model.name, price: null, promptTokens: 0, completionTokens: request.maxOutputTokens };
      const reservation = await meter.reserve(most, signal);
      try {
        const answer = await model.generate(request, signal);
        reservation.settle(answer.kind === "window" ? null : answer);
        return answer;
      } catch (error) {
        if (COST_NOTHING.has(codeOf(error))) reservation.settle(null);
        throw error;
      }
    },
  };
}
