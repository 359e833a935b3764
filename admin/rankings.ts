import { parseArgs } from 'node:util';
import { RANKINGS_BEGIN } from '../domain/insights/rankings.ts';
import { daysBetween } from '../domain/utc-day.ts';
import {
  closeMissedDays,
  type CloseDaysDeps,
  lastDayToClose,
  rebuildDays,
} from '../services/insights/rankings/close-days.ts';
import { pickVerb, required, requireNone, AdminUsageError } from './arguments.ts';

export const RANKINGS_USAGE = `rankings close                              (what the schedule has missed)
rankings rebuild --from YYYY-MM-DD [--to YYYY-MM-DD]`;

/**
 * Runs `admin rankings …`: adds up the days that the schedule has missed, or adds up given days again. Returns the text
 * to print; throws if a day failed.
 */
export async function runRankings(deps: CloseDaysDeps, args: string[]): Promise<string> {
  const [verb, rest] = pickVerb('rankings', ['close', 'rebuild'], args);
  if (verb === 'rebuild') return rebuild(deps, rest);
  requireNone(rest);
  return close(deps);
}

async function close(deps: CloseDaysDeps): Promise<string> {
  const { closed, failed } = await closeMissedDays(deps, new Date());
  if (failed.length > 0) throw new Error(`These days could not be closed: ${failed.join(', ')}`);
  return closed.length === 0 ? 'No day was missed.' : `Closed: ${closed.join(', ')}`;
}

async function rebuild(deps: CloseDaysDeps, args: string[]): Promise<string> {
  const { values } = parseArgs({ args, options: { from: { type: 'string' }, to: { type: 'string' } } });
  const from = requireDay('--from', required('rankings', '--from', values.from));
  const to = requireDay('--to', values.to ?? from);
  const now = new Date();
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

function requireDay(flag: string, text: string): string {
  if (isDay(text)) return text;
  throw new AdminUsageError(`${flag} must be a day, such as 2026-11-27, not "${text}"`);
}

function isDay(text: string): boolean {
  const at = new Date(`${text}T00:00:00Z`);
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
}
