import { z } from "zod";
import type { Clock } from "../../foundation/clock.ts";
import { isRuntimeError } from "../../foundation/errors.ts";
import type { StoreReader } from "../../store/store.ts";
import type { AgentModel } from "../../vocabulary/calls/agent-model.ts";
import type { ActionFacts } from "../../vocabulary/calls/authorized-action.ts";
import type { Influence } from "../../vocabulary/label.ts";
import type { PlaceId } from "../../vocabulary/place.ts";
import { publicPlace } from "../../vocabulary/place.ts";
import { parseSurfaceName } from "../../vocabulary/ids.ts";
import type { ToolClasses } from "../../vocabulary/calls/tool-definition.ts";
import type { ClosedType } from "../unread/closed-type.ts";
import { CLOSED_TYPE_SCHEMA, bitsOf, closedType } from "../unread/closed-type.ts";
import type { Reader, ReadingWish } from "../unread/reading.ts";
import { MAX_READ_CHARACTERS, readText } from "../unread/reading.ts";
import type { UnreadText, UnreadTexts } from "../unread/unread-texts.ts";
import { LISTS_UNREAD, MAX_LISTED } from "../unread/unread-texts.ts";
import type { Tool, ToolOutput } from "./tool.ts";
import { defineTool } from "./tool.ts";

/** What asking about unread texts works with. */
export interface InspectNeeds {
  readonly clock: Clock;
  readonly unread: UnreadTexts;
  readonly entries: StoreReader["sessions"]["entries"];
  readonly last: (session: ActionFacts["session"]) => number;
  /** The model that reads, one further call of the day charged for it; null when the day's calls are used up. */
  readonly reader: (action: ActionFacts, signal: AbortSignal) => Promise<AgentModel | null>;
}

const MAX_QUESTION = 500;
/** Readings without an answer after which a turn gets no more: that none came is something a text can bring about as well. */
const MAX_FAILED = 2;
/** Entries behind which the turn's own may stand. */
const TURN_ENTRIES = 512;
/** What they give back is ours alone: ids, counts, times, and values of a type that the question closed. */
const CLASSES: ToolClasses = { untrusted: false, sensitive: true, changes: "nothing" };
/** Sizes are told as the next power of two, so that a length tells little. */
const SMALLEST_SIZE = 16;

const ok = (text: string): ToolOutput => ({ text, failed: false });
const failed = (text: string): ToolOutput => ({ text: `Error: ${text}`, failed: true });

/** Texts of others by ref alone, and one closed question about one of them: no word of theirs reaches the session (SE-091). */
export function inspectTools(needs: InspectNeeds): readonly Tool[] {
  return [listTool(needs), inspectTool(needs)];
}

function listTool({ unread }: Pick<InspectNeeds, "unread">): Tool {
  const properties = {
    of: {
      type: "string",
      enum: ["lines", "left"],
      description: "lines: said in public places where you were. left: what /clean left behind.",
    },
    place: { type: "string", description: "Lines of this place alone, as a list named it.", maxLength: 200 },
    last: { type: "integer", minimum: 1, maximum: MAX_LISTED, description: "How many, the newest; 16 without it." },
  };
  return defineTool({
    name: LISTS_UNREAD,
    description:
      "List texts of other people by ref, size, author (numbered within the list) and time, without their words. Ask about one with inspect.",
    parameters: { type: "object", properties, required: ["of"], additionalProperties: false },
    arguments: z.strictObject({
      of: z.enum(["lines", "left"]),
      place: z
        .string()
        .regex(/^public:[a-z][a-z0-9_-]{0,39}(?::[\w.-]{1,120})?$/)
        .optional(),
      last: z.int().min(1).max(MAX_LISTED).optional(),
    }),
    capability: "read",
    classes: CLASSES,
    verdict: "allow",
    scopes: [],
    run: ({ of, place, last = 16 }, { session }) => {
      const named = place === undefined ? {} : { place: placeIn(place) };
      const texts = of === "left" ? unread.left(session, last) : unread.lines(session, { last, ...named });
      return Promise.resolve(ok(texts.length === 0 ? "There are none." : shown(texts)));
    },
  });
}

