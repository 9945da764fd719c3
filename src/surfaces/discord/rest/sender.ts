import { z } from "zod";
import type { Clock } from "../../../foundation/clock.ts";
import type { Log } from "../../../foundation/log.ts";
import { printable } from "../../../foundation/printable.ts";
import type { Part, ReadBack, SendOutcome } from "../../../vocabulary/part.ts";
import { rowsOf } from "../interactions/answer-body.ts";
import type { DirectChannels } from "./direct-channels.ts";
import type { DiscordMessage } from "../reading/message-shape.ts";
import { discordMessage } from "../reading/message-shape.ts";
import type { DiscordRest, RestResult } from "./rest.ts";
import { bucketOf } from "./rest.ts";
import { firstIdAt, isSnowflake } from "../snowflake.ts";

/** How long a part may take on its way, waits for the platform's limits among it. */
export const SEND_DEADLINE_MS: number = 5 * 60_000;
/** The platform knows a nonce again for a few minutes; within this time the same one is surely the same message. */
const NONCE_WINDOW_MS = 100_000;
const RETRY_MS = [500, 1_500, 4_000, 10_000, 20_000] as const;
/** Clocks of the platform and of this computer may differ by so much. */
const SKEW_MS = 2 * 60_000;
const PAGE = 100;
const MAX_CHARACTERS = 2_000;

/** Errors of a post that may be a reply: the platform does not take what it replies to. */
const BAD_REFERENCE: ReadonlySet<number> = new Set([50035, 160002, 10008]);
/** Refusals that people or `why` should be able to tell apart. */
const REASONS: Readonly<Record<number, string>> = {
  10003: "unknown_channel",
  20016: "slowmode",
  20028: "channel_limit",
  40003: "opening_too_fast",
  50001: "no_access",
  50006: "empty",
  50007: "direct_refused",
  50013: "no_permission",
  50035: "invalid_form",
  50278: "no_mutual_server",
  160005: "thread_locked",
};

const posted = z.object({ id: z.string().refine(isSnowflake) });

/** What sending stands on. */
export interface SenderNeeds {
  readonly clock: Clock;
  readonly log: Log;
  readonly rest: DiscordRest;
  readonly directs: DirectChannels;
  /** The bot's own account. */
  readonly self: () => string | null;
  /** Told of each message that was posted. */
  readonly posted: (messageId: string) => void;
}

/** Where a part goes, or why it cannot. */
type Destination = { readonly kind: "channel"; readonly id: string } | Exclude<RestResult, { kind: "done" }>;

/** What a post is beside its words. */
interface Post {
  readonly channelId: string;
  readonly content: string;
  readonly nonce: string;
  readonly replyTo: string | null;
  readonly buttons: NonNullable<Part["buttons"]>;
}

/** How far the posting of one part is. */
interface Tries {
  readonly part: Part;
  post: Post;
  readonly untilMs: number;
  /** When an answer was first lost; null while none was. */
  lostAtMs: number | null;
  losses: number;
}

/**
 * Posts parts: each under a nonce of its own, so that one whose answer was lost can be asked for again without being said twice; each
 * calling nobody. What is not known in the end is looked for in the channel's history.
 */
export class Sender {
  readonly #needs: SenderNeeds;

  constructor(needs: SenderNeeds) {
    this.#needs = needs;
  }

  async send(part: Part, signal: AbortSignal): Promise<SendOutcome> {
    const destination = await this.#destination(part, signal);
    if (destination.kind !== "channel") return { kind: "failed", reason: reasonOf(destination) };
    const { id: nonce, buttons = [] } = part;
    return this.#post(part, { channelId: destination.id, content: contentOf(part), nonce, replyTo: replyTarget(part), buttons }, signal);
  }

