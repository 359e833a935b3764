/** Counts how many encrypted values a rotation of the master key has re-wrapped or left unchanged, and why. */
import type { UnchangedReason } from './rewrap-value.ts';

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
    left,
    get rewrapped() {
      return rewrapped;
    },
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
