import { RuntimeError } from "../../foundation/errors.ts";
import { keyedIds, sha256Hex } from "../../foundation/ids.ts";
import type { CharacterId } from "../../vocabulary/ids.ts";
import type { BuiltPacket, LivePacket, ObservedEvent, Segment, Withheld } from "../../vocabulary/packet.ts";
import { FORBIDDEN_INFERENCES, PACKET_SCHEMA } from "../../vocabulary/packet.ts";
import type { ActionLabel, PacketRecord } from "../../vocabulary/reply.ts";
import { Visible } from "../../vocabulary/visible.ts";
import type { CharacterDefinition } from "../definition.ts";
import { checkDefinition } from "../definition.ts";
import type { ObservedLine, RenderedLine, RenderedTalk } from "./conversation.ts";
import { renderTalk } from "./conversation.ts";
import { FRAME_SCAFFOLD, frameSegments } from "./frame.ts";
import { rawMarkersIn } from "./markers.ts";
import { outputContract } from "./output-contract.ts";
import { PROMPT_SCAFFOLD, SYSTEM_END, localContext, promptSegments, visibilityNote } from "./prompt.ts";

/** Everything a packet is built from. Nothing else is read: equal inputs give equal bytes. */
export interface PacketInput {
  /** The install key: makes fence and packet id unpredictable to visitors (TR-033). */
  readonly key: Uint8Array;
  readonly character: CharacterDefinition;
  /** Names of the other characters, by id, as configuration has them. */
  readonly cast: ReadonlyMap<CharacterId, string>;
  /** The earlier talk, filtered for this character and destination; it also says which destination. */
  readonly visible: Visible;
  readonly observed: ObservedLine;
  /** What the place calls itself, and how many people read it now (null: not known). Both are seen by everyone there. */
  readonly place: { readonly name: string; readonly people: number | null };
  readonly allowedLabels: readonly ActionLabel[];
  readonly contract: "lean" | "plain";
  /** Bytes of system and prompt text together, at most; oldest lines of talk are left out until it fits. */
  readonly maxBytes: number;
  readonly maxOutputTokens: number;
  /** For "2 min ago"; the only clock the builder has. */
  readonly nowMs: number;
  /** For the record and the audit only. Has no influence on a byte of the prompt, nor on the packet id. */
  readonly withheld: readonly Withheld[];
}

/** The system text of a character, made once for each definition. */
interface Frame {
  readonly segments: readonly Segment[];
  readonly text: string;
  readonly bytes: number;
  readonly digest: string;
}

interface Composed {
  readonly frame: Frame;
  readonly prompt: readonly Segment[];
  readonly promptText: string;
  readonly talk: RenderedTalk;
  readonly fence: string;
  readonly packetId: string;
  readonly bytes: number;
}

/**
 * Build the one packet that a responder gets: a pure function of its input (AE-024…AE-038, TR-033, TR-038).
 * @throws RuntimeError `invalid_argument` when the input contradicts itself; `capacity` when even without earlier talk it is
 * over `maxBytes`; `config_invalid` when the card holds names of raw state; `forged` when `visible` is not the chronicle's.
 */
export function buildPacket(input: PacketInput): BuiltPacket {
  checkInput(input);
  const { composed, left } = fit(input);
  const system = composed.frame.text;
  const prompt = composed.promptText;
  const withheld = [...input.withheld, ...left.map((ref) => ({ ref, class: "budget" }))];
  const segments: readonly Segment[] = [
    ...composed.frame.segments,
    { kind: "scaffold", source: "runtime", text: SYSTEM_END },
    ...composed.prompt,
  ];
  const { talk, packetId, fence } = composed;
  return {
    packet: livePacket(input, composed, `${system}${SYSTEM_END}${prompt}`, withheld),
    system,
    prompt,
    contract: input.contract,
    maxOutputTokens: input.maxOutputTokens,
    record: record(packetId, composed.bytes, segments, withheld),
    segments,
    influence: talk.influence,
    speakers: { own: [input.character.name, ...input.character.aliases], others: talk.others },
    scaffold: scaffoldOf(input.contract, input.allowedLabels),
    canaries: [fence],
    get visibleText() {
      return visibleTextOf(talk);
    },
  };
}

/** Keep the newest lines that fit. Fewer lines may also mean shorter labels, so each try is measured whole. */
function fit(input: PacketInput): { readonly composed: Composed; readonly left: readonly string[] } {
  const events = Visible.eventsOf(input.visible);
  // Nearly every packet has room for all of it: only the others pay for the search.
  const whole = compose(input, events.length);
  if (whole.bytes <= input.maxBytes) return { composed: whole, left: [] };
  let best = compose(input, 0);
  if (best.bytes > input.maxBytes) {
    throw new RuntimeError("capacity", `Cannot build a packet: the line to answer does not fit into ${input.maxBytes} bytes`);
  }
  let fits = 0;
  for (let tooMany = events.length; tooMany - fits > 1;) {
    const tried = Math.floor((fits + tooMany) / 2);
    const composed = compose(input, tried);
    if (composed.bytes <= input.maxBytes) [best, fits] = [composed, tried];
    else tooMany = tried;
  }
  return { composed: best, left: events.slice(0, events.length - fits).map((event) => event.id) };
}

