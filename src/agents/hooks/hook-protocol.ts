import type { HookEvent } from "../../vocabulary/calls/hook-event.ts";

/** What a hook's thread is started with: the hook's own text, checked against its digest before. */
export interface HookStart {
  readonly troupeHook: string;
}

/** Why a hook's text cannot be used. */
export const HOOK_FAULTS = ["imports", "no_function", "does_not_load"] as const;
/** One of {@link HOOK_FAULTS}. */
export type HookFault = (typeof HOOK_FAULTS)[number];

/** What the thread is told. */
export interface HookQuestion {
  readonly id: number;
  readonly event: HookEvent;
  readonly steers: boolean;
}

/** What it says. `answer` is whatever the hook made; nothing of it is trusted. */
export type HookLine =
  | { readonly kind: "ready" }
  | { readonly kind: "broken"; readonly fault: HookFault }
  | { readonly kind: "answered"; readonly id: number; readonly answer: unknown }
  | { readonly kind: "threw"; readonly id: number };
