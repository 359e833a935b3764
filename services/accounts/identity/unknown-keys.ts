/**
 * Looks up keys and tokens that this process has not found before. Callers without any valid key can cause such
 * look-ups, so these are few at once, over their own connections, and none for an address that sends many wrong keys.
 */
import type { Handle } from '../../../db/postgres/connection.ts';
import { AppError } from '../../../domain/errors.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { Metrics } from '../../../platform/metrics.ts';
import { createRareWarning } from '../../../platform/rare-warning.ts';
import { createTurnsByAddress } from './turns-by-address.ts';
import type { WrongKeys } from './wrong-keys.ts';

export interface UnknownKeys {
  /** The pool for these look-ups. */
  readonly reads: Handle;
  /**
   * Returns what the look-up finds, once it is the turn of the address. Null counts as a wrong key. Rejects with 429 if
   * the address sent too many wrong keys, and with 503 if the look-up would wait too long.
   */
  lookUp<Found>(address: string, find: () => Promise<Found | null>): Promise<Found | null>;
}

export interface UnknownKeysOptions {
  reads: Handle;
  /** The most look-ups at once. */
  maxConcurrent: number;
  wrongKeys: Pick<WrongKeys, 'add' | 'refusedForMs'>;
  metrics: Metrics;
  logger: Pick<Logger, 'warn'>;
  /** The longest wait for a turn. */
  waitMs?: number;
}

/** The time within which a caller gets an answer, even if Postgres is slow. */
const WAIT_MS = 10_000;

export function createUnknownKeys(options: UnknownKeysOptions): UnknownKeys {
  const { reads, maxConcurrent, wrongKeys, waitMs = WAIT_MS } = options;
  const turns = createTurnsByAddress({ maxConcurrent, waitMs });
  const count = createLookUpMeters(options.metrics, turns.waiting);
  const warn = createRareWarning(options.logger, 'an address sends too many wrong keys');

  const requireFewWrongKeys = (address: string): void => {
    const forMs = wrongKeys.refusedForMs(address);
    if (forMs === 0) return;
    count.refused();
    warn({ address });
    throw new AppError('rate_limited', {
      reason: 'too_many_wrong_keys',
      retryAfterSeconds: Math.ceil(forMs / 1_000),
    });
  };

  return {
    reads,
    async lookUp(address, find) {
      requireFewWrongKeys(address);
      await turns.take(address);
      try {
        // Other keys of the address may have been wrong while this one waited.
        requireFewWrongKeys(address);
        const found = await find();
        if (found === null) wrongKeys.add(address);
        count[found === null ? 'wrong' : 'found']();
        return found;
      } finally {
        turns.end();
      }
    },
  };
}

/** Counts a look-up by its outcome. */
type LookUpMeters = Record<'found' | 'wrong' | 'refused', () => void>;

export function createLookUpMeters(metrics: Metrics, waiting: () => number): LookUpMeters {
  metrics.gauge({
    name: 'sluice_key_lookups_waiting',
    help: 'Look-ups of unknown keys that wait for their turn.',
    aggregation: 'sum',
    read: () => [{ labels: {}, value: waiting() }],
  });
  const count = metrics.counter({
    name: 'sluice_key_lookups_total',
    help: 'Look-ups of unknown keys.',
    labels: ['outcome'],
  });
  return {
    found: count({ outcome: 'found' }),
    wrong: count({ outcome: 'wrong' }),
    refused: count({ outcome: 'refused' }),
  };
}
