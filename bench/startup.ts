/**
 * How long a start takes until it says it is ready, and what it holds when nothing happens: `node bench/startup.ts IDLE_SECONDS ENTRY`.
 * First with an empty state folder, so without compiled code kept from earlier; then again over what the first left. The memory
 * is the second one's, so many seconds after it was ready, as the system counts it (Linux only; elsewhere it is not measured).
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOM, start, stop } from "../tools/installed-package.ts";
import type { Figures } from "./statistics.ts";
import { report } from "./statistics.ts";

/** Resident memory of a process in MiB; nothing where the system does not tell. */
function residentMb(pid: number | undefined): Figures {
  const path = `/proc/${pid}/status`;
  if (!existsSync(path)) return {};
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(path, "utf8"))?.[1];
  return { idle_rss_mb: Number(kilobytes) / 1_024 };
}

const [idleSeconds = "12", entry = "bin/troupe.cjs"] = process.argv.slice(2);
const home = mkdtempSync(join(tmpdir(), "troupe-bench-"));
try {
  writeFileSync(join(home, "troupe.yaml"), ROOM);
  const first = await start(join(process.cwd(), entry), home);
  await stop(first.child);
  const second = await start(join(process.cwd(), entry), home);
  await new Promise((resolve) => setTimeout(resolve, Number(idleSeconds) * 1_000));
  const resident = residentMb(second.child.pid);
  await stop(second.child);
  report({ ready_ms: first.readyMs, ready_warm_ms: second.readyMs, ...resident });
} finally {
  rmSync(home, { recursive: true, force: true });
}
