import { existsSync } from "node:fs";
import { tmpdir } from "node:os";

/**
 * Where tests that are not about the disk put their folders: in memory, on a system that has such a folder. A commit there waits
 * for nothing, and a test that makes thousands is over in seconds on any disk.
 */
export function scratchRoot(): string {
  return existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
}
