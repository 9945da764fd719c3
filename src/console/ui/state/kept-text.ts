import type { Signal } from "@preact/signals";
import { signal } from "@preact/signals";

/** A map of small texts that outlives a load of the page where the browser allows it, and the load itself where not. */
export interface KeptText {
  get(key: string): string | null;
  set(key: string, value: string): void;
  remove(key: string): void;
}

/** What a browser's storage gives; it may throw on every call, when storage is switched off or full. */
export interface RawStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/** Keep texts in a storage, or in memory only when there is none or it refuses. `open` may throw. */
export function createKeptText(open: () => RawStorage): KeptText {
  const memory = new Map<string, string>();
  const attempt = <T>(use: (storage: RawStorage) => T, otherwise: T): T => {
    try {
      return use(open());
    } catch {
      return otherwise;
    }
  };
  return {
    get: (key) => attempt((storage) => storage.getItem(key), null) ?? memory.get(key) ?? null,
    set(key, value) {
      memory.set(key, value);
      attempt((storage) => storage.setItem(key, value), undefined);
    },
    remove(key) {
      memory.delete(key);
      attempt((storage) => storage.removeItem(key), undefined);
    },
  };
}

/** A number that is kept; 0 before it was ever set. */
export function keptNumber(kept: KeptText, key: string): Signal<number> {
  const number = Number(kept.get(key) ?? "0");
  const value = signal(Number.isFinite(number) ? number : 0);
  value.subscribe((now) => (now === 0 ? undefined : kept.set(key, String(now))));
  return value;
}
