import { withPartitions } from '../../db/partition-store.ts';
import { addDays } from '../../domain/utc-day.ts';
import type { Logger } from '../../platform/logger.ts';
import { closeMissedDays } from '../rankings/close-days.ts';

export interface PartitionDeps {
  /** Of Postgres. */
  url: string;
  /** How long generations are kept. */
  retentionMs: number;
  logger: Pick<Logger, 'info' | 'warn'>;
}

export interface PartitionReport {
  dropped: number;
  /** Days whose time is over and that were in use, or not added up; the next run tries them again. */
  busy: number;
}

const DAY_MS = 86_400_000;
/** How many days' partitions there are before the day comes. One that lacks is made by whoever needs it. */
const DAYS_AHEAD = 3;

/** Makes the partitions of the next days and drops those whose every generation is past its time, whole. */
export async function keepPartitions(deps: PartitionDeps, now: Date): Promise<PartitionReport> {
  const { url, retentionMs, logger } = deps;
  return withPartitions(url, async (partitions) => {
    for (let ahead = 0; ahead <= DAYS_AHEAD; ahead += 1) {
      await partitions.ensure(new Date(now.getTime() + ahead * DAY_MS));
    }
    const report = { dropped: 0, busy: 0 };
    const keptFrom = new Date(now.getTime() - retentionMs);
    const old = await partitions.listBefore(keptFrom);
    // What is not added up is not dropped; generations count on the day of their partition and the two after it.
    const newest = old.at(-1);
    if (newest !== undefined) await closeMissedDays({ url, logger }, now, addDays(newest, 2));
    for (const day of old) {
      if (await partitions.drop(day)) {
        report.dropped += 1;
        logger.info({ day }, 'the generations of a day were dropped');
      } else {
        report.busy += 1;
        logger.warn(
          { day },
          'the generations of a day are in use, or not added up, and were not dropped; tried again later',
        );
      }
    }
    await partitions.forgetTags(keptFrom);
    return report;
  });
}
