/** Re-wraps single values in a rotation of the master key, and counts how many were re-wrapped or left, and why. */
import { type Encryption, EncryptionError, keyIdOf } from '../../platform/encryption.ts';

/** Numbers of values by the id of their master key; '' stands for a text that is no sealed value. */
export type CountsByKeyId = ReadonlyMap<string, number>;

/** The result of re-wrapping the values of one kind. */
export interface RotatedKind {
  kind: string;
  before: CountsByKeyId;
  /** The numbers after re-wrapping; in a dry run, the expected ones. */
  after: CountsByKeyId;
  rewrapped: number;
  /** Values of configured keys that stay unchanged, with a few of their names. */
  left: ReadonlyMap<UnchangedReason, { count: number; examples: readonly string[] }>;
  /** True for values that expire by themselves, for which nothing has to be done. */
  isEnding: boolean;
}

const MAX_EXAMPLES = 20;

/** Counts the outcomes for the values of one kind. */
export function createTally() {
  const moved = new Map<string, number>();
  const left = new Map<UnchangedReason, { count: number; examples: string[] }>();
  let rewrapped = 0;
  return {
    moved: moved as CountsByKeyId,
    /** Returns the result, with the numbers of values before and after re-wrapping. */
    resultOf: (kind: string, before: CountsByKeyId, after: CountsByKeyId): RotatedKind => ({
      kind,
      before,
      after,
      rewrapped,
      left,
      isEnding: false,
    }),
    addRewrapped(keyId: string): void {
      rewrapped += 1;
      addTo(moved, keyId, 1);
    },
    addUnchanged(reason: UnchangedReason, name: string): void {
      const entry = left.get(reason) ?? { count: 0, examples: [] };
      entry.count += 1;
      if (entry.examples.length < MAX_EXAMPLES) entry.examples.push(name);
      left.set(reason, entry);
    },
  };
}

export type Tally = ReturnType<typeof createTally>;

export function addTo(counts: Map<string, number>, keyId: string, count: number): void {
  counts.set(keyId, (counts.get(keyId) ?? 0) + count);
}

/** Returns the numbers that result when the moved values are under the current key. */
export function afterMoving(
  before: CountsByKeyId,
  moved: CountsByKeyId,
  currentKeyId: string,
): Map<string, number> {
  const after = new Map(before);
  for (const [keyId, count] of moved) {
    addTo(after, keyId, -count);
    addTo(after, currentKeyId, count);
  }
  return new Map([...after].filter(([, count]) => count > 0));
}

/** The means of re-wrapping sealed values, with the ids of all master keys. */
export interface RotationKeys {
  encryption: Pick<Encryption, 'open' | 'rewrap'>;
  currentKeyId: string;
  keyIds: ReadonlySet<string>;
}

/** The reason why a value stays unchanged. `no_key` means that its master key is not configured. */
export type UnchangedReason = 'no_key' | 'does_not_open' | 'object_store';

/**
 * Re-wraps a value under the current master key. The value is opened first: one that cannot be opened stays
 * unchanged, so that it can be examined.
 */
export function rewrapValue(
  { encryption, keyIds }: RotationKeys,
  sealed: string,
  context: string,
): { rewrapped: string } | { left: UnchangedReason } {
  const keyId = keyIdOf(sealed);
  if (keyId !== null && !keyIds.has(keyId)) return { left: 'no_key' };
  try {
    encryption.open(sealed, context);
    return { rewrapped: encryption.rewrap(sealed, context) };
  } catch (error) {
    if (!(error instanceof EncryptionError)) throw error;
    return { left: 'does_not_open' };
  }
}
