import { z } from "zod";
import type { Line } from "../../foundation/line.ts";
import { columns, line, toned } from "../../foundation/line.ts";
import { printable } from "../../foundation/printable.ts";
import { stamp } from "../invites.ts";
import type { Declared, Operation } from "../operation.ts";
import { OWNER_ONLY, declare } from "../operation.ts";
import type { McpClients } from "./mcp-clients.ts";
import type { McpFace, McpReply } from "./mcp-face.ts";
import { MAX_MCP_BYTES } from "./json-rpc.ts";

/** A client as a list has it. */
export interface McpClientView {
  readonly name: string;
  readonly triggers: boolean;
  readonly direct: boolean;
  readonly madeAtMs: number;
}

/** Result of `mcp-clients`. */
export interface McpClientsAnswer {
  readonly clients: readonly McpClientView[];
}

/** Result of `mcp-add`: the token is told this once, to whoever shows it or writes it into a private file. */
export interface NewMcpClient {
  readonly name: string;
  readonly token: string;
}

/** Arguments of `mcp-add`. */
export interface McpAddArguments {
  readonly name: string;
  readonly triggers?: boolean | undefined;
  readonly direct?: boolean | undefined;
}

const name = z.string().max(40).describe("the client's name");
const view = z.object({ name: z.string(), triggers: z.boolean(), direct: z.boolean(), madeAtMs: z.number() });

/** Lists the programs that may ask over the protocol. */
export const mcpClients: Declared<Record<string, never>, McpClientsAnswer> = declare<Record<string, never>, McpClientsAnswer>({
  name: "mcp-clients",
  summary: "list the programs that may ask over MCP, and what each may read",
  arguments: z.strictObject({}),
  positional: [],
  who: OWNER_ONLY,
  result: z.object({ clients: z.array(view) }),
  render: ({ clients }) => renderClients(clients),
});

/** Makes a client; `troupe mcp add` shows its token. */
export const mcpAdd: Declared<McpAddArguments, NewMcpClient> = declare<McpAddArguments, NewMcpClient>({
  name: "mcp-add",
  summary: "let a program ask over MCP, and give its token",
  arguments: z.strictObject({
    name,
    triggers: z.boolean().optional().describe("it may read which messages called a bot, and propose replies"),
    direct: z.boolean().optional().describe("it may read there what was said in private too"),
  }),
  positional: ["name"],
  who: OWNER_ONLY,
  result: z.object({ name: z.string(), token: z.string() }),
  render: ({ name: made }) => [line`${printable(made)} was added; troupe mcp add shows its token.`],
});

/** Ends a client. */
export const mcpRemove: Declared<{ readonly name: string }, { readonly name: string }> = declare<
  { readonly name: string },
  { readonly name: string }
>({
  name: "mcp-remove",
  summary: "end a program's access over MCP at once",
  arguments: z.strictObject({ name }),
  positional: ["name"],
  who: OWNER_ONLY,
  result: z.object({ name: z.string() }),
  render: ({ name: gone }) => [toned("good", line`${printable(gone)} may ask no more; its token counts for nothing.`)],
});

/** One message of a client, as `troupe mcp` hands it on; whoever asks is told by the token alone. */
export const mcpMessage: Declared<{ readonly token: string; readonly message: string }, McpReply> = declare<
  { readonly token: string; readonly message: string },
  McpReply
>({
  name: "mcp-message",
  summary: "answer one message of a program that asks over MCP",
  arguments: z.strictObject({
    token: z.string().max(256).describe("the client's token"),
    message: z.string().max(MAX_MCP_BYTES).describe("one message of JSON-RPC"),
  }),
  positional: [],
  who: OWNER_ONLY,
  result: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("stranger") }),
    z.object({ kind: z.literal("nothing") }),
    z.object({ kind: z.literal("answer"), text: z.string() }),
  ]),
  render: () => [],
});

/** The clients for people. */
export function renderClients(clients: readonly McpClientView[]): readonly Line[] {
  if (clients.length === 0) return [line`No program may ask over MCP. Let one: troupe mcp add NAME`];
  const head = ["client", "trigger log", "private lines", "since"].map((word) => printable(word));
  const words = (yes: boolean): ReturnType<typeof printable> => printable(yes ? "yes" : "no");
  return columns(
    [head, ...clients.map((one) => [printable(one.name), words(one.triggers), words(one.direct), printable(stamp(one.madeAtMs))])],
    0,
  );
}

/** Bind what is done with clients to where they are kept, and their messages to the face. */
export function bindMcp(clients: McpClients, face: McpFace): readonly Operation[] {
  return [
    mcpClients.bind(() => Promise.resolve({ clients: clients.list() })),
    mcpAdd.bind(async (args, { actor }) => {
      const wish = { name: args.name, triggers: args.triggers === true || args.direct === true, direct: args.direct === true };
      return { name: args.name, ...(await clients.add(wish, actor.principal)) };
    }),
    mcpRemove.bind(async (args, { actor }) => {
      await clients.remove(args.name, actor.principal);
      return { name: args.name };
    }),
    mcpMessage.bind(({ token, message }, { signal }) => face.answer(token, message, signal)),
  ];
}
