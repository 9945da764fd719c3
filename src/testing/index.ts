// What tests of a surface or a configuration may use. Pinned by test/architecture/public-api.test.ts.
export type { CaseScore, Score } from "./conformance/run-conformance.ts";
export { runConformance } from "./conformance/run-conformance.ts";
export { ABILITIES } from "./conformance/runtime-under-test.ts";
export type {
  Ability,
  Acknowledgement,
  CommandRun,
  LivingRuntime,
  RuntimeUnderTest,
  Told,
  World,
  WorldPlatform,
} from "./conformance/runtime-under-test.ts";
export { troupeUnderTest } from "./conformance/troupe-under-test.ts";
export { ManualClock } from "./manual-clock.ts";
export type { ProcessRoomOptions, ProcessRoomReport } from "./room-simulator/process-run.ts";
export { playRoomInProcess } from "./room-simulator/process-run.ts";
export type { MessageFate, PersonReport, RoomReport } from "./room-simulator/room-report.ts";
export type { BotGroup, Losses, PeopleGroup } from "./room-simulator/room-script.ts";
export { simulateRoom } from "./room-simulator/room-simulator.ts";
export type { ModelManners, RoomOptions } from "./room-simulator/room-simulator.ts";
export type { Mind, MindAnswer, ModelCall } from "./room-simulator/simulated-model.ts";
export type { PlatformLine, TakenPart, Taking } from "./room-simulator/simulated-platform.ts";
export { leanSpeech, startScriptedModel } from "./scripted-model.ts";
export type { Script, ScriptedAnswer, ScriptedModel, ScriptedModelOptions, ScriptedRequest } from "./scripted-model.ts";
export { ScriptedPlatform } from "./scripted-platform.ts";
export type { LedgerEntry, ScriptedLine } from "./scripted-platform.ts";
export { connectScriptedSurface } from "./scripted-surface.ts";
export type { ScriptedSurfaceOptions } from "./scripted-surface.ts";
