import type {
  LineView,
  OperatorWhyView,
  InviteAnswer,
  InviteEnd,
  OwnLineView,
  PersonView,
  PlaceView,
  RoomView,
  TypingView,
  WhyView,
} from "../../../surfaces/room/protocol.ts";

/** Names one place as a map's key: `public` or `direct:<character>`. */
export type PlaceKey = string;

/** Which view the page shows: the stage, or what it needs first. */
export type Phase =
  | { readonly kind: "starting" }
  /** A name is asked for. `before` is the name of a membership that has ended, offered again; `offered` one that the address brought. */
  | { readonly kind: "name"; readonly before: string; readonly offered: string; readonly busy: boolean; readonly error: Trouble | null }
  /** A one-time code is asked for. `ended` when a session of this tab is over. */
  | { readonly kind: "code"; readonly ended: boolean; readonly busy: boolean; readonly error: Trouble | null }
  /** This tab was opened with an invite. `invite` is null where it could not be looked at. */
  | {
      readonly kind: "invite";
      readonly invite: Extract<InviteAnswer, { readonly state: "open" }> | null;
      readonly busy: boolean;
      readonly error: Trouble | null;
    }
  /** Nobody comes in here without a link, or without another one. `name` is who was in, "" for a newcomer. */
  | { readonly kind: "closed"; readonly why: ClosedBy; readonly name: string }
  | { readonly kind: "stage" }
  | { readonly kind: "left" };

/** Why the door stays closed: it opens with a link only, this link opens nothing, or the stay that a link gave is over. */
export type ClosedBy = "invited_only" | InviteEnd | "stay_revoked" | "stay_expired";

/** Whether what is shown is what is so. Amber is lit only while `live`. */
export type Link =
  | { readonly kind: "connecting" }
  | { readonly kind: "live" }
  /** `retryAtMs` is null while it is being tried. `why` tells a process that said goodbye from one that went silent. */
  | { readonly kind: "down"; readonly sinceMs: number; readonly retryAtMs: number | null; readonly why: "closing" | "lost" };

/** What failed, in a stable code and one sentence; `retryAtMs` is null when nothing is gained by waiting. */
export interface Trouble {
  readonly code: string;
  readonly message: string;
  readonly retryAtMs: number | null;
}

/** The lines of one place that the page holds, oldest first. */
export interface PlaceState {
  readonly place: PlaceView;
  readonly lines: readonly LineView[];
  /** What to ask the server with for the lines before the oldest; null when there are none. */
  readonly mark: string | null;
  /** Whether old lines were let go here. The mark is of no use then; a new snapshot brings a new one. */
  readonly cut: boolean;
  readonly older: { readonly kind: "idle" } | { readonly kind: "reading" } | { readonly kind: "failed"; readonly trouble: Trouble };
}

/** A line that was said here and does not yet stand in the script. It keeps its id through every retry. */
export interface UnsentLine {
  readonly clientLineId: string;
  readonly place: PlaceView;
  readonly to: string | null;
  readonly text: string;
  readonly atMs: number;
  readonly state:
    | { readonly kind: "sending" }
    /** Kept by the server under this id; the stream brings it. */
    | { readonly kind: "kept"; readonly lineId: string }
    /** Waits for the link. */
    | { readonly kind: "waiting" }
    | { readonly kind: "refused"; readonly trouble: Trouble };
}

/** What is known of a line's road, once somebody asked. */
export type WhyState =
  | { readonly kind: "reading" }
  | { readonly kind: "told"; readonly why: WhyView | OperatorWhyView }
  | { readonly kind: "failed"; readonly trouble: Trouble };

/** Everything the page shows that comes from the server, and what is on its way there. */
export interface StageState {
  readonly phase: Phase;
  readonly link: Link;
  readonly room: RoomView | null;
  /** Add to this machine's clock to get the server's. */
  readonly offsetMs: number;
  readonly people: readonly PersonView[];
  readonly typing: readonly TypingView[];
  readonly places: Readonly<Record<PlaceKey, PlaceState>>;
  /** Outcomes of own lines that have not come yet, by the line's id. */
  readonly early: Readonly<Record<string, OwnLineView>>;
  readonly unsent: readonly UnsentLine[];
  readonly whys: Readonly<Record<string, WhyState>>;
  /** Whole lines for a screen reader, newest last; see `nextStage`. */
  readonly announced: readonly Announcement[];
}

/** One whole line that arrived while the page was open. */
export interface Announcement {
  readonly id: string;
  readonly text: string;
}

/** What a page starts from. `unsent` is what an earlier load of the tab could not send. */
export function emptyStage(unsent: readonly UnsentLine[]): StageState {
  return {
    phase: { kind: "starting" },
    link: { kind: "connecting" },
    room: null,
    offsetMs: 0,
    people: [],
    typing: [],
    places: {},
    early: {},
    unsent,
    whys: {},
    announced: [],
  };
}

/** The key of a place. */
export function keyOf(place: PlaceView): PlaceKey {
  return place.kind === "public" ? "public" : `direct:${place.character}`;
}

/** Whether more parts of a character's line are to come. */
export function isSpeaking(line: LineView): boolean {
  return line.author.kind === "character" && line.parts.length < line.partCount;
}
