/** Measures the uptime, latency and throughput of endpoints in the last half hour from the ledger. */
import type { ModelStatisticsReadModel } from '../../../db/catalog/model-statistics-read-model.ts';
import type { RecentStatistics } from '../../../db/catalog/model-statistics-store.ts';
import { addUpCalls } from './endpoint-tallies.ts';
import { countCalls, readCalls } from './read-calls.ts';

const MINUTE_MS = 60_000;
/** The approximate number of calls for percentiles; more would take longer without better results. */
const MEASURED_CALLS = 200_000;

export const RECENT_MS = 30 * MINUTE_MS;

/** Reads the performance of endpoints in the half hour before `nowMs`. */
export async function readRecent(
  ledger: Pick<ModelStatisticsReadModel, 'attemptsBetween' | 'speedsSince'>,
  nowMs: number,
  signal: AbortSignal,
): Promise<RecentStatistics> {
  const sinceMs = nowMs - RECENT_MS;
  const last = await readCalls(ledger, nowMs - 5 * MINUTE_MS, nowMs, signal);
  const before = await readCalls(ledger, sinceMs, nowMs - 5 * MINUTE_MS, signal);
  const all = [...before, ...last];
  const oneIn = Math.max(1, Math.floor(countCalls(all) / MEASURED_CALLS));
  const speeds = await ledger.speedsSince(new Date(sinceMs), oneIn);
  return { minutes5: addUpCalls(last), minutes30: addUpCalls(all), speeds };
}
