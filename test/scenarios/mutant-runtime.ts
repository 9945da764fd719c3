import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { Inbox, Surface } from "../../src/surfaces/surface.ts";
import { runOnScriptedPlatforms, serveQuestions } from "../../src/testing/runtime-entry.ts";
import { parseMessageId } from "../../src/vocabulary/ids.ts";
import type { Heard } from "../../src/vocabulary/inbound.ts";

/**
 * A process of its own: the runtime with one fault, chosen by `TROUPE_MUTANT`, that a kill must bring to light. Each stands for a
 * way in which such programs lose or repeat messages; the tests see that the check of a run turns red on it.
 */
const MUTANTS: Readonly<Record<string, () => (surface: Surface) => Surface>> = {
  /** The platform's cursor moves when a line is heard, not when it is kept. */
  "cursor before commit": () =>
    hearing((inbox) => async (event, signal) => {
      inbox.hear(event, signal).catch(() => {});
      return { kind: "admitted", id: parseMessageId("m-early") };
    }),
  /** A delivery counts as known from the moment it was heard, on disk, while its line is kept later. */
  "dedupe set before commit": () => {
    const file = "seen-deliveries";
    const seen = new Set(existsSync(file) ? readFileSync(file, "utf8").split("\n") : []);
    return hearing((inbox) => (event, signal) => {
      if (seen.has(event.deliveryId))
        return Promise.resolve<Heard>({ kind: "suppressed", id: parseMessageId("m-known"), reason: "duplicate" });
      seen.add(event.deliveryId);
      appendFileSync(file, `${event.deliveryId}\n`);
      return inbox.hear(event, signal);
    });
  },
  /** A start gives back what turns cost that died with the process before. */
  "refund on kill": () => {
    const path = ".troupe/troupe.db";
    if (existsSync(path)) {
      using db = new DatabaseSync(path);
      const known = db.prepare("select 1 from sqlite_schema where name = 'budget'").get() !== undefined;
      if (known)
        db.exec(
          "update budget set amount = amount - (select count(*) from inbox where state = 'running' and class = 'talk' and lead is null)",
        );
    }
    return (surface) => surface;
  },
  /** Whatever may have been sent is sent again. */
  "asks nobody": () => (surface) => changedSurface(surface, { readBack: () => Promise.resolve({ kind: "absent" }) }),
};

function hearing(hear: (inbox: Inbox) => Inbox["hear"]): (surface: Surface) => Surface {
  return (surface) => changedSurface(surface, { open: (inbox, signal) => surface.open({ hear: hear(inbox) }, signal) });
}

function changedSurface(surface: Surface, changes: Partial<Surface>): Surface {
  return {
    name: surface.name,
    kind: surface.kind,
    profile: surface.profile,
    open: (inbox, signal) => surface.open(inbox, signal),
    send: (part, signal) => surface.send(part, signal),
    readBack: (part, signal) => surface.readBack(part, signal),
    typing: () => {},
    [Symbol.asyncDispose]: () => surface[Symbol.asyncDispose](),
    ...changes,
  };
}

const change = MUTANTS[process.env["TROUPE_MUTANT"] ?? ""]?.();
await serveQuestions(await runOnScriptedPlatforms(process.env, new AbortController().signal, change));
