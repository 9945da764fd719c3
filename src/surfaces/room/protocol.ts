/**
 * What goes over the wire between a page and the room or the console: types only, so that the browser can import them.
 *
 * Every request but `POST /api/door`, `POST /api/members`, `POST /api/invites/*` and `POST /api/exchange` carries `Authorization: Bearer <secret or session
 * token>`; every body is JSON with `content-type: application/json`; there is no cookie and nothing secret in a URL (SE-086, SE-087).
 * The room's and the console's listener answer the same stage routes:
 *
 * | route | body → answer |
 * |---|---|
 * | `POST /api/door` | `{}` → {@link DoorAnswer} |
 * | `POST /api/members` (room only) | {@link JoinRequest} → 201 {@link JoinAnswer} |
 * | `POST /api/invites/look` (room only) | {@link InviteRequest} → {@link InviteAnswer}; nothing is used up |
 * | `POST /api/invites/redeem` (room only) | {@link RedeemRequest} → {@link RedeemAnswer} |
 * | `POST /api/exchange` (console only) | {@link ExchangeRequest} → 201 {@link ExchangeAnswer} |
 * | `GET /api/room` | → {@link RoomView} |
 * | `GET /api/stream` | → lines of JSON, each one {@link StreamEvent}; read with `fetch`, never `EventSource` |
 * | `GET /api/lines?place=public&older=<mark>` | → {@link LinesPage}; `place=direct&character=<id>` for a private line |
 * | `POST /api/lines` | {@link SayRequest} → 202 {@link SayAnswer} |
 * | `GET /api/lines/<line id>/why` | → {@link WhyView}; for an operator {@link OperatorWhyView} |
 * | `POST /api/leave` | `{}` → 204 |
 * | `GET /api/operations` (console only) | → {@link OperationsView} |
 * | `POST /api/operations/<name>` (console only) | `{ args }`, named arguments → {@link OperationAnswer} |
 *
 * In the console `?room=<name>` on a stage route picks one of {@link OperatorView.rooms}; without it the first is meant.
 * What a page asks before it has a secret is a POST: over plain http a browser says where a GET comes from in no header at all.
 * Use `fetch` with its default mode: with `mode: "same-origin"` the page's no-referrer policy turns `Origin` into `null`, which is refused.
 * Whatever fails answers {@link ApiError}. Times are milliseconds since 1970 on the server's clock unless named otherwise.
 */

/** Which of the two listeners a page talks to. */
export type Door = "room" | "console";

/** What a listener says to a page that has no secret yet; it holds no data. */
export interface DoorAnswer {
  readonly door: Door;
  /** Only of a room: whether a name alone lets somebody in, or an invite must (TR-094). */
  readonly entry?: Entry;
}

/** Who may come into a room. */
export type Entry = "open" | "invited";

/** What the reader of a page is. A guest never is more (SE-087). */
export type ViewerRole = "guest" | "operator";

/** Own words for what happened to an own line (SE-094). `waiting` while it is being answered; the rest are final. */
export type OutcomeView = "waiting" | "answered" | "not_addressed" | "resting" | "interrupted" | "too_long";

/** Answer to whatever failed: a stable code, and one fixed sentence that holds no data. */
export interface ApiError {
  readonly code:
    | "unauthorized"
    | "invited_only"
    | "forbidden"
    | "not_found"
    | "bad_request"
    | "name_taken"
    | "name_invalid"
    | "too_many"
    | "too_large"
    | "method_not_allowed"
    | "closing"
    | "failed";
  readonly message: string;
  /** Only with `unauthorized`: what the page needs, a name (`room`) or a one-time code (`console`). */
  readonly door?: Door;
  /** Only with `unauthorized`, and only to who holds a secret that was good: how the invite ended. */
  readonly ended?: "expired" | "revoked";
  /** Only with `too_many`: milliseconds until it is worth trying again. */
  readonly retryAfterMs?: number;
}

/** Ask to become a member: a name of 1 to 40 characters, unique in the room after folding look-alikes. */
export interface JoinRequest {
  readonly name: string;
}

/** The new member. `secret` is shown this once; the server keeps its hash. Keep it in `localStorage` (`#as=new`: `sessionStorage`). */
export interface JoinAnswer {
  readonly id: string;
  readonly name: string;
  readonly secret: string;
}

/** The code of an invite, from the fragment of its link. */
export interface InviteRequest {
  readonly code: string;
}

/** What a code is good for. `used`: somebody came in by it, in the browser that was first. */
export type InviteAnswer =
  | { readonly state: "open"; readonly name: string; readonly title: string; readonly untilMs: number }
  | { readonly state: InviteEnd };

/** Why an invite lets nobody in. */
export type InviteEnd = "used" | "expired" | "revoked" | "unknown";

/** Use an invite up. `claim` is 22 to 64 of `A-Z a-z 0-9 _ -`, made once by this browser and kept until it is in: should the answer get lost, the same claim gets another within ten minutes. */
export interface RedeemRequest {
  readonly code: string;
  readonly claim: string;
}

