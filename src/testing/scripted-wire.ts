/** Lines of JSON between the scripted platform and the surface that speaks to it; one object a line. */
export type PlatformMessage =
  | {
      readonly type: "deliver";
      readonly delivery: string;
      readonly person: string;
      readonly direct: boolean;
      readonly character: string;
      readonly atMs: number;
      readonly text: string;
    }
  | { readonly type: "sent"; readonly part: string; readonly platformId: string }
  | { readonly type: "has"; readonly part: string; readonly platformId: string | null };

/** What the surface tells the platform. */
export type SurfaceMessage =
  | { readonly type: "open"; readonly surface: string }
  | { readonly type: "ack"; readonly delivery: string; readonly outcome: string }
  | {
      readonly type: "send";
      readonly part: string;
      readonly turn: string;
      readonly index: number;
      readonly count: number;
      readonly place: string;
      readonly body: string;
    }
  | { readonly type: "read"; readonly part: string };

/** Write one message as a line. */
export function toLine(message: PlatformMessage | SurfaceMessage): string {
  return `${JSON.stringify(message)}\n`;
}

/** Cut what arrives into whole lines; call it with each chunk. */
export function createLineReader(onLine: (line: string) => void): (chunk: Buffer) => void {
  let rest = "";
  return (chunk) => {
    const lines = (rest + chunk.toString("utf8")).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line !== "") onLine(line);
  };
}
