/** Reports an organization's usage of models by day over the last 30 days. */
import { findEndpointNames } from '../../db/insights/activity-names.ts';
import type { AnalyticsLookups } from '../../db/insights/analytics-lookups.ts';
import type { AnalyticsReadModel, AnalyticsRow } from '../../db/insights/analytics-read-model.ts';
import type { Handle } from '../../db/postgres/connection.ts';
import type { Dimension } from '../../domain/insights/analytics-dimensions.ts';
import type { Metric } from '../../domain/insights/analytics-metrics.ts';
import { planParts } from '../../domain/insights/analytics-plan.ts';
import type { AnalyticsFilter, TimeRange } from '../../domain/insights/analytics-query.ts';
import { AppError, invalidRequest } from '../../domain/errors.ts';
import { addDays, daysBetween, startOf, type UtcDay, utcDayOf } from '../../domain/utc-day.ts';
import { resolveFilters } from './analytics/resolve-filters.ts';
import { convertTimeouts } from './analytics/convert-timeouts.ts';
import type { ConcurrencyLimit } from '../concurrency-limit.ts';

export interface ActivityQuery {
  /** One of the last 30 completed UTC days; when absent, all of them. */
  date?: UtcDay | undefined;
  keyHash?: string | undefined;
  userId?: string | undefined;
  workspaceId?: string | undefined;
  byWorkspace: boolean;
}

/** The usage of one model at one provider on one day. */
export interface DayOfActivity {
  date: UtcDay;
  /** The model's id in the current catalog. */
  model: string;
  /** The canonical slug. */
  permaslug: string;
  providerName: string;
  endpointId: string;
  /** The workspace; present only when rows are requested by workspace. */
  workspaceId?: string | undefined;
  requests: number;
  usageUsd: number;
  byokUsageUsd: number;
  promptTokens: number;
  completionTokens: number;
  reasoningTokens: number;
  cachedTokens: number;
}

export interface ActivityServiceDeps {
  knex: Handle;
  lookups: AnalyticsLookups;
  analytics: AnalyticsReadModel;
  concurrencyLimit: ConcurrencyLimit;
  now?: () => Date;
}

const DAYS = 30;
/** The most rows: about six megabytes of JSON, which the process serializes in one step. */
const MAX_ROWS = 20_000;
const METRICS = [
  'request_count',
  'total_usage',
  'byok_usage',
  'tokens_prompt',
  'tokens_completion',
  'reasoning_tokens',
  'cached_tokens',
] as const satisfies Metric[];

/** Lists the daily usage of an organization. A filter with an id of another organization matches nothing. */
export function createActivityService(deps: ActivityServiceDeps) {
  const { concurrencyLimit, now = () => new Date() } = deps;
  return {
    /**
     * Lists rows, the newest day first. Throws 400 for a day that is not one of the last 30 completed ones, and for
     * more rows than one answer may have. Throws 408 like analytics.
     */
    async list(
      organizationId: string,
      activityQuery: ActivityQuery,
      gone: AbortSignal,
    ): Promise<DayOfActivity[]> {
      const days = daysOf(activityQuery.date, now());
      const { scope, filters } = await resolveFilters(deps.lookups, organizationId, filtersOf(activityQuery));
      const rows = await concurrencyLimit.run(organizationId, gone, async () => {
        const found: AnalyticsRow[] = [];
        for (const range of rangesOf(activityQuery, days)) {
          if (gone.aborted) throw new AppError('client_cancelled');
          const reading = { ...readingOf(activityQuery, range), scope, filters };
          const { rows: page } = await convertTimeouts(() => deps.analytics.read(reading));
          found.push(...page);
          if (found.length > MAX_ROWS) throw tooMany();
        }
        return found;
      });
      return withNames(deps.knex, rows);
    },
  };
}