/** The new membership, kept like that of a {@link JoinAnswer}, or why there is none. */
export type RedeemAnswer = ({ readonly state: "joined" } & JoinAnswer) | { readonly state: InviteEnd };

/** The one-time code of the URL fragment. */
export interface ExchangeRequest {
  readonly code: string;
}

/** A session of the console. Keep it in `sessionStorage`; it dies with the process. */
export interface ExchangeAnswer {
  readonly token: string;
}

/** The page's header and everything that changes rarely. */
export interface RoomView {
  readonly door: Door;
  readonly role: ViewerRole;
  /** Name of the room's surface in the configuration. */
  readonly name: string;
  readonly title: string;
  readonly self: SelfView;
  /** Whether a name alone lets somebody in, or an invite must. */
  readonly entry: Entry;
  /** Other rooms here that are open to any name, for guests; each at an address of its own. */
  readonly siblings: readonly { readonly title: string; readonly url: string }[];
  readonly characters: readonly CharacterView[];
  readonly voice: VoiceView;
  /** Bounds that the composer and the name field keep. */
  readonly limits: { readonly nameCharacters: number; readonly lineBytes: number };
  /** The server's clock when this was sent: subtract your own for "asked N s ago". */
  readonly nowMs: number;
  /** Null for guests, who are not sent any of it. */
  readonly operator: OperatorView | null;
}

/** The reader of a page. */
export interface SelfView {
  readonly id: string;
  readonly name: string;
  /** When an invited guest's stay ends, by the server's clock; null for everyone else. */
  readonly untilMs: number | null;
  /** Whether the reader asked that no character hears them (TR-091). */
  readonly optedOut: boolean;
}

/** A character of the room. */
export interface CharacterView {
  readonly id: string;
  readonly name: string;
  /** Whether the understudy speaks for it now. */
  readonly understudy: boolean;
}

/** What speaks. `model` (`host/model`) and `firstTokenMs` are null for guests. */
export type VoiceView =
  | { readonly kind: "understudy" }
  | { readonly kind: "model"; readonly model: string | null; readonly firstTokenMs: number | null }
  /** A model is configured and cannot be reached; nothing stands in for it. */
  | { readonly kind: "offline"; readonly sinceMs: number };

/** What only an operator's page gets. */
export interface OperatorView {
  readonly version: string;
  /** Process id for "take your time, then kill me": `kill -9 <pid>`. */
  readonly pid: number;
  /** When this process started: "up 3 h". */
  readonly startedAtMs: number;
  /** The rooms, the one shown included. `url` is the guests' address, for "open as someone else": add `#as=new`. */
  readonly rooms: readonly { readonly name: string; readonly title: string; readonly url: string }[];
}

/** A person in the room. People who left stay listed as away for a while. */
export interface PersonView {
  readonly id: string;
  readonly name: string;
  readonly role: ViewerRole;
  readonly you: boolean;
  /** Whether a page of theirs is open. */
  readonly here: boolean;
  /** Since when they are here, or away. */
  readonly sinceMs: number;
}

/** Where a line stands: in front of everyone, or in the reader's own private line with a character. */
export type PlaceView = { readonly kind: "public" } | { readonly kind: "direct"; readonly character: string };

/** Who said it. */
export type AuthorView =
  | { readonly kind: "person"; readonly id: string; readonly name: string; readonly you: boolean }
  | { readonly kind: "character"; readonly id: string; readonly name: string; readonly understudy: boolean };

/** One line of the script. Text is data: show it with `textContent`. */
export interface LineView {
  /** `m-…` for people's lines, `t-…` for characters'. */
  readonly id: string;
  readonly place: PlaceView;
  readonly atMs: number;
  readonly author: AuthorView;
  /** What was visibly done, "" when nothing was. */
  readonly action: string;
  /** The text in order; a person's line has one part. Drop a part whose id you have (after a restart it comes again). */
  readonly parts: readonly PartView[];
  /** How many parts there will be. The character is speaking while `parts.length < partCount`. */
  readonly partCount: number;
  /** On the reader's own lines; for an operator on everyone's public ones too. */
  readonly own: OwnLineView | null;
}

/** One piece of a line. */
export interface PartView {
  readonly id: string;
  /** From 0. */
  readonly index: number;
  readonly body: string;
}

/** What the reader of a page may know of how an own line ended; an operator, of how anybody's did. */
export interface OwnLineView {
  /** The id the page gave it; null when another process heard it long ago, and on somebody else's line. */
  readonly clientLineId: string | null;
  readonly outcome: OutcomeView;
  /** Milliseconds from hearing to the end; null while waiting, when nothing was tried, or when it is no longer known. */
  readonly tookMs: number | null;
  /** False when the character chose to answer without words. */
  readonly words: boolean;
}

/** A sign of life (TR-096): "asked N s ago" is now minus `sinceMs`. */
export interface TypingView {
  readonly character: string;
  readonly place: PlaceView;
  readonly sinceMs: number;
}

