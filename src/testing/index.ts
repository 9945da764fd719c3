// What tests of a surface or a configuration may use. Pinned by test/architecture/public-api.test.ts.
export { ManualClock } from "./manual-clock.ts";
export { leanSpeech, startScriptedModel } from "./scripted-model.ts";
export type { Script, ScriptedAnswer, ScriptedModel, ScriptedModelOptions, ScriptedRequest } from "./scripted-model.ts";
export { ScriptedPlatform } from "./scripted-platform.ts";
export type { LedgerEntry, ScriptedLine } from "./scripted-platform.ts";
export { connectScriptedSurface } from "./scripted-surface.ts";
export type { ScriptedSurfaceOptions } from "./scripted-surface.ts";
