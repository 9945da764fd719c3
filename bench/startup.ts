/**
 * How long a start takes until it says it is ready, and what it holds when nothing happens: `node bench/startup.ts IDLE_SECONDS ENTRY`.
 * First with an empty state folder, so without compiled code kept from earlier; then again over what the first left. The memory
 * is the second one's, so many seconds after it was ready, as the system counts it (Linux only; elsewhere it is not measured); and that of
 * a fourth one, which like the third has a bot connected to a Discord of this process, with 50 channels and 200 people.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startFakeDiscord } from "../src/testing/fake-discord/fake-discord.ts";
import { ROOM, start, stop } from "../tools/installed-package.ts";
import type { Figures } from "./statistics.ts";
import { report } from "./statistics.ts";

/** Resident memory of a process in MiB under this name, after so many seconds; nothing where the system does not tell. */
async function residentMb(name: string, pid: number | undefined, afterS: number): Promise<Figures> {
  await new Promise((resolve) => setTimeout(resolve, afterS * 1_000));
  const path = `/proc/${pid}/status`;
  if (!existsSync(path)) return {};
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(path, "utf8"))?.[1];
  return { [name]: Number(kilobytes) / 1_024 };
}

/** The same with a bot that is online. */
async function withDiscord(entry: string, folder: string, afterS: number): Promise<Figures> {
  await using discord = await startFakeDiscord();
  const guild = discord.addGuild("Harbour");
  for (let at = 0; at < 50; at += 1) discord.addChannel(guild, `channel-${at}`);
  for (let at = 0; at < 200; at += 1) discord.join(guild, discord.addUser(`person-${at}`));
  const token = join(folder, "bot.token");
  writeFileSync(token, `${discord.token}\n`, { mode: 0o600 });
  const bot = `  town: { kind: discord, token_file: "${token}", character: mirelle, api_base: "${discord.api}", other_server: true }\n`;
  writeFileSync(join(folder, "troupe.yaml"), ROOM.replace("console:", `${bot}console:`));
  // As with the others, the first start leaves compiled code.
  await stop((await start(entry, folder)).child);
  const { child } = await start(entry, folder);
  await discord.until(() => discord.gateway.ready, AbortSignal.timeout(20_000));
  const resident = await residentMb("idle_discord_rss_mb", child.pid, afterS);
  await stop(child);
  return resident;
}

const [idleSeconds = "12", entry = "bin/troupe.cjs"] = process.argv.slice(2);
const home = mkdtempSync(join(tmpdir(), "troupe-bench-"));
try {
  writeFileSync(join(home, "troupe.yaml"), ROOM);
  const launcher = join(process.cwd(), entry);
  const first = await start(launcher, home);
  await stop(first.child);
  const second = await start(launcher, home);
  const resident = await residentMb("idle_rss_mb", second.child.pid, Number(idleSeconds));
  await stop(second.child);
  const connected = await withDiscord(launcher, home, Number(idleSeconds));
  report({ ready_ms: first.readyMs, ready_warm_ms: second.readyMs, ...resident, ...connected });
} finally {
  rmSync(home, { recursive: true, force: true });
}
