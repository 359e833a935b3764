/** Measures the calls of endpoints in a period by statements that stay short under any load. */
import type {
  EndpointAttempts,
  ModelStatisticsReadModel,
} from '../../../db/catalog/model-statistics-read-model.ts';
import { isTooSlow } from '../../../db/postgres/outage.ts';
import type { RecentStatistics } from '../../../db/catalog/model-statistics-store.ts';
import { addUpCalls } from './endpoint-tallies.ts';

const MINUTE_MS = 60_000;
/** The calls that one statement should read, which takes a second or two. */
const CALLS_PER_STATEMENT = 100_000;
const SHORTEST_SLICE_MS = 1_000;

/**
 * Reads the calls of a period. Statements first cover a minute each. They cover more time where there are few calls,
 * and less where there are many or where Postgres took too long. Rejects with the signal's reason once it has aborted.
 */
export async function readCalls(
  ledger: Pick<ModelStatisticsReadModel, 'attemptsBetween'>,
  sinceMs: number,
  untilMs: number,
  signal: AbortSignal,
): Promise<EndpointAttempts[]> {
  const all: EndpointAttempts[] = [];
  let sliceMs = MINUTE_MS;
  for (let fromMs = sinceMs; fromMs < untilMs;) {
    signal.throwIfAborted();
    const toMs = Math.min(fromMs + sliceMs, untilMs);
    const rows = await ledger.attemptsBetween(new Date(fromMs), new Date(toMs)).catch((error: unknown) => {
      if (!isTooSlow(error) || toMs - fromMs <= SHORTEST_SLICE_MS) throw error;
    });
    if (rows === undefined) {
      sliceMs = shorter(toMs - fromMs);
      continue;
    }
    const calls = countCalls(rows);
    if (calls > CALLS_PER_STATEMENT) sliceMs = shorter(sliceMs);
    else if (calls * 2 <= CALLS_PER_STATEMENT) sliceMs *= 2;
    all.push(...rows);
    fromMs = toMs;
  }
  return all;
}

function countCalls(rows: readonly EndpointAttempts[]): number {
  return rows.reduce((sum, { answered, failed }) => sum + answered + failed, 0);
}

function shorter(sliceMs: number): number {
  return Math.max(SHORTEST_SLICE_MS, sliceMs / 2);
}

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
