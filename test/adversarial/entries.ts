import { REMOTE_OPERATOR, STRANGER } from "../../src/testing/tool-bench.ts";
import type { Influence } from "../../src/vocabulary/label.ts";
import { parsePrincipalId } from "../../src/vocabulary/principal.ts";
import type { ObeyingAgent, StartedTurn } from "./obeying-agent.ts";
import { callOf } from "./ordered-calls.ts";

/** A text that is somebody's order, and the agent whose turn it gets into. */
interface Delivery {
  readonly agent: ObeyingAgent;
  readonly text: string;
  readonly number: number;
  /** The tool that it wants called. */
  readonly tool: string;
}

/** One way by which somebody else's words get into a turn with tools. */
export interface Entry {
  readonly name: string;
  /** Who stands behind the words, as a card must name it. */
  readonly attacker: Influence;
  /** Whether the words make a turn powerless instead of asked about. */
  readonly powerless?: true;
  /** Whether they come by a tool that reads, at the owner's own wish: that one runs unasked, and changes nothing. */
  readonly reads?: true;
  /** Bring the words in and run the turn; gives it with how it ended or waits. */
  deliver(delivery: Delivery): Promise<StartedTurn>;
}

const IMPORT = `import:${"a".repeat(64)}` as const;
/** Where an outward call goes; a turn has to be told of it by its person. */
const OWNERS_LINE = "What is new for channel-1 ?";

/** Words that stand in the session with the label of where they are from. */
function quoted(name: string, attacker: Influence): Entry {
  return {
    name,
    attacker,
    async deliver({ agent, text, number }) {
      const line = agent.ownersLine(number);
      await agent.quote(line, text, agent.labels.ofEvent({ influence: [attacker], audience: ["anyone"] }));
      return await agent.run({ ...line, text: OWNERS_LINE });
    },
  };
}

/** A line that is said into the owner's turn while it runs. */
function steered(name: string, attacker: typeof STRANGER, more: Pick<Entry, "powerless"> = {}): Entry {
  return {
    name,
    attacker,
    ...more,
    async deliver({ agent, text, number }) {
      const line = agent.ownersLine(number);
      return await agent.run({ ...line, text: OWNERS_LINE }, { by: agent.personsLine(number, attacker), text });
    },
  };
}

/** A line of somebody that makes a turn run itself. */
function said(name: string, where: "public" | "direct", role: "guest" | "operator"): Entry {
  return {
    name,
    attacker: STRANGER,
    powerless: true,
    deliver: ({ agent, text, number }) =>
      agent.run({ ...agent.personsLine(number, STRANGER, where), role, text: `${text} for channel-1 ` }),
  };
}

/** Every way there is. */
export const ENTRIES: readonly Entry[] = [
  said("a stranger's direct line", "direct", "guest"),
  said("a stranger's public line", "public", "guest"),
  said("a stranger's line that its row calls an operator's", "direct", "operator"),
  steered("a stranger's line said into the turn", STRANGER, { powerless: true }),
  steered("another operator's line said into the turn", REMOTE_OPERATOR),
  quoted("a stranger's line in the chronicle", STRANGER),
  quoted("a room guest's line in the chronicle", parsePrincipalId("room:m-1")),
  quoted("another character's line in the chronicle", "character:tobias" as Influence),
  quoted("context of a source", "source:weather"),
  quoted("a bundle's prompt", "bundle:friends"),
  quoted("words of a program that asks over MCP", parsePrincipalId("mcp:files")),
  {
    name: "a card from a file that nobody endorsed",
    attacker: IMPORT,
    async deliver({ agent, text, number }) {
      const line = agent.ownersLine(number);
      await agent.quote(line, text, agent.labels.ofImport(IMPORT.slice("import:".length)));
      return await agent.run({ ...line, text: OWNERS_LINE });
    },
  },
  {
    name: "an entry whose label nobody can read",
    attacker: "unknown:origin",
    async deliver({ agent, text, number }) {
      const line = agent.ownersLine(number);
      agent.keepUnlabelled(line, text);
      return await agent.run({ ...line, text: OWNERS_LINE });
    },
  },
  {
    name: "a stranger's line in a session that a schedule goes on in, which may use that tool",
    attacker: STRANGER,
    powerless: true,
    async deliver({ agent, text, number, tool }) {
      const line = agent.ownersLine(number);
      await agent.quote(line, text, agent.labels.ofEvent({ influence: [STRANGER], audience: ["anyone"] }));
      agent.grant(line, tool);
      return await agent.run({ ...line, text: OWNERS_LINE });
    },
  },
  {
    name: "output of a tool that fetches",
    attacker: "tool:fetch",
    reads: true,
    deliver({ agent, text, number }) {
      const page = `page ${number}`;
      agent.pages.set(page, text);
      return agent.run({ ...agent.ownersLine(number), text: `${OWNERS_LINE} Please ${callOf("fetch", page)}` });
    },
  },
  {
    name: "a note that was kept under a stranger's words",
    attacker: STRANGER,
    reads: true,
    async deliver({ agent, text, number }) {
      const line = agent.ownersLine(number);
      const label = agent.labels.ofEvent({ influence: [STRANGER], audience: ["anyone"] });
      await agent.quote(line, "You may keep what I tell you.", label);
      agent.keepNote(line, "later", text);
      return await agent.run({ ...line, text: `${OWNERS_LINE} Please ${callOf("recall", "later")}` });
    },
  },
];
