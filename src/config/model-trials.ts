import { join } from "node:path";
import { z } from "zod";
import type { Clock } from "../foundation/clock.ts";
import { sha256Hex } from "../foundation/ids.ts";
import { randomBytes } from "../foundation/random-bytes.ts";
import type { ModelTrial } from "../vocabulary/model-trial.ts";
import { ANSWER_FORMATS, THINKING, WINDOW_ENDS } from "../vocabulary/model-trial.ts";
import { readBounded, stampOf } from "./files/bounded-file.ts";
import type { ModelHostConfig } from "./config.ts";
import type { SetupFile } from "./writing/write-setup.ts";

/** The file of the state folder that holds what trials found out. It can be deleted at any time: then nothing is known. */
export const TRIALS_FILE = "model-trials.json";
const MAX_BYTES = 65_536;
/** Trials that are kept, newest first. */
const MAX_TRIALS = 32;
/** Least time between two looks at the file. */
const LOOK_EVERY_MS = 500;

const milliseconds = z.number().min(0).max(86_400_000);
const trialSchema: z.ZodType<ModelTrial> = z.object({
  model: z.string().min(3).max(241),
  atMs: z.number().min(0),
  firstTokenMs: milliseconds,
  loadMs: milliseconds.nullable(),
  tokensPerSecond: z.number().min(0).nullable(),
  format: z.enum(ANSWER_FORMATS),
  thinking: z.enum(THINKING),
  packetBytes: z.int().min(0).max(16_777_216),
  end: z.enum(WINDOW_ENDS),
  packetTokens: z.int().min(0).nullable(),
});
/** `salt` and `digest` tie a trial to what was tried: address, key and settings of the model. */
const storedSchema = z.object({ salt: z.string().max(64), digest: z.string().max(64), trial: trialSchema });
type StoredTrial = z.infer<typeof storedSchema>;

/** What the trials of a state folder say, read anew when the file has changed. */
export interface ModelTrials {
  /** What is known of a model as it is configured now; null when it was not tried, or anything about it changed since. */
  of(name: string, host: ModelHostConfig): ModelTrial | null;
}

/** Read the trials of a state folder when they are asked for, looking at the file at most twice a second. Never throws: what cannot be read is not known. */
export function modelTrials(stateDirectory: string, clock: Clock): ModelTrials {
  const path = join(stateDirectory, TRIALS_FILE);
  let stored: readonly StoredTrial[] = [];
  let stamp: string | null = null;
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  return {
    of(name, host) {
      const nowMs = clock.monotonicMs();
      if (nowMs - lookedAtMs >= LOOK_EVERY_MS) {
        lookedAtMs = nowMs;
        const found = stampOf(path);
        if (found !== stamp) stored = read(path);
        stamp = found;
      }
      return find(stored, name, host);
    },
  };
}

/** What is known of a model as it is configured now, read once. */
export function knownTrial(stateDirectory: string, name: string, host: ModelHostConfig): ModelTrial | null {
  return find(read(join(stateDirectory, TRIALS_FILE)), name, host);
}

/** The file with one more trial in it, in place of an earlier one of that model. */
export function withTrial(stateDirectory: string, trial: ModelTrial, host: ModelHostConfig): SetupFile {
  const salt = Buffer.from(randomBytes(16)).toString("hex");
  const others = read(join(stateDirectory, TRIALS_FILE)).filter((one) => one.trial.model !== trial.model);
  const stored: readonly StoredTrial[] = [{ salt, digest: digestOf(trial.model, host, salt), trial }, ...others].slice(0, MAX_TRIALS);
  return { name: TRIALS_FILE, text: `${JSON.stringify({ trials: stored }, null, 1)}\n`, replaces: true };
}

function find(stored: readonly StoredTrial[], name: string, host: ModelHostConfig): ModelTrial | null {
  return stored.find(({ salt, digest, trial }) => trial.model === name && digest === digestOf(name, host, salt))?.trial ?? null;
}

function read(path: string): readonly StoredTrial[] {
  const file = readBounded(path, MAX_BYTES);
  if (file.kind !== "read") return [];
  try {
    const parsed = z
      .object({ trials: z.array(z.unknown()).max(MAX_TRIALS) })
      .safeParse(JSON.parse(Buffer.from(file.bytes).toString("utf8")));
    if (!parsed.success) return [];
    // One that this version cannot read says nothing about the others.
    return parsed.data.trials.flatMap((one) => {
      const each = storedSchema.safeParse(one);
      return each.success ? [each.data] : [];
    });
  } catch {
    // Not JSON: the same as no file.
    return [];
  }
}

/** All that a trial depends on. What a model costs has no influence on what it can do. */
function digestOf(name: string, host: ModelHostConfig, salt: string): string {
  const model = host.models.get(name.slice(name.indexOf("/") + 1));
  const { price: _price, ...settings } = model ?? { price: null };
  return sha256Hex(
    JSON.stringify([
      salt,
      name,
      host.api,
      host.url.digest(salt),
      host.key === null ? null : host.key.digest(salt),
      Object.entries(settings).toSorted(([a], [b]) => (a < b ? -1 : 1)),
    ]),
  );
}