function placeIn(id: string): PlaceId {
  const [, surface = "", channel] = id.split(":");
  return publicPlace(parseSurfaceName(surface), channel).id;
}

/**
 * People are numbered within a list and not named: an id that stands in a history would outlive its person's wish to be forgotten
 * (TR-043). `troupe why REF` tells the owner who it was.
 */
function shown(texts: readonly UnreadText[]): string {
  const authors = new Map<Influence, number>();
  const nameOf = (one: Influence): string => {
    if (/^(?:tool|character|source|bundle):/.test(one)) return one;
    authors.set(one, authors.get(one) ?? authors.size + 1);
    return `author ${authors.get(one)}`;
  };
  return texts.map((text) => shownAs(text, text.by.map(nameOf).join(" and "))).join("\n");
}

function shownAs({ ref, atMs, characters, place }: UnreadText, authors: string): string {
  const size = 2 ** Math.ceil(Math.log2(Math.max(SMALLEST_SIZE, characters)));
  const where = place === null ? "" : ` in ${/^public:[\w:.-]{1,160}$/u.test(place) ? place : "a place"}`;
  return `[ref ${ref}: up to ${size} characters by ${authors}${where}, ${new Date(atMs).toISOString().slice(0, 16)}Z]`;
}

function inspectTool(needs: InspectNeeds): Tool {
  return defineTool({
    name: "inspect",
    description:
      "Ask one question about a text that you have not read, by the ref that unread_list shows. It is read apart; you get one value of the type you name here, and no word of the text.",
    parameters: {
      type: "object",
      properties: {
        ref: { type: "string", maxLength: 60 },
        question: { type: "string", description: "What you want to know of the text.", minLength: 1, maxLength: MAX_QUESTION },
        answer: CLOSED_TYPE_SCHEMA,
      },
      required: ["ref", "question", "answer"],
      additionalProperties: false,
    },
    arguments: z.strictObject({ ref: z.string().min(1).max(60), question: z.string().min(1).max(MAX_QUESTION), answer: closedType }),
    facts: ({ answer }) => ({ bits: bitsOf(answer) }),
    capability: "read",
    classes: CLASSES,
    verdict: "allow",
    scopes: [],
    run: (args, action, signal) => inspect(args, action, { needs, signal }),
  });
}

interface InspectArguments {
  readonly ref: string;
  readonly question: string;
  readonly answer: ClosedType;
}

async function inspect(
  { ref, question, answer }: InspectArguments,
  action: ActionFacts,
  { needs, signal }: { readonly needs: InspectNeeds; readonly signal: AbortSignal },
): Promise<ToolOutput> {
  const text = needs.unread.read(action.session, ref);
  if (text === null) return failed("no text of that ref was shown in this session, or it is gone; unread_list shows what there is");
  if (text.length > MAX_READ_CHARACTERS) return failed(`the text is longer than the ${MAX_READ_CHARACTERS} characters that can be read`);
  if (failedBefore(needs, action) >= MAX_FAILED) return failed("no more is read in this turn: too many readings gave no answer");
  const model = await needs.reader(action, signal);
  if (model === null) return failed("the calls of the day are used up");
  const value = await valueOf({ question, answer, text }, model, { clock: needs.clock, signal });
  return value === null ? failed(NO_ANSWER) : ok(value);
}

/**
 * The value that a reading gives. How one breaks is up to the text as well, one that a host declines or that takes too long to read: so
 * however it does, the session learns one and the same thing.
 */
async function valueOf(wish: ReadingWish, model: AgentModel, of: Reader): Promise<string | null> {
  try {
    return await readText(wish, model, of);
  } catch (error) {
    if (of.signal.aborted || !isRuntimeError(error) || error.code === "closed") throw error;
    return null;
  }
}

const NO_ANSWER = "the reading gave no value of that type";

/** Readings of the same turn that gave no value. */
function failedBefore({ entries, last }: InspectNeeds, { session, call }: ActionFacts): number {
  const newest = entries(session, Math.max(0, last(session) - TURN_ENTRIES), TURN_ENTRIES);
  const root = newest.find(({ body }) => body.kind === "begun" && body.call === call)?.root ?? null;
  return newest.filter((one) => one.root === root && one.body.kind === "result" && one.body.text === `Error: ${NO_ANSWER}`).length;
}
