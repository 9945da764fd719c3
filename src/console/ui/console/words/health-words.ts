import type { HostStatus, StatusAnswer, SurfaceStatus } from "../../../../observe/status.ts";
import type { LampShape } from "../../words/outcome-words.ts";
import { stretch } from "../../words/times.ts";
import { count, listed } from "./numbers.ts";

/** How a state looks: the lamp beside it, and whether it is told loudly, plainly or aside. */
export interface StateLook {
  readonly lamp: LampShape;
  readonly tone: "plain" | "bad" | "off";
}

const LOOKS: Readonly<Record<SurfaceStatus["state"], StateLook>> = {
  online: { lamp: "on", tone: "plain" },
  connecting: { lamp: "half", tone: "plain" },
  degraded: { lamp: "half", tone: "plain" },
  backoff: { lamp: "half", tone: "plain" },
  "authentication-blocked": { lamp: "bar", tone: "bad" },
  paused: { lamp: "off", tone: "off" },
  stopped: { lamp: "off", tone: "off" },
  "shutting-down": { lamp: "half", tone: "off" },
};

/** How a surface's state looks. */
export function surfaceLook(state: SurfaceStatus["state"]): StateLook {
  return LOOKS[state];
}

/** How a model's state looks. */
export function hostLook(state: HostStatus["state"]): StateLook {
  if (state === "down") return { lamp: "bar", tone: "bad" };
  return state === "up" ? { lamp: "on", tone: "plain" } : { lamp: "off", tone: "off" };
}

const ON_THE_WAY = new Set<SurfaceStatus["state"]>(["connecting", "degraded", "backoff"]);

/** What needs somebody, and what comes back by itself. */
export function troubles(status: Pick<StatusAnswer, "surfaces" | "hosts">): {
  readonly needsYou: readonly string[];
  readonly comesBack: readonly string[];
  readonly hostsDown: readonly string[];
} {
  const titles = (wanted: (state: SurfaceStatus["state"]) => boolean): readonly string[] =>
    status.surfaces.filter(({ state }) => wanted(state)).map(({ title }) => title);
  return {
    needsYou: titles((state) => state === "authentication-blocked"),
    comesBack: titles((state) => ON_THE_WAY.has(state)),
    hostsDown: status.hosts.filter(({ state }) => state === "down").map(({ by }) => by),
  };
}

/** How many things are down, for the page's place in the navigation. */
export function downCount(status: Pick<StatusAnswer, "surfaces" | "hosts">): number {
  const { needsYou, comesBack, hostsDown } = troubles(status);
  return needsYou.length + comesBack.length + hostsDown.length;
}

/** Health in one or two sentences: what needs you first. */
export function healthSentence(status: StatusAnswer): string {
  const { needsYou, comesBack, hostsDown } = troubles(status);
  const unknown = status.today.parts["unknown"] ?? 0;
  const sentences = [
    needsYou.length === 0 ? "" : `${listed(needsYou)} ${needsYou.length === 1 ? "needs" : "need"} you.`,
    hostsDown.length === 0 ? "" : `${listed(hostsDown)} ${hostsDown.length === 1 ? "does" : "do"} not answer.`,
    comesBack.length === 0 ? "" : `${listed(comesBack)} ${comesBack.length === 1 ? "is" : "are"} coming back by themselves.`,
    unknown === 0 ? "" : `${count(unknown, "part")} may not have arrived, and won’t be sent again.`,
  ].filter((sentence) => sentence !== "");
  return sentences.length === 0
    ? "Everything is up. Nothing admitted is lost."
    : sentences.join(" ").replace("is coming back by themselves", "is coming back by itself");
}

/** What is going on with a surface, beside its state. */
export function surfaceWords(surface: SurfaceStatus, nowMs: number): string {
  const { state, sinceMs, kind, people, retryAtMs } = surface;
  const lasts = stretch(nowMs - sinceMs);
  if (retryAtMs !== null) return retryAtMs > nowMs ? `Tries again in ${stretch(retryAtMs - nowMs + 999)}.` : "Trying again.";
  if (state === "authentication-blocked") return "The platform refused the account. It won’t try again by itself.";
  if (state !== "online") return `For ${lasts}.`;
  if (kind === "terminal") return "Starts with troupe chat";
  return `${lasts}, ${people === 0 ? "nobody here" : count(people, "person here", "people here")}`;
}
