import type { Config } from "../config/config.ts";
import type { Speaker } from "../models/speaker.ts";
import type { HostStatus, QueueStatus, SurfaceStatus } from "../observe/status.ts";
import type { Road } from "../road/road.ts";
import type { Store } from "../store/store.ts";
import type { Surface } from "../surfaces/surface.ts";
import type { Limits } from "../vocabulary/limits.ts";

/**
 * Whether what is admitted can still be kept: what a restart would mend. A model or a platform that is down is no such thing; those
 * come back by themselves, and `status` tells of them.
 */
export function isHealthy({ failed, read }: { readonly failed: AbortSignal; readonly read: Pick<Store["read"], "pauses"> }): boolean {
  if (failed.aborted) return false;
  try {
    read.pauses();
    return true;
  } catch {
    // The database cannot be read: why is in the log and in the next command's error.
    return false;
  }
}

/** What waits and runs, beside its ceilings. */
export function queueStatus(road: Pick<Road, "counts">, limits: Limits): QueueStatus {
  const { waiting, lanes, thinking } = road.counts();
  return {
    waiting,
    maxWaiting: limits.ingress,
    lanes,
    maxLanes: limits.senders,
    thinking,
    maxThinking: limits.concurrentTurns,
  };
}

/** How a surface stands. What tells nothing of itself is taken for online since the start. */
export function surfaceStatus(
  surface: Surface & { readonly url?: string | null },
  config: Config,
  startedAtMs: number,
): Omit<SurfaceStatus, "admittedToday"> {
  const { name, kind } = surface;
  const online = { state: "online", sinceMs: startedAtMs, reason: "", retryAtMs: null, generation: 1 } as const;
  const title = config.surfaces.get(name)?.title ?? (kind === "terminal" ? "Terminal" : name);
  return { name, kind, title, url: surface.url ?? null, people: surface.people?.().length ?? 0, ...(surface.lifecycle?.() ?? online) };
}

/** The models that may speak, in their order, and whether the host of each answers. */
export function hostStatus(speaker: Speaker): readonly HostStatus[] {
  const { model } = speaker;
  const state = speaker.state();
  const firstTokenMs = speaker.firstTokenMs();
  if (model.understudy) return [{ by: "understudy", state: "standing_in", reason: "", sinceMs: null, firstTokenMs }];
  const listed = speaker.hosts();
  const hosts = listed.length > 0 ? listed : [{ by: model.name, down: null, sinceMs: null }];
  // Whoever is up first spoke last.
  const speaking = hosts.find(({ down }) => down === null)?.by;
  return hosts.map(({ by, down, sinceMs }) => {
    // A host that refuses every question is up, and yet nobody answers.
    const away = down ?? (state.kind === "offline" && hosts.length === 1 ? "no_answer" : null);
    return {
      by,
      state: away === null ? "up" : "down",
      reason: away ?? "",
      sinceMs: away === null ? null : (sinceMs ?? (state.kind === "offline" ? state.sinceMs : null)),
      firstTokenMs: by === speaking ? firstTokenMs : null,
    };
  });
}
