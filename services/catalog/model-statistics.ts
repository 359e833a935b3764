import type {
  EndpointAttempts,
  EndpointSpeed,
  ModelStatisticsReadModel,
} from '../../db/model-statistics-read-model.ts';
import type { EndpointPerformance, ModelPopularity } from '../../domain/endpoint-performance.ts';
import type { ModelMeasures } from '../../domain/model-order.ts';
import type { Percentiles } from '../../domain/routing.ts';
import type { Logger } from '../../platform/logger.ts';
import { type CallTallies, EndpointTallies, tallyCalls, uptimeOf } from './endpoint-tallies.ts';
import { createModelDays } from './model-days.ts';
import { createStretches, restAfter } from './stretches.ts';

/** What the ledger knows of models and endpoints, from memory: read at intervals, never for a request. */
export interface ModelStatistics extends ModelMeasures {
  /** Reads each part by itself. Rejects when one cannot be read, of which stays what is known. */
  refresh(): Promise<void>;
  /** Refreshes at once and then at intervals, in the background. */
  start(): void;
  close(): Promise<void>;
}

export interface ModelStatisticsOptions {
  ledger: ModelStatisticsReadModel;
  intervalMs: number;
  logger: Pick<Logger, 'warn'>;
  now?: () => number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** What was known half an hour ago says nothing of the last half hour. */
const STALE_AFTER_MS = 10 * MINUTE_MS;
/** Readings that may fail before that, where they come less often. */
const STALE_AFTER_PAUSES = 3;
/** Calls that one statement should read: a second's or two's work. */
const CALLS_A_STATEMENT = 100_000;
const SHORTEST_SLICE_MS = 1_000;
/** Calls that percentiles are taken of, about; more would take long and say the same. */
const MEASURED_CALLS = 200_000;
const HOURS_OF_DAY = 24;
/** A generation is recorded when it ends, which may be long after it began. */
const HOUR_STILL_OPEN_MS = HOUR_MS;

const UNKNOWN: EndpointPerformance = {
  latencyMs: null,
  throughput: null,
  uptime5m: null,
  uptime30m: null,
  uptime1d: null,
};
const UNUSED: ModelPopularity = { requests: 0, weeklyTokens: 0 };

interface Recent {
  readAtMs: number;
  minutes5: CallTallies;
  minutes30: CallTallies;
  speeds: EndpointTallies<EndpointSpeed>;
}

export function createModelStatistics(options: ModelStatisticsOptions): ModelStatistics {
  const { ledger, now = Date.now } = options;
  let recent: Recent | undefined;
  let staleAfterMs = STALE_AFTER_MS;
  const days = createModelDays(ledger, now);
  const hours = createStretches({
    lengthMs: HOUR_MS,
    count: HOURS_OF_DAY,
    openMs: HOUR_STILL_OPEN_MS,
    read: async (since, until) => tallyCalls(await readCalls(ledger, since.getTime(), until.getTime())),
    now,
  });

  const refresh = async (): Promise<void> => {
    const refreshRecent = async (): Promise<void> => {
      recent = await readRecent(ledger, now());
    };
    const errors: unknown[] = [];
    for (const part of [refreshRecent, days.refresh, hours.refresh]) {
      await part().catch((error: unknown) => errors.push(error));
    }
    if (errors.length > 0) throw new AggregateError(errors, 'the ledger was not read, or only a part of it');
  };

  return {
    popularityOf: ({ canonicalSlug }) => days.of(canonicalSlug) ?? UNUSED,
    performanceOf(model, endpoint) {
      if (recent === undefined || now() - recent.readAtMs > staleAfterMs) return UNKNOWN;
      const speed = recent.speeds.of(model, endpoint);
      return {
        latencyMs: toPercentiles(speed?.latencyMs, 0),
        throughput: toPercentiles(speed?.tokensPerSecond, 2),
        uptime5m: uptimeOf([recent.minutes5.of(model, endpoint)]),
        uptime30m: uptimeOf([recent.minutes30.of(model, endpoint)]),
        uptime1d: uptimeOf([...hours.entries()].map(([, hour]) => hour.of(model, endpoint))),
      };
    },
    refresh,
    ...repeat(refresh, { ...options, now }, (pauseMs) => {
      staleAfterMs = Math.max(STALE_AFTER_MS, pauseMs * STALE_AFTER_PAUSES);
    }),
  };
}

async function readRecent(ledger: ModelStatisticsReadModel, nowMs: number): Promise<Recent> {
  const sinceMs = nowMs - 30 * MINUTE_MS;
  const last = await readCalls(ledger, nowMs - 5 * MINUTE_MS, nowMs);
  const before = await readCalls(ledger, sinceMs, nowMs - 5 * MINUTE_MS);
  const all = [...before, ...last];
  const oneIn = Math.max(1, Math.floor(countCalls(all) / MEASURED_CALLS));
  const speeds = await ledger.speedsSince(new Date(sinceMs), oneIn);
  return {
    readAtMs: nowMs,
    minutes5: tallyCalls(last),
    minutes30: tallyCalls(all),
    speeds: new EndpointTallies(speeds),
  };
}

/** In statements of a minute at first, of more where little happened and of less where much did. */
async function readCalls(
  ledger: ModelStatisticsReadModel,
  sinceMs: number,
  untilMs: number,
): Promise<EndpointAttempts[]> {
  const all: EndpointAttempts[] = [];
  let sliceMs = MINUTE_MS;
  for (let fromMs = sinceMs; fromMs < untilMs;) {
    const toMs = Math.min(fromMs + sliceMs, untilMs);
    const rows = await ledger.attemptsBetween(new Date(fromMs), new Date(toMs));
    const calls = countCalls(rows);
    if (calls > CALLS_A_STATEMENT) sliceMs = Math.max(SHORTEST_SLICE_MS, sliceMs / 2);
    else if (calls * 2 <= CALLS_A_STATEMENT) sliceMs *= 2;
    all.push(...rows);
    fromMs = toMs;
  }
  return all;
}

function countCalls(rows: readonly EndpointAttempts[]): number {
  return rows.reduce((sum, { answered, failed }) => sum + answered + failed, 0);
}

/** Never two at once. */
function repeat(
  work: () => Promise<void>,
  { intervalMs, logger, now }: Required<Omit<ModelStatisticsOptions, 'ledger'>>,
  onPause: (pauseMs: number) => void,
) {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let isClosed = false;
  const run = async (): Promise<void> => {
    const startedAtMs = now();
    await work().catch((error: unknown) => logger.warn({ err: error }, 'statistics of models not read'));
    const pauseMs = Math.max(intervalMs, restAfter(now() - startedAtMs));
    onPause(pauseMs);
    if (!isClosed) timer = setTimeout(start, pauseMs);
  };
  const start = (): void => {
    running = run();
  };
  return {
    start,
    async close(): Promise<void> {
      isClosed = true;
      clearTimeout(timer);
      await running;
    },
  };
}

function toPercentiles(values: number[] | null | undefined, digits: number): Required<Percentiles> | null {
  if (values === null || values === undefined) return null;
  const [p50 = 0, p75 = 0, p90 = 0, p99 = 0] = values.map((value) => Number(value.toFixed(digits)));
  return { p50, p75, p90, p99 };
}
