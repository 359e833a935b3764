/** Reads the rankings of models and apps from their tables of closed days. */
import {
  type AppRankingsSort,
  CONTEXT_BUCKETS,
  type DayWindow,
  OTHER_MODELS,
  PUBLIC_ORIGIN,
  RANKED_MODELS,
  RANKED_SURFACES,
  type RankingsPeriod,
  type RankingsSlice,
} from '../../domain/insights/rankings.ts';
import { addDays, daysBetween, type UtcDay } from '../../domain/utc-day.ts';
import type { Handle } from '../postgres/connection.ts';
import { int8, text, timestamptz, type RowOf } from '../postgres/shape.ts';
import { joined, sql, type Sql, trustedText } from '../postgres/sql-text.ts';
import { rowsOf } from '../postgres/statement.ts';

const RANKED_MODEL = {
  /** The day, or the first day of the week or month. */
  date: text,
  /** Canonical slug, or `other`. */
  model: text,
  /** A decimal text: sums may exceed a number. */
  totalTokens: text,
};
export type RankedModel = RowOf<typeof RANKED_MODEL>;

const RANKED_APP = {
  id: int8,
  origin: text,
  /** Empty if the app has none. */
  title: text,
  totalTokens: text,
  totalRequests: text,
};
export type RankedApp = Omit<RowOf<typeof RANKED_APP>, 'id' | 'totalRequests'> & {
  id: number;
  totalRequests: number;
};

interface Page {
  limit: number;
  offset: number;
}

/** Reads the rankings of closed days (db/insights/rankings-store.ts). */
export function createRankingsReadModel(handle: Handle) {
  return {
    /** Returns the time when a day was last closed; null before the first. */
    async closedAt(): Promise<Date | null> {
      const statement = 'select max(closed_at) "at" from rankings_days';
      const [row] = await rowsOf(handle, { at: timestamptz.orNull }, statement);
      return row?.at ?? null;
    },

    /** Returns the ranked models by date and tokens. A date without usage has no row. */
    async models(window: DayWindow, period: RankingsPeriod, slice: RankingsSlice): Promise<RankedModel[]> {
      const source = slice.dataset === 'exact' ? exact(window, slice) : sampled(window, slice);
      return rowsOf(handle, RANKED_MODEL, rankedModels(source, period));
    },

    /** Returns public apps in the order of their rank. */
    async apps(window: DayWindow, sort: AppRankingsSort, { limit, offset }: Page): Promise<RankedApp[]> {
      const { startDate, endDate } = window;
      const values = { startDate, endDate, publicOrigin: PUBLIC_ORIGIN, limit, offset };
      const rows =
        sort === 'popular'
          ? await rowsOf(handle, RANKED_APP, POPULAR_APPS, values)
          : await rowsOf(handle, RANKED_APP, TRENDING_APPS, { ...values, trendStart: trendStart(window) });
      return rows.map((row) => ({ ...row, id: Number(row.id), totalRequests: Number(row.totalRequests) }));
    },
  };
}

export type RankingsReadModel = ReturnType<typeof createRankingsReadModel>;

/** Returns a source of rows: a relation with `day`, `model`, `total_tokens`. */
function exact(
  { startDate, endDate }: DayWindow,
  { surface, contextBucket }: Extract<RankingsSlice, { dataset: 'exact' }>,
): Sql {
  const conditions = [
    sql`select day, model, total_tokens from rankings_models where day between ${startDate} and ${endDate}`,
    surface === undefined ? undefined : sql`surfaces & ${1 << RANKED_SURFACES.indexOf(surface)} <> 0`,
    contextBucket === undefined
      ? undefined
      : sql`context_bucket = ${Object.keys(CONTEXT_BUCKETS).indexOf(contextBucket)}`,
  ];
  return joined(conditions, ' and ');
}

/** Returns a source of whole weeks that begin in the window; `day` is the first day of the week. */
function sampled(
  { startDate, endDate }: DayWindow,
  slice: Extract<RankingsSlice, { dataset: 'sampled' }>,
): Sql {
  const ofSample =
    'category' in slice ? sql`category = ${slice.category}` : sql`language_type = ${slice.languageType}`;
  const week = sql`date_trunc('week', day::timestamp)::date`;
  return sql`
    select ${week} "day", model, total_tokens from rankings_samples
    where ${week} between ${startDate} and ${endDate} and day between ${startDate} and ${endDate}::date + 6
      and ${ofSample}`;
}

function rankedModels(source: Sql, period: RankingsPeriod): Sql {
  const model = trustedText(`case when is_rest then '${OTHER_MODELS}' else model end`);
  return sql`
    with source as (${source}),
    totals as (
      select date_trunc(${period}, day::timestamp)::date date, model, sum(total_tokens) tokens
      from source group by 1, 2
    ),
    placed as (
      select *, row_number() over (partition by date order by tokens desc, model) > ${trustedText(String(RANKED_MODELS))} is_rest
      from totals
    )
    select date::text, ${model} "model",
      sum(tokens)::text "totalTokens"
    from placed
    group by 1, is_rest, ${model}
    order by date, is_rest, sum(tokens) desc, 2`;
}

const POPULAR_APPS = `
  select a.id, a.origin, a.title, sum(r.total_tokens)::text "totalTokens", sum(r.total_requests)::text "totalRequests"
  from rankings_apps r join apps a on a.id = r.app_id
  where r.day between :startDate and :endDate and a.origin ~ :publicOrigin
  group by a.id
  order by sum(r.total_tokens) desc, a.id
  limit :limit offset :offset`;

/** Ranks by growth: three times the tokens of the window, minus those of the three windows before it. */
const TRENDING_APPS = `
  select a.id, a.origin, a.title, t.tokens::text "totalTokens", t.requests::text "totalRequests"
  from (
    select app_id, sum(total_tokens) filter (where day >= :startDate) tokens,
      sum(total_requests) filter (where day >= :startDate) requests,
      sum(case when day >= :startDate then 3 else -1 end * total_tokens) growth
    from rankings_apps where day between :trendStart and :endDate
    group by app_id) t join apps a on a.id = t.app_id
  where t.growth > 0 and a.origin ~ :publicOrigin
  order by t.growth desc, a.id
  limit :limit offset :offset`;

function trendStart({ startDate, endDate }: DayWindow): UtcDay {
  return addDays(startDate, -3 * daysBetween(startDate, endDate).length);
}
