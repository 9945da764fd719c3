import { registerHooks } from "node:module";
import { throwIfAborted } from "../foundation/cancellation.ts";

/**
 * What the library loads and this program never uses, by what stands in its place: its own HTTP client, since requests are made by
 * `fetch`, and its table of kinds of files, since none is sent.
 */
const UNUSED: ReadonlyMap<string, string> = new Map([
  ["undici", "export class FormData {} export class Headers {} export const request = undefined;"],
  ["magic-bytes.js", "export const filetypeinfo = () => [];"],
]);

/** Load what stands on Discord's libraries without what would only take memory. */
export async function loadDiscord<Loaded>(load: () => Promise<Loaded>, signal: AbortSignal): Promise<Loaded> {
  throwIfAborted(signal);
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      const instead = context.parentURL?.includes("/@discordjs/") === true ? UNUSED.get(specifier) : undefined;
      return instead === undefined
        ? next(specifier, context)
        : { url: `data:text/javascript,${encodeURIComponent(instead)}`, format: "module", shortCircuit: true };
    },
  });
  // It looks whether the platform has this, which would load `fetch` with all that belongs to it.
  const form = Object.getOwnPropertyDescriptor(globalThis, "FormData");
  Object.defineProperty(globalThis, "FormData", { value: null, configurable: true, writable: true });
  try {
    return await load();
  } finally {
    hooks.deregister();
    if (form !== undefined) Object.defineProperty(globalThis, "FormData", form);
  }
}
