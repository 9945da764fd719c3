import { printable } from "../../foundation/printable.ts";
import { costMicros } from "../../vocabulary/cost.ts";
import { moneyText } from "../../vocabulary/money-text.ts";
import type { Config, ModelConfig } from "../config.ts";

/** Tokens of the longest packet at the very most, a token for each of its bytes, and of an answer. */
const LONGEST_PACKET_TOKENS = 16_512;
const LONGEST_ANSWER_TOKENS = 800;

/** What is found of one key of models or money. */
export interface ModelFinding {
  readonly level: "ok" | "warn";
  /** The key, without the author's names in front where it has none. */
  readonly path: readonly string[];
  readonly message: string;
  /** "" when nothing is to be done. */
  readonly cure: string;
}

interface Listed {
  readonly name: string;
  readonly address: string;
  readonly key: boolean;
  readonly model: ModelConfig | null;
}

/** Look at the models that may answer, and whether the bounds of money can hold for them; asks nobody. */
export function modelFindings(config: Config): readonly ModelFinding[] {
  const listed = listedModels(config);
  const [first, ...others] = listed;
  if (first === undefined) {
    const message = "no model: the understudy stands in (fixed rules, offline)";
    return [{ level: "ok", path: ["models"], message, cure: "name a model server under models.hosts" }];
  }
  return [
    found("models", "default", described(first)),
    ...others.map((one) => found("models", "default", `while the one before is down: ${described(one)}`)),
    ...moneyFindings(config, listed),
  ];
}

function found(section: string, word: string, message: string, cure: string = ""): ModelFinding {
  return { level: cure === "" ? "ok" : "warn", path: [section, word], message, cure };
}

function described({ name, address, key }: Listed): string {
  return `${printable(name)} at ${printable(address)}, ${key ? "with a key" : "without a key"}`;
}

function listedModels({ models }: Config): readonly Listed[] {
  const names = [models.defaultModel, ...models.fallbackModels].filter((name) => name !== null);
  return names.map((name) => {
    const slash = name.indexOf("/");
    const host = models.hosts.get(name.slice(0, slash));
    return {
      name,
      address: host?.url.toString() ?? "",
      key: host !== undefined && host.key !== null,
      model: host?.models.get(name.slice(slash + 1)) ?? null,
    };
  });
}

function moneyFindings({ budgets }: Config, listed: readonly Listed[]): readonly ModelFinding[] {
  const bounds = [
    ["money_per_day_in_all", budgets.moneyPerDayInAllMicros],
    ["money_per_day_per_space", budgets.moneyPerDayPerSpaceMicros],
  ] as const;
  return bounds.flatMap(([word, bound]) => {
    if (bound === null) return [];
    return [
      ...listed.flatMap(({ name, model }) => {
        if (model === null || model.price !== null) return [];
        return [
          found("budgets", word, `cannot hold for ${printable(name)}: its price is unknown`, "write its price under models.hosts, or free"),
        ];
      }),
      ...tooSmall(word, bound, listed),
    ];
  });
}

/** Money is set aside at the most a call may come to: a bound below that lets no long packet through, and guests share half of it. */
function tooSmall(word: string, bound: number, listed: readonly Listed[]): readonly ModelFinding[] {
  const most = Math.max(...listed.map(({ model }) => (model === null ? 0 : mostOf(model))));
  if (bound >= 2 * most) return [];
  const than = bound < most ? "this" : "the half that all guests share";
  const message = `one long question may have to set ${printable(moneyText(most))} aside, which is more than ${than}`;
  return [found("budgets", word, message, "write a larger bound; what a call did not cost is given back when it ends")];
}

function mostOf({ price, maxOutputTokens }: ModelConfig): number {
  if (price === null) return 0;
  const dearest = Math.max(price.promptMicros, price.cacheReadMicros, price.cacheWriteMicros);
  const completionTokens = Math.min(maxOutputTokens, LONGEST_ANSWER_TOKENS);
  const usage = { promptTokens: LONGEST_PACKET_TOKENS, completionTokens, cacheReadTokens: 0, cacheWriteTokens: 0 };
  return costMicros(usage, { ...price, promptMicros: dearest }) ?? 0;
}