function readingOf(activityQuery: ActivityQuery, range: TimeRange) {
  const dimensions: Dimension[] = activityQuery.byWorkspace
    ? ['model', 'provider', 'workspace']
    : ['model', 'provider'];
  const query = { dimensions, filters: filtersOf(activityQuery), granularity: 'day' } as const;
  return {
    dimensions,
    granularity: 'day',
    metrics: METRICS,
    parts: planParts(query, range),
    orderBy: { field: 'date', direction: 'desc' },
    // One more row than an answer may have shows that there are too many.
    limit: MAX_ROWS + 1,
  } as const;
}

/** Returns the requested days, the newest first. */
function daysOf(date: UtcDay | undefined, now: Date): UtcDay[] {
  const today = utcDayOf(now);
  const [first, last] = [addDays(today, -DAYS), addDays(today, -1)];
  if (date === undefined) return daysBetween(first, last).toReversed();
  if (date >= first && date <= last) return [date];
  const message = `must be one of the last ${DAYS} completed days, ${first} to ${last}`;
  throw invalidRequest({ path: 'query.date', message });
}

/**
 * Returns the ranges of the statements, in the order of the answer. Rollups do not contain users of keys, so a query by
 * user reads single generations, a day at a time. A month of them could exceed the time limit of a statement.
 */
function rangesOf({ userId }: ActivityQuery, days: UtcDay[]): TimeRange[] {
  const rangeOf = (first: UtcDay, last: UtcDay) => ({
    start: startOf(first),
    end: startOf(addDays(last, 1)),
  });
  if (userId !== undefined) return days.map((day) => rangeOf(day, day));
  const [newest = '', oldest = newest] = [days[0], days.at(-1)];
  return [rangeOf(oldest, newest)];
}

function tooMany(): AppError {
  const message = `finds more than ${MAX_ROWS} rows: narrow it down by date, workspace_id or api_key_hash`;
  return invalidRequest({ path: 'query', message });
}

function filtersOf({ keyHash, userId, workspaceId }: ActivityQuery): AnalyticsFilter[] {
  const requested: [Dimension, string | undefined][] = [
    ['api_key_id', keyHash],
    ['user', userId],
    ['workspace', workspaceId],
  ];
  return requested.flatMap(([field, value]): AnalyticsFilter[] =>
    value === undefined ? [] : [{ field, operator: 'eq', value, includeUnset: false }],
  );
}

async function withNames(knex: Handle, rows: AnalyticsRow[]): Promise<DayOfActivity[]> {
  const pairs = new Map(rows.map((row) => [pairOf(row).join(' '), pairOf(row)]));
  const requested = [...pairs.values()].map(([permaslug, provider]) => ({ permaslug, provider }));
  const names = await findEndpointNames(knex, requested);
  const nameOf = new Map(names.map((name) => [`${name.permaslug} ${name.provider}`, name]));
  return rows.flatMap((row) => {
    const name = nameOf.get(pairOf(row).join(' '));
    const [
      requests = 0,
      usageUsd = 0,
      byokUsageUsd = 0,
      promptTokens = 0,
      completionTokens = 0,
      reasoningTokens = 0,
      cachedTokens = 0,
    ] = row.metrics.map((metric) => metric ?? 0);
    if (name === undefined || row.at === null) return [];
    const { model, permaslug, providerName, endpointId } = name;
    const workspaceId = row.dimensions[2];
    return {
      date: utcDayOf(row.at),
      model,
      permaslug,
      providerName,
      endpointId,
      workspaceId: typeof workspaceId === 'string' ? workspaceId : undefined,
      requests,
      usageUsd,
      byokUsageUsd,
      promptTokens,
      completionTokens,
      reasoningTokens,
      cachedTokens,
    };
  });
}

function pairOf({ dimensions }: AnalyticsRow): [permaslug: string, provider: string] {
  return [String(dimensions[0]), String(dimensions[1])];
}

export type ActivityService = ReturnType<typeof createActivityService>;
