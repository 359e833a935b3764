/** Maintains the hourly partitions of the broadcast log, and deletes expired attempts and dead letters. */
import { createAttemptStore } from '../../db/broadcast/attempt-store.ts';
import { createDeadLetterStore } from '../../db/broadcast/dead-letter-store.ts';
import {
  createLogPartitionStore,
  type LogHour,
  type LogPartitionStore,
} from '../../db/broadcast/log-partition-store.ts';
import type { Handle } from '../../db/postgres/connection.ts';
import type { Logger } from '../../platform/logger.ts';

export interface KeepLogDeps {
  knex: Handle;
  logger: Pick<Logger, 'info' | 'warn'>;
}

export interface KeptLog {
  /** The number of dropped hours. */
  dropped: number;
  /** The number of hours that were in use; the next run tries them again. */
  busy: number;
  /** The number of generations that destinations will never receive. */
  givenUp: number;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The longest time that a generation waits for a destination. */
const LOG_RETENTION_MS = 72 * HOUR_MS;
/** The time after an hour in which a transaction that started in it may still commit. */
const OPEN_TRANSACTION_MS = 15 * 60_000;
/** The number of hours whose partitions are created in advance. The first writer creates a missing one. */
const HOURS_AHEAD = 6;
const ATTEMPT_RETENTION_MS = 7 * DAY_MS;
const DEAD_LETTER_RETENTION_MS = 7 * DAY_MS;
const PAGE = 5_000;

/**
 * Creates the partitions of the next hours, and drops partitions that every destination has passed or that are too old.
 */
export async function keepBroadcastLog({ knex, logger }: KeepLogDeps, now: Date): Promise<KeptLog> {
  const partitions = createLogPartitionStore(knex);
  await partitions.ensure(HOURS_AHEAD);
  await partitions.dropBodiesBefore(new Date(now.getTime() - LOG_RETENTION_MS));
  await deleteExpired(knex);
  const kept: KeptLog = { dropped: 0, busy: 0, givenUp: 0 };
  for (const hour of await partitions.listEndedBefore(new Date(now.getTime() - OPEN_TRANSACTION_MS))) {
    const isTooOld = hour.endsAt.getTime() < now.getTime() - LOG_RETENTION_MS;
    const givenUp = await dropHour(partitions, hour, isTooOld).catch((error: unknown) => {
      // An error of one hour must not stop the others.
      logger.warn(
        { err: error, hour: hour.partition },
        'an hour of the broadcast log was not dropped; tried again later',
      );
      return null;
    });
    if (givenUp === 'needed') continue;
    if (givenUp === null) {
      kept.busy += 1;
      continue;
    }
    kept.dropped += 1;
    kept.givenUp += givenUp;
    const facts = { hour: hour.partition, givenUp };
    if (givenUp > 0) logger.warn(facts, 'an hour of the broadcast log was dropped before all was delivered');
    else logger.info(facts, 'an hour of the broadcast log was dropped');
  }
  return kept;
}

/**
 * Drops an hour. Returns how many generations are given up, `needed` when a destination has not passed the hour, and
 * null when it is in use.
 */
async function dropHour(
  partitions: LogPartitionStore,
  hour: LogHour,
  isTooOld: boolean,
): Promise<number | 'needed' | null> {
  if (!isTooOld && !(await partitions.isPassed(hour))) return 'needed';
  return partitions.drop(hour);
}

/** Deletes expired failed attempts and dead letters, page by page. */
async function deleteExpired(knex: Handle): Promise<void> {
  const attempts = createAttemptStore(knex);
  const deadLetters = createDeadLetterStore(knex);
  while ((await attempts.deleteOld(ATTEMPT_RETENTION_MS, PAGE)) === PAGE);
  while ((await deadLetters.deleteOld(DEAD_LETTER_RETENTION_MS, PAGE)) === PAGE);
}
