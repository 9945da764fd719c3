import { z } from "zod";
import type { Line } from "../foundation/line.ts";
import { line, toned } from "../foundation/line.ts";
import { printable } from "../foundation/printable.ts";
import type { Declared, Operation } from "./operation.ts";
import { OWNER_ONLY, declare } from "./operation.ts";

/** Result of `init`. */
export interface InitAnswer {
  readonly kind: "written" | "exists";
  readonly path: string;
}

/** `troupe init`. */
export const init: Declared<Record<string, never>, InitAnswer> = declare<Record<string, never>, InitAnswer>({
  name: "init",
  summary: "write a first troupe.yaml here; never over one that is there",
  arguments: z.strictObject({}),
  positional: [],
  who: OWNER_ONLY,
  result: z.object({ kind: z.enum(["written", "exists"]), path: z.string() }),
  render: renderInit,
  exit: ({ kind }) => (kind === "written" ? "done" : "failed"),
});

function renderInit({ kind, path }: InitAnswer): readonly Line[] {
  if (kind === "exists") return [toned("bad", line`Nothing written: ${printable(path)} is there already.`)];
  return [
    toned("good", line`Written: ${printable(path)}`),
    line`What stands under private is fiction: visitors can talk a character out of it.`,
    line`Next: troupe check, then troupe run`,
  ];
}

/** Bind `init` to a folder. */
export function bindInit(directory: string): Operation {
  return init.bind(async () => {
    const { scaffoldConfig } = await import("../config/scaffold.ts");
    return scaffoldConfig(directory);
  });
}
