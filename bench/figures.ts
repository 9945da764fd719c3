/** What a run tells of one figure. */
export interface FigureRule {
  /** As the measurement reports it. */
  readonly name: string;
  /** For people. */
  readonly label: string;
  readonly unit: string;
  readonly digits: number;
  /** The bound the project set itself. */
  readonly bound?: { readonly atLeast: number } | { readonly atMost: number };
  /** Whether it stands in the object that `--json` writes. */
  readonly key: boolean;
}

/** Every figure, in the order in which people read them. */
export const FIGURES: readonly FigureRule[] = [
  {
    name: "closed_loop_msgs_per_s",
    label: "closed loop, 512 under way",
    unit: "messages/s",
    digits: 0,
    bound: { atLeast: 6_000 },
    key: true,
  },
  { name: "closed_loop_messages", label: "messages of a closed loop", unit: "", digits: 0, key: false },
  { name: "closed_loop_cpu_us", label: "processor time of one of its messages", unit: "µs", digits: 0, key: false },
  { name: "closed_loop_main_cpu_us", label: "… of that in the thread that thinks", unit: "µs", digits: 0, key: false },
  { name: "closed_loop_event_loop_ms_p99", label: "event loop in the closed loop, p99", unit: "ms", digits: 1, key: false },
  { name: "open_loop_added_ms_p50", label: "added to a 200 ms model at 256/s, p50", unit: "ms", digits: 1, key: true },
  { name: "open_loop_added_ms_p99", label: "added to a 200 ms model at 256/s, p99", unit: "ms", digits: 1, key: true },
  {
    name: "open_loop_beyond_sync_ms",
    label: "the same p99 less three times the commit p99",
    unit: "ms",
    digits: 1,
    bound: { atMost: 5 },
    key: false,
  },
  { name: "event_loop_ms_p99", label: "event loop in the open loop, p99", unit: "ms", digits: 1, bound: { atMost: 10 }, key: true },
  { name: "fsync_ms_p99", label: "durable commit in the open loop, p99", unit: "ms", digits: 1, key: true },
  { name: "busy_turns", label: "turns busy of 64, median", unit: "", digits: 0, key: false },
  { name: "slow_sync_open_loop_added_ms_p99", label: "every commit 10 ms slower: added, p99", unit: "ms", digits: 1, key: false },
  {
    name: "slow_sync_open_loop_beyond_sync_ms",
    label: "… less three times its commit p99",
    unit: "ms",
    digits: 1,
    bound: { atMost: 5 },
    key: false,
  },
  { name: "slow_sync_event_loop_ms_p99", label: "… event loop, p99", unit: "ms", digits: 1, bound: { atMost: 10 }, key: false },
  { name: "slow_sync_fsync_ms_p99", label: "… durable commit, p99", unit: "ms", digits: 1, key: false },
  { name: "suppressed_per_s", label: "ambient lines judged and noted", unit: "lines/s", digits: 0, bound: { atLeast: 20_000 }, key: true },
  { name: "recovery_ms_100k", label: "start over 100,000 open messages", unit: "ms", digits: 0, bound: { atMost: 3_000 }, key: true },
  { name: "heap_mb_10k_idle_people", label: "heap after 10,000 more people fell idle", unit: "MB", digits: 1, key: true },
  { name: "heap_mb_before", label: "heap before they came", unit: "MB", digits: 1, key: false },
  { name: "bytes_per_idle_person", label: "… grown by, for each", unit: "bytes", digits: 0, bound: { atMost: 100 }, key: false },
  {
    name: "db_bytes_per_message",
    label: "database for each message and its answer",
    unit: "bytes",
    digits: 0,
    bound: { atMost: 1_536 },
    key: true,
  },
  { name: "wal_mb_max", label: "largest write-ahead log in the closed loop", unit: "MB", digits: 1, bound: { atMost: 32 }, key: true },
  { name: "ready_ms", label: "ready, first start", unit: "ms", digits: 0, bound: { atMost: 1_000 }, key: true },
  { name: "ready_warm_ms", label: "ready, later starts", unit: "ms", digits: 0, bound: { atMost: 500 }, key: false },
  { name: "idle_rss_mb", label: "memory 12 s after ready", unit: "MB", digits: 0, bound: { atMost: 120 }, key: true },
  { name: "idle_discord_rss_mb", label: "the same with Discord connected", unit: "MB", digits: 0, bound: { atMost: 130 }, key: true },
  { name: "install_mb", label: "installed, on disk", unit: "MB", digits: 1, bound: { atMost: 55 }, key: true },
  { name: "install_packages", label: "packages installed", unit: "", digits: 0, bound: { atMost: 45 }, key: true },
];