function compose(input: PacketInput, lines: number): Composed {
  const { character, visible, observed, cast, nowMs } = input;
  const all = Visible.eventsOf(visible);
  const events = lines === 0 ? [] : all.slice(-lines);
  const talk = renderTalk(events, observed, { self: character.id, selfName: character.name, names: cast }, nowMs);
  const frame = frameOf(character);
  const contract = outputContract(input.contract, input.allowedLabels);
  const place = { ...input.place, kind: visible.destination.kind };
  const leftOut = all.length - lines;
  // The two ids are made from all else that the model sees. Each piece is one line, so no two packets are the same text.
  const facts = JSON.stringify([frame.digest, place.kind, place.name, place.people, leftOut, input.contract, input.allowedLabels]);
  const [fence, packetId] = keyedIds(input.key, `packet ${facts}\n${textOf(talk.earlier)}${talk.observed.text}`);
  const prompt = promptSegments({ fence, packetId, talk, leftOut, place, labels: input.allowedLabels, contract });
  const promptText = textOf(prompt);
  return { frame, prompt, promptText, talk, fence, packetId, bytes: frame.bytes + Buffer.byteLength(promptText) };
}

const FRAMES = new WeakMap<CharacterDefinition, Frame>();

/** @throws RuntimeError `config_invalid` when the card holds names of raw state. */
function frameOf(character: CharacterDefinition): Frame {
  const known = FRAMES.get(character);
  if (known !== undefined) return known;
  checkDefinition(character);
  const segments = frameSegments(character);
  const text = textOf(segments);
  const frame: Frame = { segments, text, bytes: Buffer.byteLength(text), digest: sha256Hex(text) };
  FRAMES.set(character, frame);
  return frame;
}

function textOf(segments: readonly Pick<Segment, "text">[]): string {
  let all = "";
  for (const { text } of segments) all += text;
  return all;
}

function livePacket(input: PacketInput, composed: Composed, promptText: string, withheld: readonly Withheld[]): LivePacket {
  const { character, allowedLabels, contract, visible, place } = input;
  const { event, who, said, did } = composed.talk.observed.line;
  const kind = visible.destination.kind;
  const observed: ObservedEvent = {
    event_id: event,
    actor_agent_id: who,
    observable_action: did,
    spoken_text: said,
    visible_object_refs: [],
    visibility_notes: [visibilityNote(kind)],
  };
  return {
    schema_version: PACKET_SCHEMA,
    packet_id: composed.packetId,
    responder_agent_id: character.id,
    generation_lane: "packet_only",
    lore_access: { mode: "curated_excerpts_only", allowed_scope: [], required_provenance: true },
    visible_context: {
      local_context_prompt: localContext({ ...place, kind }),
      observed_event: observed,
      allowed_action_labels: allowedLabels,
      source_excerpts: [],
    },
    output_contract: outputContract(contract, allowedLabels),
    hidden_context_audit: {
      omitted_context_refs: withheld.map(({ ref }) => ref),
      forbidden_inference_classes: FORBIDDEN_INFERENCES,
      known_absences: [...new Set(withheld.map((item) => item.class))].toSorted(),
    },
    isolation_requirements: {
      isolation_method: "external_model_packet_only",
      packet_only: true,
      no_repo_access: true,
      no_conversation_context: true,
      no_hidden_state_refs: true,
    },
    packet_prompt_text: promptText,
  };
}

/** Kinds and counts only: a record is kept for a month with each turn, so it may not grow with the talk. */
function record(id: string, bytes: number, segments: readonly Segment[], withheld: readonly Withheld[]): PacketRecord {
  const pieces = new Map<string, { count: number; bytes: number }>();
  for (const segment of segments) {
    const piece = pieces.get(segment.kind) ?? { count: 0, bytes: 0 };
    piece.count += 1;
    piece.bytes += bytesOf(segment);
    pieces.set(segment.kind, piece);
  }
  const classes = new Map<string, number>();
  for (const item of withheld) classes.set(item.class, (classes.get(item.class) ?? 0) + 1);
  return {
    id,
    bytes,
    segments: [...pieces].map(([kind, piece]) => ({ kind, ...piece })),
    withheld: [...classes].map(([name, count]) => ({ class: name, count })),
  };
}

/** A line of talk knows its bytes. */
function bytesOf(segment: Segment | RenderedLine): number {
  return "bytes" in segment ? segment.bytes : Buffer.byteLength(segment.text);
}

function visibleTextOf(talk: RenderedTalk): string {
  return [...talk.earlier, talk.observed]
    .map(({ line }) => [line.name, line.did, line.said].filter((text) => text !== "").join("\n"))
    .join("\n");
}

function checkInput({ visible, character, allowedLabels, contract }: PacketInput): void {
  const refuse = (why: string): never => {
    throw new RuntimeError("invalid_argument", `Cannot build a packet: ${why}`);
  };
  if (visible.character !== character.id) refuse("the visible events are another character's");
  if (allowedLabels.length === 0) refuse("no action is allowed");
  if (contract === "plain" && !allowedLabels.includes("speak")) refuse("a plain answer needs the label speak");
}

/** The builder's own sentences by contract and labels: a handful of combinations, each made and checked once. */
const SCAFFOLDS = new Map<string, readonly string[]>();
const MAX_SCAFFOLDS = 64;

/** All of the runtime's own sentences, checked once more at the sink (AE-036). Looks at no visitor's text: see `rawMarkersIn`. */
function scaffoldOf(contract: "lean" | "plain", labels: readonly ActionLabel[]): readonly string[] {
  const key = `${contract} ${labels.join(" ")}`;
  const known = SCAFFOLDS.get(key);
  if (known !== undefined) return known;
  const scaffold = [...FRAME_SCAFFOLD, ...PROMPT_SCAFFOLD, ...outputContract(contract, labels).response_rules];
  if (scaffold.some((sentence) => rawMarkersIn(sentence).length > 0)) {
    throw new RuntimeError("internal", "Cannot build a packet: its own scaffold names raw state");
  }
  if (SCAFFOLDS.size < MAX_SCAFFOLDS) SCAFFOLDS.set(key, scaffold);
  return scaffold;
}
