import type {
  EndpointAttempts,
  EndpointSpeed,
  ModelUse,
} from '../../../db/catalog/model-statistics-read-model.ts';
import type { ModelStatisticsStore, StatisticsRow } from '../../../db/catalog/model-statistics-store.ts';
import type {
  EndpointPerformance,
  ModelPopularity,
  Percentiles,
} from '../../../domain/catalog/endpoint-performance.ts';
import type { ModelMeasures } from '../../../domain/catalog/model-order.ts';
import type { Logger } from '../../../platform/logger.ts';
import { EndpointTallies, uptimeOf } from './endpoint-tallies.ts';
import { restAfter } from './rest-after.ts';
import { DAY_MS, DAYS, DAYS_OF_WEEK, HOUR_MS, HOURS } from './statistics-window.ts';

/** Serves the statistics of models and endpoints from memory; no request reads them from the database. */
export interface ModelStatistics extends ModelMeasures {
  /** Reads the rows that a worker wrote since the last call. After an error, the known statistics stay in use. */
  refresh(): Promise<void>;
  /** Refreshes at once and then every ten seconds, in the background. */
  start(): void;
  close(): Promise<void>;
}

export interface ModelStatisticsOptions {
  store: Pick<ModelStatisticsStore, 'writtenSince'>;
  /** The shortest time between two readings of the ledger by a worker. */
  intervalMs: number;
  logger: Pick<Logger, 'warn'>;
  now?: () => number;
}

/**
 * The shortest time between two readings of the ledger. The API needs this interval of the workers to decide which
 * statistics are out of date.
 */
export const MODEL_STATISTICS_INTERVAL_MS = 60_000;

/** The interval at which the API reads new rows of the table, which are few. */
const REFRESH_EVERY_MS = 10_000;
/** The age at which recent statistics count as unknown. */
const STALE_AFTER_MS = 600_000;
/** The age in pauses between readings at which recent statistics count as unknown, when readings are less frequent. */
const STALE_AFTER_PAUSES = 3;

const UNKNOWN: EndpointPerformance = {
  latencyMs: null,
  throughput: null,
  uptime5m: null,
  uptime30m: null,
  uptime1d: null,
};
const UNUSED: ModelPopularity = { requests: 0, weeklyTokens: 0 };

type Calls = EndpointTallies<EndpointAttempts>;

interface Recent {
  readAtMs: number;
  tookMs: number;
  minutes5: Calls;
  minutes30: Calls;
  speeds: EndpointTallies<EndpointSpeed>;
}

export function createModelStatistics(options: ModelStatisticsOptions): ModelStatistics {
  const { store, intervalMs, now = Date.now } = options;
  const hours = new Map<number, Calls>();
  const days = new Map<number, ModelUse[]>();
  let recent: Recent | undefined;
  let popularity = new Map<string, ModelPopularity>();
  let writtenAt: Date | null = null;

  const take = (row: StatisticsRow): void => {
    const startsAtMs = row.startsAt.getTime();
    if (row.part === 'day') days.set(startsAtMs / DAY_MS, row.value);
    else if (row.part === 'hour') hours.set(startsAtMs / HOUR_MS, new EndpointTallies(row.value));
    else if (recent === undefined || row.readAt.getTime() > recent.readAtMs) recent = toRecent(row);
  };
  const refresh = async (): Promise<void> => {
    for (const row of await store.writtenSince(writtenAt)) {
      take(row);
      if (writtenAt === null || row.writtenAt > writtenAt) writtenAt = row.writtenAt;
    }
    keepLast(hours, HOURS, Math.floor(now() / HOUR_MS));
    keepLast(days, DAYS, Math.floor(now() / DAY_MS));
    popularity = addUpDays(days, Math.floor(now() / DAY_MS));
  };
  const isStale = ({ readAtMs, tookMs }: Recent): boolean => {
    const pauseMs = Math.max(intervalMs, restAfter(tookMs));
    return now() - readAtMs > Math.max(STALE_AFTER_MS, pauseMs * STALE_AFTER_PAUSES);
  };

  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();
  let isClosed = false;
  const refreshRepeatedly = (): void => {
    running = refresh()
      .catch((error: unknown) => options.logger.warn({ err: error }, 'statistics of models not read'))
      .then(() => {
        if (!isClosed) timer = setTimeout(refreshRepeatedly, Math.min(intervalMs, REFRESH_EVERY_MS));
      });
  };
  return {
    popularityOf: ({ canonicalSlug }) => popularity.get(canonicalSlug) ?? UNUSED,
    performanceOf(model, endpoint) {
      if (recent === undefined || isStale(recent)) return UNKNOWN;
      const speed = recent.speeds.of(model, endpoint);
      return {
        latencyMs: toPercentiles(speed?.latencyMs, 0),
        throughput: toPercentiles(speed?.tokensPerSecond, 2),
        uptime5m: uptimeOf([recent.minutes5.of(model, endpoint)]),
        uptime30m: uptimeOf([recent.minutes30.of(model, endpoint)]),
        uptime1d: uptimeOf([...hours.values()].map((hour) => hour.of(model, endpoint))),
      };
    },
    refresh,
    start: refreshRepeatedly,
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await running;
    },
  };
}

function toRecent({ readAt, tookMs, value }: StatisticsRow & { part: 'recent' }): Recent {
  return {
    readAtMs: readAt.getTime(),
    tookMs,
    minutes5: new EndpointTallies(value.minutes5),
    minutes30: new EndpointTallies(value.minutes30),
    speeds: new EndpointTallies(value.speeds),
  };
}

/** Removes entries older than the last `count`, the current one included. */
function keepLast(periods: Map<number, unknown>, count: number, current: number): void {
  for (const period of periods.keys()) if (period <= current - count) periods.delete(period);
}

function toPercentiles(values: number[] | null | undefined, digits: number): Required<Percentiles> | null {
  if (values === null || values === undefined) return null;
  const [p50 = 0, p75 = 0, p90 = 0, p99 = 0] = values.map((value) => Number(value.toFixed(digits)));
  return { p50, p75, p90, p99 };
}

/**
 * Adds up the usage of models by canonical slug. Days are numbered since the epoch, and the current day is included.
 */
function addUpDays(days: ReadonlyMap<number, ModelUse[]>, today: number): Map<string, ModelPopularity> {
  const sums = new Map<string, ModelPopularity>();
  for (const [day, uses] of days) {
    for (const { model, requests, tokens } of uses) {
      const sum = sums.get(model) ?? { requests: 0, weeklyTokens: 0 };
      sum.requests += requests;
      if (day > today - DAYS_OF_WEEK) sum.weeklyTokens += tokens;
      sums.set(model, sum);
    }
  }
  return sums;
}
