import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { z } from "zod";
import { readBounded } from "../../config/files/bounded-file.ts";
import type { Environment } from "../../config/files/host-key.ts";
import { RuntimeError } from "../../foundation/errors.ts";
import type { Line } from "../../foundation/line.ts";
import { line, toned } from "../../foundation/line.ts";
import { printable } from "../../foundation/printable.ts";
import type { Screen } from "../faces/screen.ts";
import type { Declared, Operation } from "../operation.ts";
import { OWNER_ONLY, declare } from "../operation.ts";
import type { McpClientView } from "./mcp-operations.ts";
import { mcpAdd, mcpClients, mcpRemove, renderClients } from "./mcp-operations.ts";

/** Where a token stands where nothing else is said. */
export const MCP_TOKEN_VARIABLE = "TROUPE_MCP_TOKEN";
const MAX_TOKEN_BYTES = 512;
const ACTS = ["add", "list", "remove"] as const;

/** Arguments of `mcp`. */
export interface McpArguments {
  readonly act?: (typeof ACTS)[number] | undefined;
  readonly name?: string | undefined;
  readonly triggers?: boolean | undefined;
  readonly direct?: boolean | undefined;
  readonly token_file?: string | undefined;
  readonly token_env?: string | undefined;
}

/** Result of `mcp`. */
export type McpAnswer =
  | { readonly kind: "served" }
  /** `file` is null where the token was shown. */
  | { readonly kind: "added"; readonly name: string; readonly file: string | null }
  | { readonly kind: "clients"; readonly clients: readonly McpClientView[] }
  | { readonly kind: "removed"; readonly name: string };

/** `troupe mcp` speaks the protocol on its own streams; `mcp add`, `list` and `remove` say who may (SE-082). */
export const mcp: Declared<McpArguments, McpAnswer> = declare<McpArguments, McpAnswer>({
  name: "mcp",
  summary: "speak MCP on standard streams for a program with a token; mcp add NAME, list, remove NAME say who may",
  arguments: z.strictObject({
    act: z.enum(ACTS).optional().describe("add, list or remove; without it, speak the protocol"),
    name: z.string().max(40).optional().describe("the client's name"),
    triggers: z.boolean().optional().describe("add: it may read which messages called a bot, and propose replies"),
    direct: z.boolean().optional().describe("add: it may read there what was said in private too"),
    token_file: z.string().max(4_096).optional().describe("the private file that holds the token"),
    token_env: z.string().max(100).optional().describe(`the environment variable that holds it; ${MCP_TOKEN_VARIABLE} without either`),
  }),
  positional: ["act", "name"],
  who: OWNER_ONLY,
  result: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("served") }),
    z.object({ kind: z.literal("added"), name: z.string(), file: z.string().nullable() }),
    z.object({
      kind: z.literal("clients"),
      clients: z.array(z.object({ name: z.string(), triggers: z.boolean(), direct: z.boolean(), madeAtMs: z.number() })),
    }),
    z.object({ kind: z.literal("removed"), name: z.string() }),
  ]),
  render,
});

function render(answer: McpAnswer): readonly Line[] {
  switch (answer.kind) {
    case "served":
      return [];
    case "clients":
      return renderClients(answer.clients);
    case "removed":
      return [toned("good", line`${printable(answer.name)} may ask no more; its token counts for nothing.`)];
    case "added":
      return [
        ...(answer.file === null ? [] : [line`The token is in this file, which only you can read: ${printable(answer.file, 4_096)}`]),
        line`${printable(answer.name)} may ask over MCP as mcp:${printable(answer.name)}. Whatever it proposes waits for you: troupe approvals`,
      ];
  }
}

/** What the command needs of its own process. */
export interface McpCommandNeeds {
  readonly screen: Screen;
  readonly json: boolean;
  readonly cwd: string;
  readonly environment: Environment;
  readonly stateDirectory: string;
  /** Run an operation of the running process. */
  remote(name: string, args: unknown, signal: AbortSignal): Promise<unknown>;
  /** Carry the messages of the standard streams to the running process, until they end. */
  serve(token: string, signal: AbortSignal): Promise<void>;
}

/** Bind `mcp`. A token is never an argument: it comes from a private file or from the environment, and is shown to eyes alone. */
export function bindMcpCommand(needs: McpCommandNeeds): Operation {
  return mcp.bind(async (args, { signal }) => {
    if (args.act === undefined) {
      await needs.serve(tokenOf(args, needs), signal);
      return { kind: "served" };
    }
    if (args.act === "list") return { kind: "clients", ...mcpClients.parse(await needs.remote(mcpClients.name, {}, signal)) };
    if (args.name === undefined)
      throw new RuntimeError("usage", `Cannot ${args.act} a client: say which, as in troupe mcp ${args.act} NAME`);
    if (args.act === "remove")
      return { kind: "removed", ...mcpRemove.parse(await needs.remote(mcpRemove.name, { name: args.name }, signal)) };
    const wish = {
      name: args.name,
      ...(args.triggers === true ? { triggers: true } : {}),
      ...(args.direct === true ? { direct: true } : {}),
    };
    const { name, token } = mcpAdd.parse(await needs.remote(mcpAdd.name, wish, signal));
    if (!needs.screen.interactive || needs.json) return { kind: "added", name, file: await writeToken(needs, name, token) };
    needs.screen.print([line``, toned("strong", line`  ${printable(token)}`), line``, line`This is the token, shown this once.`]);
    return { kind: "added", name, file: null };
  });
}

function tokenOf({ token_file: file, token_env: variable }: McpArguments, { cwd, environment }: McpCommandNeeds): string {
  if (file !== undefined && variable !== undefined)
    throw new RuntimeError("usage", "Cannot tell where the token is: name a file or a variable, not both");
  const found = file === undefined ? environment[variable ?? MCP_TOKEN_VARIABLE] : tokenIn(resolve(cwd, file));
  const token = found?.trim() ?? "";
  if (token === "")
    throw new RuntimeError(
      "usage",
      `Cannot speak MCP without a token: put it into ${printable(variable ?? MCP_TOKEN_VARIABLE, 100)}, or name its file with --token-file`,
    );
  return token;
}

function tokenIn(path: string): string {
  const read = readBounded(path, MAX_TOKEN_BYTES);
  if (read.kind !== "read") throw new RuntimeError("usage", "Cannot read the token's file: it must be a small regular file that is there");
  if (process.platform !== "win32" && (read.mode & 0o077) !== 0)
    throw new RuntimeError("usage", "Cannot use the token's file: others can read it; run chmod 600 on it");
  return Buffer.from(read.bytes).toString("utf8");
}

async function writeToken({ stateDirectory }: McpCommandNeeds, name: string, token: string): Promise<string> {
  const path = join(stateDirectory, `mcp-${name}.token`);
  try {
    await writeFile(path, `${token}\n`, { mode: 0o600, flag: "wx" });
  } catch (cause) {
    throw new RuntimeError(
      "state_unwritable",
      `Cannot write the token's file: the state folder takes none; troupe mcp remove ${name}, then again`,
      {
        cause,
      },
    );
  }
  return path;
}
