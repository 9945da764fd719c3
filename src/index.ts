// What others may build on: run it, or write a surface. Pinned by test/architecture/public-api.test.ts.
export { compose } from "./compose.ts";
export type { Composed, ComposeOptions } from "./compose.ts";
export { loadConfig } from "./config/load.ts";
export type { LoadedConfig, LoadOptions } from "./config/load.ts";
export { systemClock } from "./foundation/clock.ts";
export type { Clock } from "./foundation/clock.ts";
export { ERROR_CODES, isRuntimeError, RuntimeError } from "./foundation/errors.ts";
export type { ErrorCode } from "./foundation/errors.ts";
export type { Inbox, Pace, PartLimits, Surface, SurfaceProfile } from "./surfaces/surface.ts";
export { parseCharacterId, parseSurfaceName } from "./vocabulary/ids.ts";
export type { CharacterId, MessageId, PartId, SurfaceName, TurnId } from "./vocabulary/ids.ts";
export type { Heard, InboundEvent, SenderKind, SuppressReason } from "./vocabulary/inbound.ts";
export type { Part, PartState, ReadBack, Receipt, SendOutcome } from "./vocabulary/part.ts";
export { directPlace, publicPlace } from "./vocabulary/place.ts";
export type { DirectPlace, Place, PlaceId, PublicPlace } from "./vocabulary/place.ts";
export { parsePrincipalId } from "./vocabulary/principal.ts";
export type { Assurance, PrincipalId, Role } from "./vocabulary/principal.ts";
