import { findEndpointNames } from '../../db/insights/activity-names.ts';
import type { AnalyticsLookups } from '../../db/insights/analytics-lookups.ts';
import type { AnalyticsReadModel, AnalyticsRow } from '../../db/insights/analytics-read-model.ts';
import type { Handle } from '../../db/connection.ts';
import type { Dimension } from '../../domain/insights/analytics-dimensions.ts';
import type { Metric } from '../../domain/insights/analytics-metrics.ts';
import { planParts } from '../../domain/insights/analytics-plan.ts';
import type { AnalyticsFilter, TimeRange } from '../../domain/insights/analytics-query.ts';
import { AppError, invalidRequest } from '../../domain/errors.ts';
import { addDays, daysBetween, startOf, type UtcDay, utcDayOf } from '../../domain/utc-day.ts';
import { resolveFilters } from './analytics/resolve-filters.ts';
import { inTime } from './analytics/in-time.ts';
import type { Turns } from '../turns.ts';

export interface ActivityQuestion {
  /** One of the last 30 completed UTC days; when absent, all of them. */
  date?: UtcDay;
  keyHash?: string;
  userId?: string;
  workspaceId?: string;
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
  workspaceId?: string;
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
  turns: Turns;
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
  const { turns, now = () => new Date() } = deps;
  return {
    /**
     * Lists rows, the newest day first. Throws 400 for a day that is not one of the last 30 completed ones, and for
     * more rows than one answer may have. Throws 408 like analytics.
     */
    async list(
      organizationId: string,
      question: ActivityQuestion,
      gone: AbortSignal,
    ): Promise<DayOfActivity[]> {
      const days = daysOf(question.date, now());
      const { scope, filters } = await resolveFilters(deps.lookups, organizationId, filtersOf(question));
      const rows = await turns.take(organizationId, gone, async () => {
        const found: AnalyticsRow[] = [];
        for (const range of rangesOf(question, days)) {
          if (gone.aborted) throw new AppError('client_cancelled');
          const reading = { ...readingOf(question, range), scope, filters };
          const { rows: page } = await inTime(() => deps.analytics.read(reading));
          found.push(...page);
          if (found.length > MAX_ROWS) throw tooMany();
        }
        return found;
      });
      return withNames(deps.knex, rows);
    },
  };
}

function readingOf(question: ActivityQuestion, range: TimeRange) {
  const dimensions: Dimension[] = question.byWorkspace
    ? ['model', 'provider', 'workspace']
    : ['model', 'provider'];
  const query = { dimensions, filters: filtersOf(question), granularity: 'day' } as const;
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
function rangesOf({ userId }: ActivityQuestion, days: UtcDay[]): TimeRange[] {
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

function filtersOf({ keyHash, userId, workspaceId }: ActivityQuestion): AnalyticsFilter[] {
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
      ...(typeof workspaceId === 'string' ? { workspaceId } : {}),
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
