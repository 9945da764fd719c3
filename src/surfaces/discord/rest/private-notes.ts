import type { Clock } from "../../../foundation/clock.ts";
import type { Log } from "../../../foundation/log.ts";
import type { TaskGroup } from "../../../foundation/task-group.ts";
import type { ActAnswer } from "../../../vocabulary/act.ts";
import type { PrincipalId } from "../../../vocabulary/principal.ts";
import { answerBody } from "../interactions/answer-body.ts";
import type { DirectChannels } from "./direct-channels.ts";
import type { DiscordRest } from "./rest.ts";
import { bucketOf } from "./rest.ts";

const TRIES = 3;
const MAX_WAIT_MS = 30_000;
const BETWEEN_MS = 2_000;

/** What writing to somebody stands on. */
export interface PrivateNotesNeeds {
  readonly clock: Clock;
  readonly log: Log;
  readonly tasks: TaskGroup;
  readonly rest: DiscordRest;
  readonly directs: DirectChannels;
}

/** Writes to operators in private, outside of every conversation. */
export class PrivateNotes {
  readonly #needs: PrivateNotesNeeds;
  #count = 0;

  constructor(needs: PrivateNotesNeeds) {
    this.#needs = needs;
  }

  /** Write one, under one nonce however often it is tried; given up after a few times, and never said elsewhere. */
  tell(person: PrincipalId, answer: ActAnswer): void {
    const { clock, tasks } = this.#needs;
    this.#count += 1;
    const nonce = `n${clock.nowMs().toString(36)}${this.#count.toString(36)}`;
    if (!tasks.signal.aborted) tasks.start((signal) => this.#send({ person, answer, nonce }, signal));
  }

  async #send(
    { person, answer, nonce }: { readonly person: PrincipalId; readonly answer: ActAnswer; readonly nonce: string },
    signal: AbortSignal,
  ): Promise<void> {
    const { clock, log, rest, directs } = this.#needs;
    const channel = await directs.open(person, signal);
    const body = { ...answerBody(answer), nonce, enforce_nonce: true, allowed_mentions: { parse: [], replied_user: false } };
    for (let tries = 0; channel.kind === "channel" && tries < TRIES; tries += 1) {
      const result = await rest.call(
        bucketOf("POST", `/channels/${channel.id}/messages`),
        (api, ends) => api.channels.createMessage(channel.id, body, { signal: ends }),
        { signal, maxWaitMs: MAX_WAIT_MS },
      );
      if (result.kind === "done") return;
      if (result.kind === "refused" || result.kind === "blocked") break;
      await clock.sleep(BETWEEN_MS, signal);
    }
    log.write("warn", "discord_note_not_told");
  }
}
