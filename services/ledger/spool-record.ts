import { crc32 } from 'node:zlib';
import type { GenerationRecord } from '../../domain/generation.ts';

/** Before each line's checksum: what follows is written as this version writes it. */
const VERSION = '1';
const LINE = /^1 ([0-9a-f]{8}) (.*)$/s;

/** A generation as a line of a spool, without its end: version, CRC-32 of the JSON, JSON. */
export function toSpoolLine(generation: GenerationRecord): string {
  const json = toJson(generation);
  return `${VERSION} ${checksumOf(json)} ${json}`;
}

/** Undefined for a line that is not as it was written: torn by a crash, or damaged. */
export function parseSpoolLine(line: string): GenerationRecord | undefined {
  const [, checksum, json = ''] = LINE.exec(line) ?? [];
  if (checksum === undefined || checksumOf(json) !== checksum) return undefined;
  const stored = JSON.parse(json) as StoredGeneration;
  return {
    ...stored,
    settledAt: new Date(stored.settledAt),
    costNanos: BigInt(stored.costNanos),
    upstreamCostNanos: stored.upstreamCostNanos === null ? null : BigInt(stored.upstreamCostNanos),
  };
}

/** Amounts as decimal strings, times in ISO 8601. Also for the eyes of operators, in the table of rejects. */
export function toJson(generation: GenerationRecord): string {
  return JSON.stringify(generation, (_, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
}

type StoredGeneration = Omit<GenerationRecord, 'settledAt' | 'costNanos' | 'upstreamCostNanos'> & {
  settledAt: string;
  costNanos: string;
  upstreamCostNanos: string | null;
};

function checksumOf(json: string): string {
  return crc32(json).toString(16).padStart(8, '0');
}
