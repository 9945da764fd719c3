import type { Clock } from "../../../foundation/clock.ts";
import { withDeadline } from "../../../foundation/cancellation.ts";
import type { Log } from "../../../foundation/log.ts";
import type { TaskGroup } from "../../../foundation/task-group.ts";
import type { ActAnswer, ActTaken, PersonalAct } from "../../../vocabulary/act.ts";
import type { Inbox } from "../../surface.ts";
import { actOf } from "./act-of.ts";
import { answerBody } from "./answer-body.ts";
import type { DiscordInteraction } from "./interaction-shape.ts";
import { readInteraction } from "./interaction-shape.ts";
import type { Reading } from "../reading/normalise.ts";
import type { DiscordRest } from "../rest/rest.ts";
import { momentOf } from "../snowflake.ts";
import { oneLine } from "../reading/written-words.ts";

const EPHEMERAL = 64;
const ALREADY_ANSWERED = 40060;
/** The platform waits three seconds for a first answer. */
const ACKNOWLEDGE_MS = 3_000;
const ACKNOWLEDGE_TRIES = 3;
const BETWEEN_TRIES_MS = 250;
/** The token of an interaction opens nothing after a quarter of an hour; the answer is there well before. */
const ANSWER_MS = 10 * 60_000;
const ANSWER_TRIES = 5;
const PRIVATE = new Set<number | null>([null, 1]);
const FAILED: ActAnswer = { words: "That did not work. Try again later." };

/** What interactions stand on. */
export interface InteractionsNeeds {
  readonly clock: Clock;
  readonly log: Log;
  readonly tasks: TaskGroup;
  readonly rest: DiscordRest;
  readonly inbox: () => Inbox | null;
  readonly reading: () => Reading;
}

/**
 * Answers what people ask by commands and buttons, to each of them alone.
 *
 * R1  Nothing is sent for what the road does not take (SE-096), and nothing follows from an act before the platform has acknowledged
 *     it: one that is told again after a restart is refused there, and so is done once.
 * R2  The answer is the first one's edit: asked for again it is the same answer, never a second one.
 * R3  The token is a {@link Secret} from the moment it is read, and goes with the answer.
 */
export class Interactions {
  readonly #needs: InteractionsNeeds;

  constructor(needs: InteractionsNeeds) {
    this.#needs = needs;
  }

  /** Take one of the stream. */
  take(data: unknown): void {
    const { log, tasks, inbox } = this.#needs;
    const interaction = readInteraction(data);
    if (interaction === null) return log.write("info", "discord_interaction_unread");
    const act = this.#actOf(interaction);
    const taken: ActTaken = act === null ? { kind: "ignored" } : (inbox()?.act?.(act) ?? { kind: "ignored" });
    if (taken.kind === "ignored" || tasks.signal.aborted) return;
    tasks.start((signal) => this.#answer(interaction, taken.answer, signal));
  }

  #actOf({ id, channelId, channelType, guildId, user, member, what }: DiscordInteraction): PersonalAct | null {
    // Of places outside of servers only the private line with the bot itself is one of ours.
    if (guildId === null && !PRIVATE.has(channelType)) return null;
    const displayName = oneLine(member?.nick ?? user.globalName ?? user.username);
    const isBot = user.bot || user.system;
    return actOf({ deliveryId: id, account: user.id, displayName, isBot, channelId, guildId, member, what }, this.#needs.reading());
  }

  async #answer(interaction: DiscordInteraction, work: Extract<ActTaken, { kind: "taken" }>["answer"], signal: AbortSignal): Promise<void> {
    if (!(await this.#acknowledge(interaction, signal))) return this.#needs.log.write("warn", "discord_interaction_late");
    let answer = FAILED;
    using deadline = withDeadline(this.#needs.clock, ANSWER_MS, signal);
    try {
      answer = await work(deadline.signal);
    } catch (error) {
      if (signal.aborted) throw error;
      this.#needs.log.failure("discord_act_failed", error);
    }
    await this.#show(interaction, answer, signal);
  }

  /** Tell the platform that an answer comes, for this person alone. False where it may not come any more, or came by somebody else. */
  async #acknowledge({ id, token }: DiscordInteraction, signal: AbortSignal): Promise<boolean> {
    const { rest, clock } = this.#needs;
    const untilMs = Math.min(momentOf(id), clock.nowMs()) + ACKNOWLEDGE_MS;
    let lost = false;
    for (let tries = 0; tries < ACKNOWLEDGE_TRIES; tries += 1) {
      const result = await rest.call(
        "POST /interactions",
        (api, ends) => api.interactions.defer(id, token.reveal(), { flags: EPHEMERAL }, { signal: ends }),
        { signal },
      );
      if (result.kind === "done") return true;
      // It was acknowledged by the try whose answer was lost: by us, so we go on.
      if (result.kind === "refused") return lost && result.code === ALREADY_ANSWERED;
      if (result.kind === "blocked") return false;
      lost ||= result.kind === "lost";
      const waitMs = Math.max(BETWEEN_TRIES_MS, result.kind === "limited" ? result.afterMs : 0);
      if (clock.nowMs() + waitMs > untilMs) return false;
      await clock.sleep(waitMs, signal);
    }
    return false;
  }

  async #show({ id, token }: DiscordInteraction, answer: ActAnswer, signal: AbortSignal): Promise<void> {
    const { rest, clock, log } = this.#needs;
    const { applicationId } = this.#needs.reading().self;
    const untilMs = clock.nowMs() + ANSWER_MS / 5;
    for (let tries = 0; tries < ANSWER_TRIES && clock.nowMs() < untilMs; tries += 1) {
      const result = await rest.call(
        "PATCH /webhooks",
        (api, ends) => api.interactions.editReply(applicationId, token.reveal(), answerBody(answer), "@original", { signal: ends }),
        { signal },
      );
      if (result.kind === "done") return;
      if (result.kind === "refused" || result.kind === "blocked") break;
      await clock.sleep(Math.max(BETWEEN_TRIES_MS * 2 ** tries, result.kind === "limited" ? result.afterMs : 0), signal);
    }
    log.write("warn", "discord_answer_not_shown", { age_ms: clock.nowMs() - momentOf(id) });
  }
}
