import type { PacketRecord, VoiceRecord } from "../../../vocabulary/reply.ts";

type Fields = Readonly<Record<string, unknown>>;
const VOICES = ["responder", "operation", "agent"] as const;

/** What is stored of how a voice came to its words: codes and counts by position, since each turn keeps one for a month. */
export function toRecordColumn(record: VoiceRecord | null): string | null {
  if (record === null) return null;
  const { voice, by, packet, usage, firstTokenMs, candidates, skipped = [] } = record;
  return JSON.stringify([
    voice,
    by,
    packet === null
      ? null
      : [
          packet.id,
          packet.bytes,
          packet.segments.map(({ kind, count, bytes }) => [kind, count, bytes]),
          packet.withheld.map((one) => [one.class, one.count]),
        ],
    [usage.promptTokens, usage.completionTokens, usage.costMicros],
    firstTokenMs,
    candidates,
    ...(skipped.length === 0 ? [] : [skipped.map((host) => [host.by, host.reason])]),
  ]);
}

/** The stored record; null when there is none or it cannot be read. */
export function readRecord(text: string | null): VoiceRecord | null {
  const value = text === null ? null : tupleOf(parse(text));
  const voice = VOICES.find((name) => name === value?.[0]);
  const usage = tupleOf(value?.[3]);
  if (value === null || voice === undefined || usage === null) return null;
  return {
    voice,
    by: textOf(value[1]),
    packet: packetOf(value[2]),
    usage: { promptTokens: numberOf(usage[0]), completionTokens: numberOf(usage[1]), costMicros: numberOrNull(usage[2]) },
    firstTokenMs: numberOrNull(value[4]),
    candidates: numberOf(value[5]),
    ...skippedOf(tuplesOf(value[6])),
  };
}

function skippedOf(list: readonly (readonly unknown[])[]): Pick<VoiceRecord, "skipped"> {
  return list.length === 0 ? {} : { skipped: list.map(([by, reason]) => ({ by: textOf(by), reason: textOf(reason) })) };
}

/** The gate's codes and counts; none when it changed nothing, and what cannot be read is left out. */
export function readGate(text: string | null): readonly { readonly code: string; readonly count: number }[] {
  return listOf(text === null ? null : parse(text)).map((entry) => ({ code: textOf(entry["code"]), count: numberOf(entry["count"]) }));
}

function packetOf(value: unknown): PacketRecord | null {
  const fields = tupleOf(value);
  if (fields === null) return null;
  return {
    id: textOf(fields[0]),
    bytes: numberOf(fields[1]),
    segments: tuplesOf(fields[2]).map(([kind, count, bytes]) => ({ kind: textOf(kind), count: numberOf(count), bytes: numberOf(bytes) })),
    withheld: tuplesOf(fields[3]).map(([name, count]) => ({ class: textOf(name), count: numberOf(count) })),
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

function tupleOf(value: unknown): readonly unknown[] | null {
  return Array.isArray(value) ? value : null;
}

function tuplesOf(value: unknown): readonly (readonly unknown[])[] {
  return (tupleOf(value) ?? []).map((entry) => tupleOf(entry) ?? []);
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
