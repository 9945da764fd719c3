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
export { FAKE_TOKEN, FakeDiscord, startFakeDiscord } from "./fake-discord/fake-discord.ts";
export type { FakeDiscordOptions } from "./fake-discord/fake-discord.ts";
export type { RestFault } from "./fake-discord/faults.ts";
export type { Manner } from "./fake-discord/gateway-connection.ts";
export { INTENTS } from "./fake-discord/gateway.ts";
export type { Privileges } from "./fake-discord/gateway.ts";
export type { Asked } from "./fake-discord/interaction-routes.ts";
export type { FakeInteraction, LedgerPost } from "./fake-discord/platform.ts";
export type { BucketRule } from "./fake-discord/rate-limits.ts";
export type { SeenRequest } from "./fake-discord/rest-server.ts";
export type { Dialect } from "./fake-discord/shapes.ts";
export type { ChannelKind, FakeChannel, FakeGuild, FakeMessage, FakeRole, FakeUser, MessageExtras } from "./fake-discord/world.ts";
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
