import { type PartitionStore, withPartitions } from '../../db/ledger/partition-store.ts';
import { addDays, type UtcDay } from '../../domain/utc-day.ts';
import type { Logger } from '../../platform/logger.ts';
import { closeMissedDays } from '../insights/rankings/close-days.ts';

export interface PartitionDeps {
  /** The URL of Postgres. */
  url: string;
  /** The time that generations are kept. */
  retentionMs: number;
  logger: Pick<Logger, 'info' | 'warn'>;
}

export interface PartitionReport {
  dropped: number;
  /** The number of days that are past their time but were in use or not added up. The next run tries them again. */
  busy: number;
}

const DAY_MS = 86_400_000;
/** The number of days whose partitions are made in advance. A missing one is made by the first writer that needs it. */
const DAYS_AHEAD = 3;

/** Makes the partitions of the next days, and drops each partition whose generations are all past their time. */
export async function keepPartitions(deps: PartitionDeps, now: Date): Promise<PartitionReport> {
  const { url, retentionMs, logger } = deps;
  return withPartitions(url, async (partitions) => {
    for (let ahead = 0; ahead <= DAYS_AHEAD; ahead += 1) {
      await partitions.ensure(new Date(now.getTime() + ahead * DAY_MS));
    }
    const keptFrom = new Date(now.getTime() - retentionMs);
    const old = await partitions.listBefore(keptFrom);
    // First what can go at once: adding days up may take longer than there is, and must not keep those.
    let left = await dropEach(deps, partitions, old);
    const newest = left.at(-1);
    if (newest !== undefined) {
      // What is not added up is not dropped; generations count on the day of their partition and the two after it.
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
