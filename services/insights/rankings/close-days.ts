import { isUnreachable } from '../../../db/outage.ts';
import { type RankingsStore, withRankings } from '../../../db/insights/rankings-store.ts';
import { addDays, type UtcDay, utcDayOf } from '../../../domain/utc-day.ts';
import type { Logger } from '../../../platform/logger.ts';

export interface CloseDaysDeps {
  /** Of Postgres. */
  url: string;
  logger: Pick<Logger, 'info' | 'warn'>;
}

/** A day could not be added up, which says nothing of those after it. */
export class DayNotClosedError extends Error {
  readonly day: UtcDay;

  constructor(day: UtcDay, cause: unknown) {
    super(`the rankings of ${day} could not be added up`, { cause });
    this.name = 'DayNotClosedError';
    this.day = day;
  }
}

/**
 * A generation counts on the day on which the process that settled it saw it settled, and is in the ledger a moment
 * later. So long after midnight no clock of a replica, and no batch under way, says that it is still yesterday.
 */
const GRACE_MS = 5 * 60_000;

/** The newest day that can be closed. */
export function lastDayToClose(now: Date): UtcDay {
  return addDays(utcDayOf(new Date(now.getTime() - GRACE_MS)), -1);
}

/**
 * Closes the oldest day, later than the one given, that is over and not closed, or has grown since; says which, and
 * whether there are more. Throws a DayNotClosedError when that day is in the way.
 */
export async function closeNextDay(
  deps: CloseDaysDeps,
  now: Date,
  after: UtcDay = '',
  last = lastDayToClose(now),
): Promise<{ day?: UtcDay; more: boolean }> {
  // As of now, whatever the last: only days that were closed lately may have grown.
  const open = await withRankings(deps.url, (store) => store.listOpen(lastDayToClose(now)));
  const [day, ...rest] = open.filter((one) => one > after && one <= last);
  if (day === undefined) return { more: false };
  await closeAlone(deps, day);
  return { day, more: rest.length > 0 };
}

/** The same for all days up to the last, in order. One that cannot be closed stops no other. */
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
 * Adds days up anew: the result is the same unless generations came to them since, from a spool that was found late.
 * Returns the days that stay as they are, because generations of theirs are dropped. Days that are not over are left
 * out.
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

/** On a connection of its own: one that was given up in mid-answer is of no use for the next day. */
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
