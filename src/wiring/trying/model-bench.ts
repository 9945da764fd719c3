import { modelNameRule } from "../../config/rules/answer-rules.ts";
import type { Clock } from "../../foundation/clock.ts";
import { EndpointUrl } from "../../foundation/endpoint-url.ts";
import { LIKELY_PORTS } from "../../models/local-servers.ts";
import type { ModelBench } from "../../operations/setup/model-bench.ts";

/** Make the bench; what it works with is loaded when it is used. `at` moves the ports it looks at, for tests. */
export function createModelBench(clock: Clock, at: (port: number) => number = (port) => port): ModelBench {
  return {
    ports: LIKELY_PORTS,
    async look(signal) {
      const { findLocalServers } = await import("../../models/local-servers.ts");
      const found = await findLocalServers(clock, signal, at);
      return found.map((server) => ({ ...server, models: server.models.filter((name) => modelNameRule(name) === null) }));
    },
    async modelsOf({ api, url, key }, signal) {
      const { listModels } = await import("../../models/local-servers.ts");
      const listed = await listModels({ api, url: EndpointUrl.parse(url, "the server"), key }, clock, signal);
      return (listed ?? []).filter((name) => modelNameRule(name) === null);
    },
    async tryOut(candidate, told, signal) {
      const { tryOut } = await import("./try-out.ts");
      return tryOut(candidate, { clock, told }, signal);
    },
  };
}
