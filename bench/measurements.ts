/** One measurement: a script of this folder, run in a process of its own. */
export interface Measurement {
  readonly name: string;
  /** Arguments of a full and of a quick round. */
  readonly args: { readonly full: readonly string[]; readonly quick: readonly string[] };
  readonly script: string;
  readonly nodeOptions?: readonly string[];
  /** Milliseconds after which it is given up. */
  readonly timeoutMs: number;
  /** In how many of the rounds it is done, where fewer are enough: what it measures hardly differs between them. */
  readonly rounds?: number;
}

const WATCHED = ["--import", "./bench/watch-commits.ts"] as const;

/** In the order of a round. */
export const MEASUREMENTS: readonly Measurement[] = [
  { name: "closed-loop", script: "closed-loop", args: { full: ["20000", "12"], quick: ["2000", "5"] }, timeoutMs: 60_000 },
  { name: "open-loop", script: "open-loop", args: { full: ["12"], quick: ["3"] }, nodeOptions: WATCHED, timeoutMs: 60_000 },
  { name: "slow-sync", script: "open-loop", args: { full: ["8", "10"], quick: ["2", "10"] }, nodeOptions: WATCHED, timeoutMs: 60_000 },
  { name: "suppressed", script: "suppressed", args: { full: ["3"], quick: ["1"] }, timeoutMs: 30_000 },
  {
    name: "idle-heap",
    script: "idle-heap",
    args: { full: ["10000"], quick: ["1000"] },
    nodeOptions: ["--expose-gc"],
    rounds: 3,
    timeoutMs: 90_000,
  },
  { name: "startup", script: "startup", args: { full: ["12"], quick: ["3"] }, timeoutMs: 90_000 },
  { name: "install", script: "install", args: { full: [], quick: [] }, timeoutMs: 120_000, rounds: 1 },
  { name: "recovery", script: "recovery", args: { full: ["100000"], quick: ["100000"] }, timeoutMs: 60_000 },
];
