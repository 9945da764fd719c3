import { z } from "zod";
import { linkSignals } from "../foundation/cancellation.ts";
import { RuntimeError, isRuntimeError } from "../foundation/errors.ts";
import type { Line } from "../foundation/line.ts";
import { line, toned } from "../foundation/line.ts";
import { printable } from "../foundation/printable.ts";
import type { TerminalSession } from "../vocabulary/terminal-session.ts";
import type { ChatScreenNeeds } from "./faces/chat-screen.ts";
import { ChatScreen } from "./faces/chat-screen.ts";
import { connectLocal } from "./faces/local-client.ts";
import { socketPathOf } from "./faces/socket-path.ts";
import { wireErrorOf } from "./faces/wire.ts";
import { LOCAL_ACTOR } from "./local-actor.ts";
import type { Declared, Operation, Presented } from "./operation.ts";
import { OWNER_ONLY, declare } from "./operation.ts";
import type { StartRequest } from "./runtime-face.ts";
import type { StartNeeds } from "./started.ts";
import { start } from "./started.ts";

/** Arguments of `chat`. */
export interface ChatArguments {
  readonly character?: string | undefined;
}

/** Result of `chat`. */
export interface ChatAnswer {
  readonly left: true;
}

/** `troupe chat`. */
export const chat: Declared<ChatArguments, ChatAnswer> = declare<ChatArguments, ChatAnswer>({
  name: "chat",
  summary: "talk to a character here in the terminal",
  arguments: z.strictObject({ character: z.string().max(40).optional().describe("which one; without it the first of the configuration") }),
  positional: ["character"],
  who: OWNER_ONLY,
  result: z.object({ left: z.literal(true) }),
  render: () => [],
});

/** What `chat` needs beside a start. */
export interface ChatNeeds extends StartNeeds {
  readonly terminal: Omit<ChatScreenNeeds, "why" | "leave">;
  /** Results of the runtime's operations as lines. */
  present(name: string, result: unknown): Presented;
}

/** Either the running process or one of our own, as a chat uses it. */
interface Partner extends AsyncDisposable {
  /** Aborts when a process of our own can keep nothing any more. */
  readonly failed?: AbortSignal;
  attach(session: TerminalSession, signal: AbortSignal): Promise<void>;
  run(name: string, args: unknown, signal: AbortSignal): Promise<unknown>;
}

/** Bind `chat`: join the process that runs, or start one that lasts as long as the chat. */
export function bindChat(needs: ChatNeeds, request: StartRequest): Operation {
  return chat.bind(async ({ character }, { signal }) => {
    await using partner = await partnerOf(needs, request, signal);
    using leaving = linkSignals(signal, ...(partner.failed === undefined ? [] : [partner.failed]));
    const why = (message: string): Promise<readonly Line[]> => explain(partner, message, needs, leaving.signal);
    const leave = (): void => leaving.abort(new RuntimeError("aborted", "Cannot go on: the person left"));
    using screen = new ChatScreen({ ...needs.terminal, why, leave }, character ?? null);
    try {
      await partner.attach(screen, leaving.signal);
    } catch (error) {
      if (signal.aborted || !isRuntimeError(error, "aborted")) throw error;
    }
    return { left: true };
  });
}

async function partnerOf(needs: ChatNeeds, request: StartRequest, signal: AbortSignal): Promise<Partner> {
  const at = socketPathOf({ stateDirectory: needs.door.stateDirectory(request), temporaryDirectory: needs.door.temporaryDirectory });
  try {
    return await connectLocal(at, needs.clock, signal);
  } catch (error) {
    if (!isRuntimeError(error, "not_running")) throw error;
  }
  const started = await start(needs, { ...request, quiet: true }, signal);
  return {
    failed: started.runtime.failed,
    attach: (session, until) => started.runtime.terminal.attach(session, until),
    run: (name, args, until) => started.runtime.operations.run(name, args, LOCAL_ACTOR, until),
    [Symbol.asyncDispose]: () => started[Symbol.asyncDispose](),
  };
}

async function explain(partner: Partner, message: string, needs: ChatNeeds, signal: AbortSignal): Promise<readonly Line[]> {
  try {
    return needs.present("why", await partner.run("why", { message }, signal)).lines;
  } catch (error) {
    return [toned("bad", line`· ${printable(wireErrorOf(error).message)}`)];
  }
}
