import { parseArgs } from 'node:util';
import { RANKINGS_BEGIN } from '../domain/insights/rankings.ts';
import { daysBetween } from '../domain/utc-day.ts';
import {
  closeMissedDays,
  type CloseDaysDeps,
  lastDayToClose,
  rebuildDays,
} from '../services/insights/rankings/close-days.ts';
import { AdminUsageError } from './usage-error.ts';

export const RANKINGS_USAGE = `rankings close                              (what the schedule has missed)
rankings rebuild --from YYYY-MM-DD [--to YYYY-MM-DD]`;

/**
 * Runs `admin rankings …`: adds up the days that the schedule has missed, or adds up given days again. Returns the text
 * to print; throws if a day failed.
 */
export async function runRankings(deps: CloseDaysDeps, args: string[]): Promise<string> {
  const [verb, ...rest] = args;
  switch (verb) {
    case 'close':
      return close(deps);
    case 'rebuild':
      return rebuild(deps, rest);
    default:
      throw new AdminUsageError(RANKINGS_USAGE);
  }
}

async function close(deps: CloseDaysDeps): Promise<string> {
  const { closed, failed } = await closeMissedDays(deps, new Date());
  if (failed.length > 0) throw new Error(`These days could not be closed: ${failed.join(', ')}`);
  return closed.length === 0 ? 'No day was missed.' : `Closed: ${closed.join(', ')}`;
}

async function rebuild(deps: CloseDaysDeps, args: string[]): Promise<string> {
  const { values } = parseArgs({ args, options: { from: { type: 'string' }, to: { type: 'string' } } });
  const { from = '', to = from } = values;
  const now = new Date();
  if (!isDay(from) || !isDay(to)) throw new AdminUsageError(RANKINGS_USAGE);
  if (from < RANKINGS_BEGIN || from > to || to > lastDayToClose(now)) {
    throw new AdminUsageError(
      `Days must be from ${RANKINGS_BEGIN} to the last completed day, and --from must not be after --to`,
    );
  }
  const days = daysBetween(from, to);
  const kept = await rebuildDays(deps, days, now);
  const done = `Rebuilt ${days.length - kept.length} of ${days.length} days.`;
  return kept.length === 0
    ? done
    : `${done}\nNot changed, because some of their generations were deleted: ${kept.join(', ')}`;
}

function isDay(text: string): boolean {
  const at = new Date(`${text}T00:00:00Z`);
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
}
