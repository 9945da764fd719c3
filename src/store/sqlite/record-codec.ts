import type { PacketRecord, Usage, VoiceRecord } from "../../vocabulary/reply.ts";

type Fields = Readonly<Record<string, unknown>>;
const VOICES = ["responder", "operation", "agent"] as const;

/** What is stored of how a voice came to its words. It holds ids, codes and counts only. */
export function toRecordColumn(record: VoiceRecord | null): string | null {
  return record === null ? null : JSON.stringify(record);
}

/** The stored record; null when there is none or it cannot be read. */
export function readRecord(text: string | null): VoiceRecord | null {
  const value = text === null ? null : fieldsOf(parse(text));
  const voice = VOICES.find((name) => name === value?.["voice"]);
  const usage = usageOf(value?.["usage"]);
  if (value === null || voice === undefined || usage === null) return null;
  return {
    voice,
    by: textOf(value["by"]),
    packet: packetOf(value["packet"]),
    usage,
    firstTokenMs: numberOrNull(value["firstTokenMs"]),
    candidates: numberOf(value["candidates"]),
  };
}

/** The gate's codes and counts; what cannot be read is left out. */
export function readGate(text: string): readonly { readonly code: string; readonly count: number }[] {
  return listOf(parse(text)).map((entry) => ({ code: textOf(entry["code"]), count: numberOf(entry["count"]) }));
}

function packetOf(value: unknown): PacketRecord | null {
  const fields = fieldsOf(value);
  if (fields === null) return null;
  return {
    id: textOf(fields["id"]),
    bytes: numberOf(fields["bytes"]),
    segments: listOf(fields["segments"]).map((segment) => ({
      source: textOf(segment["source"]),
      kind: textOf(segment["kind"]),
      bytes: numberOf(segment["bytes"]),
    })),
    withheld: listOf(fields["withheld"]).map((entry) => ({ ref: textOf(entry["ref"]), class: textOf(entry["class"]) })),
  };
}

function usageOf(value: unknown): Usage | null {
  const fields = fieldsOf(value);
  if (fields === null) return null;
  return {
    promptTokens: numberOf(fields["promptTokens"]),
    completionTokens: numberOf(fields["completionTokens"]),
    costMicros: numberOrNull(fields["costMicros"]),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // A damaged record is missing from an explanation; nothing else depends on it.
  }
}

function fieldsOf(value: unknown): Fields | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? Object.fromEntries(Object.entries(value)) : null;
}

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf).filter((entry) => entry !== null) : [];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function numberOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

function numberOrNull(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}
