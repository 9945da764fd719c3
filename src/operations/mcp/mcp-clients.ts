import { z } from "zod";
import type { Clock } from "../../foundation/clock.ts";
import { RuntimeError } from "../../foundation/errors.ts";
import { sha256Hex } from "../../foundation/ids.ts";
import { randomBytes } from "../../foundation/random-bytes.ts";
import { sameDigest } from "../../foundation/same-digest.ts";
import type { AuditEntry } from "../../vocabulary/audit.ts";
import type { PrincipalId } from "../../vocabulary/principal.ts";
import { parsePrincipalId } from "../../vocabulary/principal.ts";

/** Clients that are kept at most. */
export const MAX_MCP_CLIENTS = 16;
/** The setting they are kept in; a copy of the database that is taken back has none (SE-099). */
const KEY = "mcp_clients";
const NAME = /^[a-z][a-z0-9_-]{0,30}$/;
const TOKEN_BYTES = 32;

/** A program that asks over the protocol, and what it may read (SE-082). */
export interface McpClient {
  readonly name: string;
  /** It may read which messages called a bot, and propose replies to them. */
  readonly triggers: boolean;
  /** It may read there what was said in private too. */
  readonly direct: boolean;
  readonly madeAtMs: number;
}

interface KeptClient extends McpClient {
  readonly hash: string;
}

const kept: z.ZodType<readonly KeptClient[]> = z
  .array(
    z.strictObject({
      name: z.string().regex(NAME),
      triggers: z.boolean(),
      direct: z.boolean(),
      madeAtMs: z.number(),
      hash: z.string().regex(/^[0-9a-f]{64}$/),
    }),
  )
  .max(MAX_MCP_CLIENTS);

/** Where clients are kept. */
export interface ClientShelf {
  readonly clock: Pick<Clock, "nowMs">;
  setting(key: string): string | null;
  setSetting(key: string, value: string, act: AuditEntry): Promise<void>;
}

/** The principal of a client: never the owner, whatever it comes over. */
export function principalOfClient(name: string): PrincipalId {
  return parsePrincipalId(`mcp:${name}`);
}

/**
 * The programs that may ask. Each has a token of 256 random bits of which only the hash is kept; the whole list is one setting, so a
 * change is one commit with its line of the audit. A list that cannot be read lets nobody in.
 */
export class McpClients {
  readonly #shelf: ClientShelf;
  /** Changes one after another: each is made from the list before it. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(shelf: ClientShelf) {
    this.#shelf = shelf;
  }

  /** All clients, in the order in which they were made. */
  list(): readonly McpClient[] {
    return this.#kept().map(withoutHash);
  }

  /** Whose token that is; null for nobody's. Every hash is compared. */
  knows(token: string): McpClient | null {
    const given = sha256Hex(token);
    const [found] = this.#kept().filter(({ hash }) => sameDigest(hash, given));
    return found === undefined ? null : withoutHash(found);
  }

  /** Whether a client is still one, with the same rights: asked again when something was decided for it earlier. */
  named(name: string): McpClient | null {
    return this.list().find((client) => client.name === name) ?? null;
  }

  /** Make a client and its token, which is given once. @throws RuntimeError `usage`, `capacity` */
  async add(wish: Pick<McpClient, "name" | "triggers" | "direct">, by: PrincipalId): Promise<{ readonly token: string }> {
    if (!NAME.test(wish.name))
      throw new RuntimeError("usage", "Cannot add that client: a name is a lower-case word of at most 31 letters, digits, - and _");
    const token = Buffer.from(randomBytes(TOKEN_BYTES)).toString("base64url");
    await this.#change("mcp_add", wish.name, by, (clients) => {
      if (clients.some(({ name }) => name === wish.name))
        throw new RuntimeError("usage", "Cannot add that client: there is one of that name; troupe mcp remove NAME ends it");
      if (clients.length >= MAX_MCP_CLIENTS)
        throw new RuntimeError("capacity", `Cannot add a client: there are ${MAX_MCP_CLIENTS}; troupe mcp remove NAME ends one`);
      return [...clients, { ...wish, madeAtMs: this.#shelf.clock.nowMs(), hash: sha256Hex(token) }];
    });
    return { token };
  }

  /** End a client: its token counts no more from now. @throws RuntimeError `not_found` */
  async remove(name: string, by: PrincipalId): Promise<void> {
    await this.#change("mcp_remove", name, by, (clients) => {
      const left = clients.filter((client) => client.name !== name);
      if (left.length === clients.length)
        throw new RuntimeError("not_found", "Cannot remove that client: troupe mcp list shows what there is");
      return left;
    });
  }

  #change(
    act: "mcp_add" | "mcp_remove",
    name: string,
    by: PrincipalId,
    change: (clients: readonly KeptClient[]) => readonly KeptClient[],
  ): Promise<void> {
    const made = this.#last.then(() => {
      const value = JSON.stringify(change(this.#kept()));
      const entry: AuditEntry = { atMs: this.#shelf.clock.nowMs(), by, act, person: null, about: name.slice(0, 40) };
      return this.#shelf.setSetting(KEY, value, entry);
    });
    this.#last = made.catch(() => undefined);
    return made;
  }

  #kept(): readonly KeptClient[] {
    const text = this.#shelf.setting(KEY);
    if (text === null) return [];
    try {
      return kept.parse(JSON.parse(text));
    } catch {
      return []; // Damage lets nobody in; whoever runs this adds them anew.
    }
  }
}

function withoutHash({ name, triggers, direct, madeAtMs }: KeptClient): McpClient {
  return { name, triggers, direct, madeAtMs };
}