  /** Look for a part that may have been posted: by its nonce, else by its words and what it answers. */
  async readBack(part: Part, signal: AbortSignal): Promise<ReadBack> {
    const destination = await this.#destination(part, signal);
    if (destination.kind !== "channel") return { kind: "unreadable" };
    const channelId = destination.id;
    const after = firstIdAt(part.createdAtMs - SKEW_MS);
    const result = await this.#needs.rest.call(
      bucketOf("GET", `/channels/${channelId}/messages`),
      (api, ends) => api.channels.getMessages(channelId, { after, limit: PAGE }, { signal: ends }),
      { signal, maxWaitMs: 5_000 },
    );
    const self = this.#needs.self();
    if (result.kind !== "done" || !Array.isArray(result.value) || self === null) return { kind: "unreadable" };
    const messages = result.value.flatMap((one): DiscordMessage[] => {
      const parsed = discordMessage.safeParse(one);
      return parsed.success ? [parsed.data] : [];
    });
    const found = foundIn(messages, part, self);
    if (found !== null) return { kind: "present", platformId: found };
    // A whole page may hide what came behind it; a message that cannot be read may be the one.
    return result.value.length >= PAGE || messages.length < result.value.length ? { kind: "unreadable" } : { kind: "absent" };
  }

  #destination({ place }: Part, signal: AbortSignal): Promise<Destination> {
    if (place.kind === "direct") return this.#needs.directs.open(place.person, signal);
    return Promise.resolve({ kind: "channel", id: place.id.slice(place.id.lastIndexOf(":") + 1) });
  }

  /** Post until it is known what became of it: there, refused, or not to be known. */
  async #post(part: Part, post: Post, signal: AbortSignal): Promise<SendOutcome> {
    const { clock } = this.#needs;
    const tries: Tries = { part, post, untilMs: clock.monotonicMs() + SEND_DEADLINE_MS, lostAtMs: null, losses: 0 };
    for (;;) {
      const result = await this.#try(tries.post, tries.untilMs - clock.monotonicMs(), signal);
      const outcome = await this.#after(tries, result, signal);
      if (outcome !== null) return outcome;
    }
  }

  /** What follows from one try: an outcome, or null to try again. */
  async #after(tries: Tries, result: RestResult, signal: AbortSignal): Promise<SendOutcome | null> {
    const { clock } = this.#needs;
    switch (result.kind) {
      case "done":
        return this.#done(result.value);
      case "limited":
        if (clock.monotonicMs() + result.afterMs <= tries.untilMs) return null;
        return tries.lostAtMs === null ? { kind: "failed", reason: "rate_limited" } : this.#lookFor(tries.part, signal);
      case "refused":
        if (tries.post.replyTo === null || !BAD_REFERENCE.has(result.code)) return this.#refused(tries, result);
        tries.post = { ...tries.post, replyTo: null };
        return null;
      case "blocked":
        return { kind: tries.lostAtMs === null ? "failed" : "unknown", reason: result.reason };
      case "lost":
        return this.#lost(tries, signal);
    }
  }

  /** No answer: the same again while the platform surely knows the nonce, then a look at what is there. */
  async #lost(tries: Tries, signal: AbortSignal): Promise<SendOutcome | null> {
    const { clock } = this.#needs;
    tries.lostAtMs ??= clock.monotonicMs();
    const waitMs = RETRY_MS[Math.min(tries.losses, RETRY_MS.length - 1)] ?? 0;
    tries.losses += 1;
    if (clock.monotonicMs() + waitMs - tries.lostAtMs > NONCE_WINDOW_MS) return this.#lookFor(tries.part, signal);
    await clock.sleep(waitMs, signal);
    return null;
  }

  #try({ channelId, content, nonce, replyTo, buttons }: Post, maxWaitMs: number, signal: AbortSignal): Promise<RestResult> {
    return this.#needs.rest.call(
      bucketOf("POST", `/channels/${channelId}/messages`),
      (api, ends) =>
        api.channels.createMessage(
          channelId,
          {
            content,
            nonce,
            enforce_nonce: true,
            // Whatever stands in the words calls nobody, nor does answering.
            allowed_mentions: { parse: [], replied_user: false },
            ...(buttons.length === 0 ? {} : { components: rowsOf(buttons) }),
            ...(replyTo === null ? {} : { message_reference: { message_id: replyTo, fail_if_not_exists: false } }),
          },
          { signal: ends },
        ),
      { signal, maxWaitMs },
    );
  }

  #done(value: unknown): SendOutcome {
    const parsed = posted.safeParse(value);
    if (!parsed.success) return { kind: "unknown", reason: "malformed" };
    this.#needs.posted(parsed.data.id);
    return { kind: "delivered", platformId: parsed.data.id };
  }

  #refused({ part, lostAtMs }: Tries, result: Extract<RestResult, { kind: "refused" }>): SendOutcome {
    const reason = reasonOf(result);
    this.#needs.log.write("warn", "discord_post_refused", { part: printable(part.id), reason: printable(reason), code: result.code });
    // Something of the same nonce was there and is gone: it was posted, and somebody took it away.
    return lostAtMs !== null && result.code === 10008 ? { kind: "unknown", reason: "taken_away" } : { kind: "failed", reason };
  }

  async #lookFor(part: Part, signal: AbortSignal): Promise<SendOutcome> {
    const found = await this.readBack(part, signal);
    if (found.kind === "present") return { kind: "delivered", platformId: found.platformId };
    return found.kind === "absent" ? { kind: "failed", reason: "no_answer" } : { kind: "unknown", reason: "no_answer" };
  }
}

/** The words, and what is done in front of them, as the platform shows a gesture. */
export function contentOf({ body, action }: Pick<Part, "body" | "action">): string {
  if (action === "") return body;
  const gesture = `*${action.replace(/[*_]+/g, "")}*`;
  if (body === "") return gesture;
  const whole = `${gesture}\n${body}`;
  // The words come first where both do not fit: the splitter has left room for them alone.
  return whole.length <= MAX_CHARACTERS ? whole : body;
}

/** The message that a part answers, for the first part of a public answer; in private everything answers the one person. */
function replyTarget({ place, index, answers }: Part): string | null {
  const id = answers.deliveryId;
  return place.kind === "public" && index === 0 && id !== null && isSnowflake(id) ? id : null;
}

function foundIn(messages: readonly DiscordMessage[], part: Part, self: string): string | null {
  const own = messages.filter(({ author }) => author.id === self);
  const byNonce = own.find(({ nonce }) => nonce === part.id);
  if (byNonce !== undefined) return byNonce.id;
  const [words, target] = [contentOf(part).trim(), replyTarget(part)];
  const byWords = own.find(
    ({ content, repliesTo, nonce }) =>
      nonce === null && content.trim() === words && (target === null || repliesTo === null || repliesTo.messageId === target),
  );
  return byWords?.id ?? null;
}

function reasonOf(result: Exclude<RestResult, { kind: "done" }>): string {
  switch (result.kind) {
    case "limited":
      return "rate_limited";
    case "blocked":
      return result.reason;
    case "lost":
      return "no_answer";
    case "refused":
      return REASONS[result.code] ?? `refused_${result.status}`;
  }
}
