import { crc32 } from 'node:zlib';
import type { GenerationRecord } from '../../../domain/ledger/generation.ts';

/** Before each line's checksum: what follows is written as this version writes it. */
const VERSION = '1';
/** The same in every version. */
const LINE = /^(\d+) ([0-9a-f]{8}) (.*)$/s;

/** A generation as a line of a spool, without its end: version, CRC-32 of the JSON, JSON. */
export function toSpoolLine(generation: GenerationRecord): string {
  const json = toJson(generation);
  return `${VERSION} ${checksumOf(json)} ${json}`;
}

/**
 * `torn` is a line that is not as it was written; `unknown` one that is, and that this version cannot read, such as
 * one of a later version.
 */
export function parseSpoolLine(line: string): GenerationRecord | 'torn' | 'unknown' {
  const [, version, checksum, json = ''] = LINE.exec(line) ?? [];
  if (checksum === undefined || checksumOf(json) !== checksum) return 'torn';
  if (version !== VERSION) return 'unknown';
  try {
    return fromJson(json);
  } catch {
    return 'unknown';
  }
}

/** The opposite of `toJson`. Throws for what is no generation. */
export function fromJson(json: string): GenerationRecord {
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
