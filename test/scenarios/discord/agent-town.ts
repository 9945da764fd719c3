import assert from "node:assert/strict";
import type { FakeChannel, FakeUser } from "../../../src/testing/fake-discord/world.ts";
import type { ScriptedAnswer, ScriptedRequest } from "../../../src/testing/scripted-model.ts";
import { leanSpeech } from "../../../src/testing/scripted-model.ts";
import { parseCharacterId, parseSurfaceName } from "../../../src/vocabulary/ids.ts";
import type { Influence } from "../../../src/vocabulary/label.ts";
import { directPlace } from "../../../src/vocabulary/place.ts";
import type { PrincipalId } from "../../../src/vocabulary/principal.ts";
import { parsePrincipalId } from "../../../src/vocabulary/principal.ts";
import type { SessionFacts } from "../../../src/vocabulary/calls/session.ts";
import type { TownOptions } from "./town.ts";
import { openTown } from "./town.ts";
import type { Town } from "./town.ts";

/** Names of the tools that a request offers. */
export function toolsIn({ body }: ScriptedRequest): readonly string[] {
  const value: unknown = JSON.parse(body.toString());
  const listed = typeof value === "object" && value !== null && "tools" in value && Array.isArray(value.tools) ? value.tools : [];
  return listed.map((tool: { function?: { name?: string } }) => tool.function?.name ?? "");
}

/** Keeps a note when told so, reads it when asked, and says what came of it; without tools it says that. */
function obeying(request: ScriptedRequest): ScriptedAnswer {
  const { messages } = JSON.parse(request.body.toString()) as { messages: { role: string; content: string }[] };
  if (toolsIn(request).length === 0) return leanSpeech("I have no tools here.");
  const last = messages.at(-1);
  if (last?.role === "tool") return { text: `It says: ${last.content}` };
  if (last?.content.startsWith("keep ") === true)
    return { text: "I would keep that.", calls: [{ name: "note_write", arguments: { name: "errand", text: last.content.slice(5) } }] };
  if (last?.content === "what did I tell you?") return { text: "", calls: [{ name: "note_read", arguments: { name: "errand" } }] };
  return { text: "Good evening." };
}

/** A town whose model obeys, and the private lines of its people with the bot. */
export class AgentTown implements AsyncDisposable {
  readonly town: Town;

  private constructor(town: Town) {
    this.town = town;
  }

  static async open(options: TownOptions = {}): Promise<AgentTown> {
    return new AgentTown(await openTown({ model: obeying, ...options }));
  }

  principal({ id }: FakeUser): PrincipalId {
    return parsePrincipalId(`discord:${id}`);
  }

  line(user: FakeUser): FakeChannel {
    return this.town.discord.world.directChannel(user);
  }

  said(user: FakeUser = this.town.ann): readonly string[] {
    return this.town.discord.postedIn(this.line(user));
  }

  /** Say something in private and wait until something matching comes behind it. */
  async ask(words: string, expected: RegExp, user: FakeUser = this.town.ann): Promise<string> {
    const before = this.said(user).length;
    this.town.discord.direct(user, words);
    return this.heard(expected, { user, before });
  }

  /** Wait until something matching was said in private, behind what there was. */
  async heard(expected: RegExp, { user = this.town.ann, before }: { readonly user?: FakeUser; readonly before: number }): Promise<string> {
    await this.town.until(() => expected.test(this.said(user).slice(before).join("\n")));
    await this.town.runtime.idle();
    return this.said(user).slice(before).join("\n");
  }

  /** The session of somebody's private line. */
  session(user: FakeUser = this.town.ann): SessionFacts | null {
    const place = directPlace(parseSurfaceName("town"), parseCharacterId("mirelle"), this.principal(user));
    return this.town.runtime.store.read.sessions.current(place.id);
  }

  /** Put somebody else's words into the session of a private line, as a text that was read there. */
  async read(text: string, whose: Influence, user: FakeUser = this.town.ann): Promise<void> {
    const { id, last } = this.session(user) ?? assert.fail("there is no session yet");
    const label = JSON.stringify({ influence: [whose], readers: [`person:${this.principal(user)}`] });
    const entries = [{ body: { kind: "note", text }, root: null, label }] as const;
    await this.town.runtime.store.sessions.append({ session: id, after: last, entries, atMs: this.town.clock.nowMs(), charges: [] });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.town[Symbol.asyncDispose]();
  }
}
