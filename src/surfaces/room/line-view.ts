import type { ChronicleEvent } from "../../vocabulary/event.ts";
import type { CharacterId, SurfaceName, TurnId } from "../../vocabulary/ids.ts";
import { mayRead, readersOf } from "../../vocabulary/label.ts";
import type { Place, PlaceId } from "../../vocabulary/place.ts";
import { directPlace, publicPlace } from "../../vocabulary/place.ts";
import type { PrincipalId } from "../../vocabulary/principal.ts";
import type { LiveLine } from "./live-lines.ts";
import type { RoomCharacter } from "./ports.ts";
import type { AuthorView, LineView, OwnLineView, PlaceView } from "./protocol.ts";

/** What a projection needs besides the line and its reader. */
export interface LineSources {
  readonly surface: SurfaceName;
  readonly characters: readonly RoomCharacter[];
  readonly byUnderstudy: (turn: TurnId) => boolean;
  /** What this reader may know of how a person's line ended. */
  readonly own: (event: ChronicleEvent, clientLineId: string | null) => OwnLineView | null;
}

/** The places of a room that a person can read: the room itself, and a private line with each character. */
export function placesOf(
  sources: Pick<LineSources, "surface" | "characters">,
  person: PrincipalId,
): readonly { readonly place: Place; readonly view: PlaceView }[] {
  const direct = sources.characters.map(({ id }) => ({
    place: directPlace(sources.surface, id, person),
    view: { kind: "direct", character: id } as const,
  }));
  return [{ place: publicPlace(sources.surface), view: { kind: "public" } }, ...direct];
}

/** Where a line stands for a person, or null when that person may not have it: the one filter of streams and history (SE-087). */
export function placeFor(
  sources: Pick<LineSources, "surface" | "characters">,
  event: { readonly place: PlaceId; readonly audience: ChronicleEvent["audience"] },
  person: PrincipalId,
): PlaceView | null {
  const own = placesOf(sources, person).find(({ place }) => place.id === event.place);
  if (own === undefined) return null;
  return mayRead(event.audience, readersOf(own.place)) ? own.view : null;
}

/** A committed line as one person sees it; null when it is not theirs to see, or not (or never) said. */
export function viewEvent(sources: LineSources, event: ChronicleEvent, person: PrincipalId): LineView | null {
  const place = placeFor(sources, event, person);
  if (place === null || event.state !== "said") return null;
  const id = lineIdOf(event);
  const author = authorOf(sources, event, person);
  const own = author.kind === "person" ? sources.own(event, author.you ? clientLineOf(sources, event, person) : null) : null;
  const partId = author.kind === "character" ? `${id}.0` : id;
  return {
    id,
    place,
    atMs: event.atMs,
    author,
    action: event.action,
    parts: [{ id: partId, index: 0, body: event.text }],
    partCount: 1,
    own,
  };
}

/** A line on its way as one person sees it; null when it goes to another's private line. `whole: false` leaves the parts out. */
export function viewLive(sources: LineSources, line: LiveLine, person: PrincipalId, whole: boolean): LineView | null {
  const place = placesOf(sources, person).find((own) => own.place.id === line.place.id)?.view;
  if (place === undefined) return null;
  const author = characterAuthor(sources, line.character, line.turn);
  return {
    id: line.turn,
    place,
    atMs: line.atMs,
    author,
    action: line.action,
    parts: whole ? line.parts : [],
    partCount: line.count,
    own: null,
  };
}

/** The id pages know a line by: its turn for a character's line, so that live parts and the record agree. */
export function lineIdOf(event: ChronicleEvent): string {
  return event.author.kind === "character" ? (event.turn ?? event.id) : event.id;
}

function authorOf(sources: LineSources, event: ChronicleEvent, person: PrincipalId): AuthorView {
  if (event.author.kind === "character") return characterAuthor(sources, event.author.character, event.turn ?? null);
  return { kind: "person", id: event.author.principal, name: event.author.name, you: event.author.principal === person };
}

function characterAuthor(sources: LineSources, character: CharacterId, turn: TurnId | null): AuthorView {
  const name = sources.characters.find(({ id }) => id === character)?.name ?? character;
  return { kind: "character", id: character, name, understudy: turn !== null && sources.byUnderstudy(turn) };
}

/** Deliveries of this room are `<person>:<the page's id>`; what came in elsewhere has no page's id. */
function clientLineOf(sources: LineSources, event: ChronicleEvent, person: PrincipalId): string | null {
  const { delivery } = event;
  return delivery?.surface === sources.surface && delivery.id.startsWith(`${person}:`) ? delivery.id.slice(person.length + 1) : null;
}
