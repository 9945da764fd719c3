import { z } from "zod";
import { printable } from "../foundation/printable.ts";
import type { Declared, Operation } from "./operation.ts";
import { OWNER_ONLY, declare } from "./operation.ts";

/** What keeps a program running. */
export const SERVICE_KINDS = ["systemd", "launchd", "container"] as const;
/** One of {@link SERVICE_KINDS}. */
export type ServiceKind = (typeof SERVICE_KINDS)[number];

/** Arguments of `service`. */
export interface ServiceArguments {
  readonly action: "print";
  readonly kind: ServiceKind;
}

/** Result of `service`: a text to be put into a file. */
export interface ServiceAnswer {
  readonly kind: ServiceKind;
  readonly text: string;
}

/** `troupe service print`. It writes nothing anywhere: what runs at the start of a computer is its owner's to put there. */
export const service: Declared<ServiceArguments, ServiceAnswer> = declare<ServiceArguments, ServiceAnswer>({
  name: "service",
  summary: "print what keeps troupe running on this computer: a systemd unit, a launchd agent or a Containerfile",
  arguments: z.strictObject({
    action: z.enum(["print"]).describe("print: show it; nothing is installed"),
    kind: z.enum(SERVICE_KINDS).describe("systemd, launchd or container"),
  }),
  positional: ["action", "kind"],
  who: OWNER_ONLY,
  result: z.object({ kind: z.enum(SERVICE_KINDS), text: z.string() }),
  render: ({ text }) =>
    text
      .trimEnd()
      .split("\n")
      .map((row) => ({ tone: "plain", text: printable(row, MAX_ROW) })),
});

/** Longer than any path that a system takes. */
const MAX_ROW = 16_384;

/** What a service needs to know of this installation. */
export interface ServiceFacts {
  /** Absolute paths: the Node that runs now, the launcher, and where it stands. */
  readonly node: string;
  readonly launcher: string;
  readonly workingDirectory: string;
  readonly stateDirectory: string;
  /** The folder of the local socket where it cannot stand in the state folder; null where it does. */
  readonly socketFolder: string | null;
  /** The configuration as it was named; null where none was. */
  readonly config: string | null;
  readonly user: string;
  readonly version: string;
}

/** Bind `service` to this installation. */
export function bindService(facts: ServiceFacts): Operation {
  return service.bind(async ({ kind }) => {
    const { serviceText } = await import("./service-texts.ts");
    return { kind, text: serviceText(kind, facts) };
  });
}
