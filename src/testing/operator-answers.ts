import type { StatusAnswer } from "../observe/status.ts";

/** Everything up, a room with people in it, and a model that answers. */
export function healthy(): StatusAnswer {
  const nowMs = Date.now();
  const startedAtMs = nowMs - 11_520_000;
  const surface = { sinceMs: startedAtMs + 600, reason: "", retryAtMs: null, generation: 1, state: "online" } as const;
  return {
    version: "0.1.0",
    pid: 4711,
    startedAtMs,
    upMs: 11_520_000,
    nowMs,
    memoryBytes: 104_300_000,
    model: "local/qwen3-8b",
    rooms: [{ name: "The Foyer", url: "http://127.0.0.1:7777/", port: 7777 }],
    console: "http://127.0.0.1:7778/",
    stateDirectory: "/srv/inn/.troupe",
    messages: { open: 2, running: 1, suspended: 0 },
    parts: { queued: 1, sending: 1 },
    queues: { waiting: 2, maxWaiting: 8_192, lanes: 2, maxLanes: 4_096, thinking: 1, maxThinking: 64 },
    surfaces: [
      { ...surface, name: "parlour", kind: "room", title: "The Foyer", url: "http://127.0.0.1:7777/", people: 4, admittedToday: 264 },
      { ...surface, name: "terminal", kind: "terminal", title: "Terminal", url: null, people: 0, admittedToday: 12 },
    ],
    hosts: [{ by: "local/qwen3-8b", state: "up", reason: "", sinceMs: null, firstTokenMs: 240 }],
    paused: [],
    characters: [
      { id: "mirelle", name: "Mirelle" },
      { id: "tobias", name: "Tobias" },
    ],
    today: {
      sinceMs: Math.floor(nowMs / 86_400_000) * 86_400_000,
      admitted: 276,
      suppressed: 234,
      ends: { answered: 262, silent: 9, refused: 1, failed: 2 },
      parts: { delivered: 271, unknown: 1, failed: 0 },
    },
    store: { databaseBytes: 38_200_000, walBytes: 412_000, commits: 1_841, commitP50Ms: 1.9, commitP99Ms: 6.4 },
    notices: { kept: 2, dropped: 0 },
    log: null,
    traces: null,
  };
}

/** A surface that needs its operator, one that comes back by itself, and a model that is away. */
export function troubled(): StatusAnswer {
  const status = healthy();
  const now = status.nowMs;
  const base = { url: null, people: 0, admittedToday: 88, generation: 23, kind: "discord" } as const;
  return {
    ...status,
    surfaces: [
      ...status.surfaces,
      {
        ...base,
        name: "harbour",
        title: "Discord: Harbour",
        state: "backoff",
        sinceMs: now - 29_000,
        reason: "closed_4009",
        retryAtMs: now + 12_000,
      },
      {
        ...base,
        name: "saltmarsh",
        kind: "grid",
        title: "Second Life",
        state: "authentication-blocked",
        sinceMs: now - 11_000_000,
        reason: "password_refused",
        retryAtMs: null,
      },
    ],
    hosts: [
      ...status.hosts,
      { by: "spare/qwen3-235b", state: "down", reason: "model_unreachable", sinceMs: now - 271_000, firstTokenMs: null },
    ],
  };
}
