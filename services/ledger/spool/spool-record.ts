/** Converts generations to lines of a spool file and back. */
import { crc32 } from 'node:zlib';
import type { GenerationRecord } from '../../../domain/ledger/generation.ts';

/** The version of the format, written before each line's checksum. */
const VERSION = '1';
/** Matches a line; this part of the format is equal in every version. */
const LINE = /^(\d+) ([0-9a-f]{8}) (.*)$/s;

/** Returns a generation as a line of a spool, without its end: version, CRC-32 of the JSON, JSON. */
export function toSpoolLine(generation: GenerationRecord): string {
  const json = toJson(generation);
  return `${VERSION} ${checksumOf(json)} ${json}`;
}

/**
 * Parses a line. `torn` is a line that was not written completely. `unknown` is a complete line that this version
 * cannot read, such as one of a later version.
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

/** Parses the JSON of `toJson`. Throws when it is no generation. */
export function fromJson(json: string): GenerationRecord {
  const stored = JSON.parse(json) as StoredGeneration;
  return {
    ...stored,
    settledAt: new Date(stored.settledAt),
    costNanos: BigInt(stored.costNanos),
    upstreamCostNanos: stored.upstreamCostNanos === null ? null : BigInt(stored.upstreamCostNanos),
  };
}

/** Writes amounts as decimal strings and times in ISO 8601, so that operators can read them in the table of rejects. */
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
