import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import { RuntimeError } from "../../foundation/errors.ts";

/** Bytes that may wait for a reader that does not read; beyond, the connection ends. */
const MAX_UNSENT_BYTES = 8 * 1024 * 1024;
const NEWLINE = 0x0a;

/**
 * The lines that come over a stream, each at most `maxBytes` long, until the other side ends. Holds at most one line and one
 * chunk. @throws RuntimeError `usage` for a longer line.
 */
export async function* readLines(stream: Readable, maxBytes: number): AsyncGenerator<string, void, undefined> {
  let kept: Buffer[] = [];
  let keptBytes = 0;
  for await (const chunk of chunksOf(stream)) {
    let from = 0;
    for (;;) {
      const end = chunk.indexOf(NEWLINE, from);
      const piece = chunk.subarray(from, end < 0 ? chunk.length : end);
      keptBytes += piece.length;
      if (keptBytes > maxBytes) throw new RuntimeError("usage", `Cannot read a line: it is over ${maxBytes} bytes`);
      kept.push(piece);
      if (end < 0) break;
      const line = Buffer.concat(kept).toString("utf8");
      kept = [];
      keptBytes = 0;
      from = end + 1;
      yield line;
    }
  }
}

async function* chunksOf(stream: Readable): AsyncGenerator<Buffer, void, undefined> {
  try {
    for await (const chunk of stream.iterator({ destroyOnReturn: false })) if (Buffer.isBuffer(chunk)) yield chunk;
  } catch (error) {
    // A connection that breaks is an end like any other: whoever waits on it hears of the end.
    if (error instanceof RuntimeError) throw error;
  }
}

/** Send one value as a line; false when the connection has ended, or ends now because its reader does not read. */
export function sendLine(socket: Socket, value: unknown): boolean {
  if (socket.destroyed || !socket.writable) return false;
  if (socket.writableLength > MAX_UNSENT_BYTES) {
    socket.destroy();
    return false;
  }
  socket.write(`${JSON.stringify(value)}\n`);
  return true;
}

/** A line as JSON, or undefined when it is none. */
export function parseLine(line: string): unknown {
  try {
    const value: unknown = JSON.parse(line);
    return value;
  } catch {
    return undefined;
  }
}
