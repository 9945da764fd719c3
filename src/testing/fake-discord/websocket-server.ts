import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";

/** Appended to a client's key, as the protocol says (RFC 6455, 1.3). */
const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const MAX_PAYLOAD_BYTES = 1_048_576;

const OPCODES = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

interface Frame {
  readonly final: boolean;
  readonly opcode: number;
  readonly payload: Buffer;
  readonly length: number;
}

/** Where the length of a frame ends, and what it says; null while it is not whole. */
function readLength(bytes: Buffer): { readonly end: number; readonly size: number } | null {
  const size = (bytes[1] ?? 0) & 0x7f;
  if (size < 126) return { end: 2, size };
  const end = size === 126 ? 4 : 10;
  if (bytes.length < end) return null;
  return { end, size: size === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2)) };
}

/** Read one frame off the front of what came in; null while it is not whole. */
function readFrame(bytes: Buffer): Frame | null {
  const [first, second] = bytes;
  if (first === undefined || second === undefined) return null;
  const length = readLength(bytes);
  if (length === null) return null;
  const masked = (second & 0x80) !== 0;
  const start = length.end + (masked ? 4 : 0);
  if (bytes.length < start + length.size) return null;
  const payload = Buffer.from(bytes.subarray(start, start + length.size));
  if (masked) unmask(payload, bytes.subarray(length.end, start));
  return { final: (first & 0x80) !== 0, opcode: first & 0x0f, payload, length: start + length.size };
}

function unmask(payload: Buffer, mask: Buffer): void {
  for (let index = 0; index < payload.length; index += 1) payload[index] = (payload[index] ?? 0) ^ (mask[index % 4] ?? 0);
}

function toFrame(opcode: number, payload: Buffer): Buffer {
  const head =
    payload.length < 126
      ? Buffer.from([0x80 | opcode, payload.length])
      : payload.length < 65_536
        ? Buffer.from([0x80 | opcode, 126, payload.length >> 8, payload.length & 0xff])
        : Buffer.concat([Buffer.from([0x80 | opcode, 127]), bigLength(payload.length)]);
  return Buffer.concat([head, payload]);
}

function bigLength(length: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(length));
  return bytes;
}

/** What a connection tells of itself. */
export interface PeerListener {
  text(text: string): void;
  /** Once, with the code the peer closed with; 1006 when it went without one. */
  closed(code: number): void;
}

/** The server's end of one WebSocket, frame by frame, so that a test can do with it what a network does. */
export class WebSocketPeer {
  readonly #socket: Duplex;
  readonly #listener: PeerListener;
  #bytes = Buffer.alloc(0);
  #parts: Buffer[] = [];
  #over = false;

  constructor(socket: Duplex, listener: PeerListener) {
    this.#socket = socket;
    this.#listener = listener;
    socket.on("data", (chunk: Buffer) => this.#read(chunk));
    socket.on("error", () => socket.destroy());
    socket.on("close", () => this.#end(1006));
  }

  get open(): boolean {
    return !this.#over;
  }

  send(text: string): void {
    if (!this.#over) this.#socket.write(toFrame(OPCODES.text, Buffer.from(text)));
  }

  /** Close in good order; the peer hears the code. */
  close(code: number, reason = ""): void {
    if (this.#over) return;
    const payload = Buffer.concat([Buffer.from([code >> 8, code & 0xff]), Buffer.from(reason)]);
    this.#socket.end(toFrame(OPCODES.close, payload));
    this.#end(code);
  }

  /** Tear the connection, as a network does: the peer hears no code. */
  destroy(): void {
    this.#socket.destroy();
    this.#end(1006);
  }

  #read(chunk: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    if (this.#bytes.length > MAX_PAYLOAD_BYTES) {
      this.destroy();
      return;
    }
    for (let frame = readFrame(this.#bytes); frame !== null; frame = readFrame(this.#bytes)) {
      this.#bytes = this.#bytes.subarray(frame.length);
      this.#take(frame);
    }
  }

  #take({ opcode, payload, final }: Frame): void {
    switch (opcode) {
      case OPCODES.continuation:
      case OPCODES.text:
      case OPCODES.binary:
        this.#parts.push(payload);
        if (final) this.#listener.text(Buffer.concat(this.#parts.splice(0)).toString("utf8"));
        return;
      case OPCODES.ping:
        if (!this.#over) this.#socket.write(toFrame(OPCODES.pong, payload));
        return;
      case OPCODES.close: {
        const code = payload.length >= 2 ? payload.readUInt16BE(0) : 1005;
        if (!this.#over) this.#socket.end(toFrame(OPCODES.close, payload));
        this.#end(code);
        return;
      }
      default:
    }
  }

  #end(code: number): void {
    if (this.#over) return;
    this.#over = true;
    this.#listener.closed(code);
  }
}

/** Answer an upgrade request and take the connection over; null when it is none. */
export function acceptWebSocket(
  request: IncomingMessage,
  socket: Duplex,
  listen: (peer: WebSocketPeer) => PeerListener,
): WebSocketPeer | null {
  const key = request.headers["sec-websocket-key"];
  if (key === undefined || request.headers.upgrade?.toLowerCase() !== "websocket") return null;
  const accept = createHash("sha1").update(`${key}${GUID}`).digest("base64");
  socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`);
  let listener: PeerListener | null = null;
  const peer = new WebSocketPeer(socket, {
    text: (text) => listener?.text(text),
    closed: (code) => listener?.closed(code),
  });
  listener = listen(peer);
  return peer;
}
