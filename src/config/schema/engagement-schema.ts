import { z } from "zod";
import { key } from "./key.ts";
import type { RawConfig } from "./raw-config.ts";
import { languageCode, line, now, whole } from "./schema-parts.ts";

/** When a character is spoken to without its name (MC-026). */
export const engagement: z.ZodType<RawConfig["engagement"]> & z.ZodObject = z.strictObject({
  greeting_words: key(
    z
      .record(languageCode(), z.array(line(32)).min(1).max(64))
      .refine((languages) => Object.keys(languages).length <= 32, "must be at most 32 languages")
      .optional(),
    now("Words that greet, by language: a short line that starts with one speaks to a character nearby without its name.", {
      otherwise: "a built-in list of ten languages",
    }),
  ),
  greeting_max_characters: key(whole(1, 32).default(32), now("Characters of a greeting, at most.")),
  greeting_radius_m: key(whole(0, 20).default(20), now("Metres within which a greeting counts; places without distances have none.")),
  whisper_radius_m: key(whole(0, 10).default(10), now("The same for what is whispered.")),
  follow_up_s: key(whole(0, 60).default(60), now("Seconds after an answer in which its person needs no name; 0 for never.")),
  people: key(whole(1, 3).default(3), now("People that are in conversation with one character in one place.")),
});
