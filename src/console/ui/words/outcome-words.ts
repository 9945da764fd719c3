import type { OwnLineView, PlaceView } from "../../../surfaces/room/protocol.ts";
import { duration } from "./times.ts";

/** Which lamp stands by an outcome: by shape first, as everywhere. */
export type LampShape = "on" | "off" | "half" | "bar" | "cue" | "live";

/** What the margin says of an own line: what came of it, why, and what would change it. "" where there is nothing to say. */
export interface OutcomeWords {
  readonly lamp: LampShape;
  readonly first: string;
  readonly reason: string;
  readonly cure: string;
}

/** Where an outcome is told: in which place, whom one could name there, and whether it can be known what is so now. */
export interface OutcomeScene {
  readonly place: PlaceView;
  readonly names: readonly string[];
  readonly isLive: boolean;
  /** Whether the reader asked not to be heard. */
  readonly optedOut: boolean;
}

/** Put an outcome into words. Nothing else of a gate is told to a guest (SE-094). */
export function outcomeWords(own: Omit<OwnLineView, "clientLineId">, scene: OutcomeScene): OutcomeWords {
  switch (own.outcome) {
    case "waiting":
      return { lamp: "half", first: scene.isLive ? "being answered" : "was being answered", reason: "", cure: "" };
    case "answered":
      return { lamp: "on", first: answered(own), reason: "", cure: "" };
    case "not_addressed":
      return { lamp: "off", first: "not answered", ...notAddressed(scene) };
    case "resting":
      return {
        lamp: "off",
        first: "not answered",
        reason: "resting.",
        cure: "There were enough answers for now. Say it again in a minute.",
      };
    case "interrupted":
      return { lamp: "bar", first: "interrupted", reason: "the answer was cut off.", cure: "Say it again to have it answered." };
    case "too_long":
      return { lamp: "off", first: "not answered", reason: "it was too long.", cure: "Say it in fewer words." };
  }
}

function notAddressed({ place, names, optedOut }: OutcomeScene): Pick<OutcomeWords, "reason" | "cure"> {
  if (optedOut) return { reason: "no character hears you: you asked for it.", cure: "Say /hear me to be heard again." };
  if (place.kind === "direct") return { reason: "", cure: "" };
  const choice = names.length > 1 ? ", or with one of them chosen under Answer by" : "";
  return { reason: "nobody was named.", cure: `It would be answered with a name in it${listed(names)}${choice}.` };
}

function answered(own: Omit<OwnLineView, "clientLineId">): string {
  const verb = own.words ? "answered" : "answered without words";
  return own.tookMs === null ? verb : `${verb}, ${duration(own.tookMs)}`;
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? "" : ` (${names.join(", ")})`;
}
