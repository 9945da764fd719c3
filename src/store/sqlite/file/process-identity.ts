import { readFileSync, readlinkSync } from "node:fs";

/** What tells one process from any other, as far as the system says; "" where it does not. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Start time in ticks since boot, so that a reused pid is not taken for its predecessor. */
  readonly started: string;
  readonly host: string;
  /** Changes when the machine restarts. */
  readonly boot: string;
  /** Pids of two namespaces (containers) say nothing about each other. */
  readonly namespace: string;
}

/** Identity of this process. */
export function currentProcess(): ProcessIdentity {
  return {
    pid: process.pid,
    started: startedOf(process.pid).started,
    host: attempt(() => readFileSync("/proc/sys/kernel/hostname", "utf8").trim()),
    boot: attempt(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()),
    namespace: attempt(() => readlinkSync("/proc/self/ns/pid")),
  };
}

/** Whether a process seen before is still there: `unknown` when this process cannot see it. */
export function presenceOf(other: ProcessIdentity, self: ProcessIdentity): "alive" | "gone" | "unknown" {
  if (other.host !== self.host) return "unknown";
  if (other.boot !== self.boot) return "gone";
  if (other.namespace !== self.namespace) return "unknown";
  if (!answersSignals(other.pid)) return "gone";
  const now = startedOf(other.pid);
  if (now.ended) return "gone";
  if (other.started === "" || now.started === "") return "unknown";
  return now.started === other.started ? "alive" : "gone";
}

function answersSignals(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it is there, but somebody else's.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** A killed process stays in the table until its parent looks; it holds nothing any more. */
function startedOf(pid: number): { readonly started: string; readonly ended: boolean } {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, "utf8"));
  // The second field is the name in brackets and may hold anything, brackets and spaces included.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return { started: fields[19] ?? "", ended: fields[0] === "Z" || fields[0] === "X" };
}

function attempt(read: () => string): string {
  try {
    return read();
  } catch {
    return ""; // Not Linux, or hidden from this user: the caller falls back to the heartbeat.
  }
}
