import type { InboundEvent } from "../vocabulary/inbound.ts";
import { parseCharacterId, parseMessageId, parseSurfaceName } from "../vocabulary/ids.ts";
import type { CharacterId, SurfaceName } from "../vocabulary/ids.ts";
import type { Answers } from "../vocabulary/part.ts";
import { directPlace, publicPlace } from "../vocabulary/place.ts";
import type { PrincipalId } from "../vocabulary/principal.ts";
import { parsePrincipalId } from "../vocabulary/principal.ts";

/** The surface, the two characters and the person that the road's tests speak of. */
export const PARLOUR: SurfaceName = parseSurfaceName("parlour");
/** The innkeeper. */
export const MIRELLE: CharacterId = parseCharacterId("mirelle");
/** The ferryman. */
export const TOBIAS: CharacterId = parseCharacterId("tobias");
/** A visitor. */
export const ANN: PrincipalId = parsePrincipalId("room:ann");

/** What a part answers, where a test does not say. */
export const ANSWERS: Answers = { message: parseMessageId("m-asked"), deliveryId: "d-1" };

/** An inbound line: public in the parlour from Ann unless told otherwise. */
export function inboundLine(
  line: Partial<Omit<InboundEvent, "sender">> & {
    displayName?: string;
    kind?: InboundEvent["sender"]["kind"];
    person?: PrincipalId;
    direct?: CharacterId;
  } = {},
): InboundEvent {
  const { displayName = "Ann", kind = "person", person = ANN, direct, ...rest } = line;
  return {
    surface: PARLOUR,
    deliveryId: "d-1",
    atMs: 1_800_000_000_000,
    sender: { principal: person, displayName, kind, assurance: "anonymous" },
    place: direct === undefined ? publicPlace(PARLOUR) : directPlace(PARLOUR, direct, person),
    alone: false,
    text: "Mirelle, good evening",
    ...rest,
  };
}