/** One place's newest lines, oldest first. */
export interface LinesPage {
  readonly place: PlaceView;
  readonly lines: readonly LineView[];
  /** What to ask with for the lines before these; null when there are none. It says nothing to anyone but the server, and only until the process ends. */
  readonly older: string | null;
}

/**
 * What the stream sends. It begins with `snapshot` and is the whole truth from there on: on every reconnect replace what you
 * hold by the new snapshot. Nothing for 30 s means that the link is down (a `beat` comes every 10 s).
 */
export type StreamEvent =
  | {
      readonly type: "snapshot";
      readonly room: RoomView;
      readonly people: readonly PersonView[];
      readonly typing: readonly TypingView[];
      /** The public place, then a private line for each character. */
      readonly pages: readonly LinesPage[];
    }
  /** A whole new line, or a line anew that you have (same id): put it in its place. */
  | { readonly type: "line"; readonly line: LineView }
  /** A character's line goes on: `head` is the line with no parts, for those who do not have it yet. */
  | { readonly type: "part"; readonly head: LineView; readonly part: PartView }
  /** The outcome of a line changed that the reader may know it of. It may come before its line. */
  | { readonly type: "outcome"; readonly lineId: string; readonly own: OwnLineView }
  | { readonly type: "people"; readonly people: readonly PersonView[] }
  | { readonly type: "typing"; readonly typing: readonly TypingView[] }
  | { readonly type: "room"; readonly room: RoomView }
  | { readonly type: "beat"; readonly nowMs: number }
  /** The last event. `slow`: you did not read in time, connect again; `closing`: the process stops; `left`: this member left; `revoked` and `expired`: the invite ended; `ended`: the membership did, connect again to learn how. */
  | { readonly type: "end"; readonly reason: EndReason };

/** Why a stream ended. */
export type EndReason = "slow" | "closing" | "left" | "revoked" | "expired" | "ended";

/** Say something. The same `clientLineId` again is the same line, never a second one. */
export interface SayRequest {
  /** 1 to 64 of `A-Z a-z 0-9 _ -`, fresh for each line, kept for retries. */
  readonly clientLineId: string;
  /** The character it is for; null for everyone. Needed when `private`. */
  readonly to: string | null;
  readonly private: boolean;
  readonly text: string;
}

/** The line is kept; the stream tells how it goes on. */
export interface SayAnswer {
  readonly lineId: string;
  readonly own: OwnLineView;
}

/** A guest's answer to "why": own lines only. */
export interface WhyView {
  readonly lineId: string;
  readonly outcome: OutcomeView;
  readonly tookMs: number | null;
  readonly words: boolean;
}

/** The operator's answer: ids, codes and counts, never text. */
export interface OperatorWhyView extends WhyView {
  /** The same answer in a terminal: `troupe why m-8c27`. */
  readonly command: string;
  readonly explanation: ExplanationView;
}

/** Why a message got in or stayed out, and how far it came. */
export interface ExplanationView {
  readonly atMs: number;
  readonly surface: string;
  readonly place: string;
  readonly person: string;
  readonly character: string | null;
  readonly admission: "admitted" | "suppressed";
  readonly reason: string | null;
  readonly gate: string;
  readonly rule: string;
  readonly key: string;
  readonly class: string | null;
  /** How many messages of the sender this stands for. */
  readonly count: number;
  /** Where its inbox row stands; null when it has none. */
  readonly state: "open" | "running" | "suspended" | "ended" | null;
  readonly end: string | null;
  readonly endReason: string | null;
  readonly attempts: number;
  readonly turn: TurnView | null;
  readonly parts: readonly { readonly id: string; readonly state: string; readonly reason: string; readonly settledAtMs: number | null }[];
}

/** The run of a voice for a message. */
export interface TurnView {
  readonly id: string;
  readonly startedAtMs: number;
  readonly endedAtMs: number | null;
  readonly voice: string | null;
  /** `host/model`, `understudy`, or an operation's name. */
  readonly by: string | null;
  readonly firstTokenMs: number | null;
  /** Hosts that could not answer before the one that did, with the reason. */
  readonly skipped: readonly { readonly by: string; readonly reason: string }[];
  readonly usage: { readonly promptTokens: number; readonly completionTokens: number; readonly costMicros: number | null } | null;
  readonly candidates: number;
  readonly packet: {
    readonly id: string;
    readonly bytes: number;
    readonly segments: readonly { readonly kind: string; readonly count: number; readonly bytes: number }[];
    readonly withheld: readonly { readonly class: string; readonly count: number }[];
  } | null;
  /** What the delivery gate changed: codes and counts. */
  readonly gate: readonly { readonly code: string; readonly count: number }[];
}

/** The operations that the console may run. */
export interface OperationsView {
  readonly operations: readonly { readonly name: string; readonly summary: string }[];
}

/** What an operation said: text for people, data for programs. */
export type OperationAnswer =
  | { readonly kind: "done"; readonly text: string; readonly data: unknown }
  | { readonly kind: "failed"; readonly code: string; readonly message: string };
