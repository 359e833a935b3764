/** Maintains the daily partitions of the ledger, and deletes generations after their retention. */
import { type PartitionStore, withPartitions } from '../../db/ledger/partition-store.ts';
import { addDays, type UtcDay } from '../../domain/utc-day.ts';
import type { Logger } from '../../platform/logger.ts';
import { closeMissedDays } from '../insights/rankings/close-days.ts';

export interface PartitionDeps {
  /** The URL of Postgres. */
  url: string;
  /** The time for which generations are kept. */
  retentionMs: number;
  logger: Pick<Logger, 'info' | 'warn'>;
}

export interface PartitionReport {
  dropped: number;
  /** The number of expired days that were in use or have no totals yet. The next run tries them again. */
  busy: number;
}

const DAY_MS = 86_400_000;
/**
 * The number of days whose partitions are created in advance. The first writer that needs a missing partition creates
 * it.
 */
const DAYS_AHEAD = 3;

/**
 * Creates the partitions of the next days and indexes those of past days. Drops each partition in which all
 * generations have expired.
 */
export async function keepPartitions(deps: PartitionDeps, now: Date): Promise<PartitionReport> {
  const { url, retentionMs, logger } = deps;
  return withPartitions(url, async (partitions) => {
    for (let ahead = 0; ahead <= DAYS_AHEAD; ahead += 1) {
      await partitions.ensure(new Date(now.getTime() + ahead * DAY_MS));
    }
    const keptFrom = new Date(now.getTime() - retentionMs);
    const old = await partitions.listBefore(keptFrom);
    // First drop what is ready: computing totals of the other days may take longer than this run has.
    let left = await dropEach(deps, partitions, old);
    const newest = left.at(-1);
    if (newest !== undefined) {
      // A partition is dropped only after its totals exist. Its generations count on its day and the two days after.
      await closeMissedDays({ url, logger }, now, addDays(newest, 2));
      left = await dropEach(deps, partitions, left);
    }
    for (const day of left) {
      logger.warn(
        { day },
        'the generations of a day are in use, or not added up, and were not dropped; tried again later',
      );
    }
    await partitions.forgetTags(keptFrom);
    const indexed = await partitions.indexBefore(now);
    if (indexed.length > 0)
      logger.info({ days: indexed }, 'the generations of past days were indexed for lists');
    return { dropped: old.length - left.length, busy: left.length };
  });
}

/** Returns the days that could not be dropped, in order. */
async function dropEach(
  { logger }: PartitionDeps,
  partitions: PartitionStore,
  days: readonly UtcDay[],
): Promise<UtcDay[]> {
  const left: UtcDay[] = [];
  for (const day of days) {
    if (await partitions.drop(day)) logger.info({ day }, 'the generations of a day were dropped');
    else left.push(day);
  }
  return left;
}
