/** Adds up each finished day of usage into the rankings of models and apps. */
import { isUnreachable } from '../../../db/postgres/outage.ts';
import { type RankingsStore, withRankings } from '../../../db/insights/rankings-store.ts';
import { addDays, type UtcDay, utcDayOf } from '../../../domain/utc-day.ts';
import type { Logger } from '../../../platform/logger.ts';

export interface CloseDaysDeps {
  /** The URL of Postgres. */
  url: string;
  logger: Pick<Logger, 'info' | 'warn'>;
}

/** Means that a day could not be added up; the days after it may still succeed. */
export class DayNotClosedError extends Error {
  readonly day: UtcDay;

  constructor(day: UtcDay, cause: unknown) {
    super(`the rankings of ${day} could not be added up`, { cause });
    this.name = 'DayNotClosedError';
    this.day = day;
  }
}

/**
 * The time after midnight in which generations of the last day may still arrive in the ledger. A generation counts for
 * the day on which it was settled by the clock of its process. After this time, no slow clock and no batch under way
 * adds to the last day.
 */
const GRACE_MS = 5 * 60_000;

/** Returns the newest day that can be closed. */
export function lastDayToClose(now: Date): UtcDay {
  return addDays(utcDayOf(new Date(now.getTime() - GRACE_MS)), -1);
}

/**
 * Closes the oldest past day after the given one that is not closed, or that has grown since. Returns the day, and
 * whether there are more. Throws a DayNotClosedError when that day cannot be closed.
 */
export async function closeNextDay(
  deps: CloseDaysDeps,
  now: Date,
  after: UtcDay = '',
  last = lastDayToClose(now),
): Promise<{ day?: UtcDay; more: boolean }> {
  // List by the current time even when `last` is earlier: only days that were closed recently may have grown.
  const open = await withRankings(deps.url, (store) => store.listOpen(lastDayToClose(now)));
  const [day, ...rest] = open.filter((one) => one > after && one <= last);
  if (day === undefined) return { more: false };
  await closeAlone(deps, day);
  return { day, more: rest.length > 0 };
}

/** Closes all days up to the last, in order. A day that cannot be closed does not stop the others. */
export async function closeMissedDays(
  deps: CloseDaysDeps,
  now: Date,
  last = lastDayToClose(now),
): Promise<{ closed: UtcDay[]; failed: UtcDay[] }> {
  const closed: UtcDay[] = [];
  const failed: UtcDay[] = [];
  let after: UtcDay | undefined;
  for (;;) {
    try {
      const { day } = await closeNextDay(deps, now, after, last);
      if (day === undefined) return { closed, failed };
      closed.push(day);
      after = day;
    } catch (error) {
      if (!(error instanceof DayNotClosedError)) throw error;
      const { day, message } = error;
      deps.logger.warn({ err: error, day }, `${message}; tried again later`);
      failed.push(day);
      after = day;
    }
  }
}

/**
 * Adds days up again. The result differs only when a spool that was replayed late has added generations since. Returns
 * the days that stay unchanged because their generations were deleted. Days that are not over are left out.
 */
export function rebuildDays(deps: CloseDaysDeps, days: readonly UtcDay[], now: Date): Promise<UtcDay[]> {
  return withRankings(deps.url, async (store) => {
    const kept: UtcDay[] = [];
    for (const day of days) {
      if (day <= lastDayToClose(now) && !(await close(store, day, deps))) kept.push(day);
    }
    return kept;
  });
}

/**
 * Closes one day over a connection of its own, because a connection that was abandoned during a statement cannot be
 * used for the next day.
 */
async function closeAlone(deps: CloseDaysDeps, day: UtcDay): Promise<void> {
  try {
    await withRankings(deps.url, (store) => close(store, day, deps));
  } catch (error) {
    // Without Postgres no other day can be closed either.
    if (isUnreachable(error)) throw error;
    throw new DayNotClosedError(day, error);
  }
}

async function close(store: RankingsStore, day: UtcDay, { logger }: CloseDaysDeps): Promise<boolean> {
  const isDone = await store.close(day);
  if (isDone) logger.info({ day }, 'the rankings of a day were added up');
  return isDone;
}
