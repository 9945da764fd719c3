/** Which files each set runs, as data. Every pattern must match a file, and every test file must belong to a pattern of `all`. */
const UNIT: readonly string[] = ["src/**/*.test.ts", "tools/**/*.test.ts"];
/** Kill points and random worlds among them: sampled or walked, as `TROUPE_TEST_DEPTH` says. */
const QUICK: readonly string[] = [
  ...UNIT,
  "test/architecture/**/*.test.ts",
  "test/adversarial/**/*.test.ts",
  "test/scenarios/**/*.test.ts",
];

export type TestSet = "unit" | "check" | "all" | "kill" | "load";

export const TEST_SETS: Readonly<Record<TestSet, readonly string[]>> = {
  unit: UNIT,
  check: QUICK,
  all: [...QUICK, "test/browser/**/*.test.ts"],
  load: ["test/scenarios/discord/load.test.ts"],
  kill: [
    "test/scenarios/kill-turns.test.ts",
    "test/scenarios/kill-points.test.ts",
    "test/scenarios/kill-platforms.test.ts",
    "test/scenarios/kill-main.test.ts",
  ],
};

/** Whether a word of the command line names a set. */
export function isTestSet(word: string | undefined): word is TestSet {
  return word !== undefined && Object.hasOwn(TEST_SETS, word);
}
