import type { Config, EngagementConfig } from "../config/config.ts";
import type { EngagementRule } from "../road/1-admission/engagement.ts";
import type { GreetingRule } from "../road/1-admission/greeting.ts";
import { STANDARD_GREETING } from "../road/1-admission/greeting.ts";

/** Rules of one configuration; a reload makes a new one. */
const RULES = new WeakMap<EngagementConfig, GreetingRule>();

/** When a line from nearby that names nobody is a greeting, as configured (MC-026). */
export function greetingRule({ engagement }: Config): GreetingRule {
  const known = RULES.get(engagement);
  if (known !== undefined) return known;
  const rule: GreetingRule = {
    words: engagement.greetingWords === null ? STANDARD_GREETING.words : [...engagement.greetingWords.values()].flat(),
    maxCharacters: engagement.greetingMaxCharacters,
    radiusMetres: engagement.greetingRadiusMetres,
    whisperRadiusMetres: engagement.whisperRadiusMetres,
  };
  RULES.set(engagement, rule);
  return rule;
}

/** How long and with how many a character is in conversation, as configured (MC-026). */
export function engagementRule({ engagement }: Config): EngagementRule {
  return { windowMs: engagement.followUpMs, people: engagement.people };
}
