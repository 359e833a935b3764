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
import { uncheckedRowsOf } from '../postgres/statement.ts';

export interface RankedModel {
  /** The day, or the first day of the week or month. */
  date: UtcDay;
  /** Canonical slug, or `other`. */
  model: string;
  /** A decimal text: sums may exceed a number. */
  totalTokens: string;
}

export interface RankedApp {
  id: number;
  origin: string;
  /** Empty if the app has none. */
  title: string;
  totalTokens: string;
  totalRequests: number;
}

interface Page {
  limit: number;
  offset: number;
}

/** Reads the rankings of closed days (db/insights/rankings-store.ts). */
export function createRankingsReadModel(handle: Handle) {
  return {
    /** Returns the time when a day was last closed; null before the first. */
    async closedAt(): Promise<Date | null> {
      const [row] = await uncheckedRowsOf<{ at: Date | null }>(
        handle,
        'select max(closed_at) "at" from rankings_days',
        [],
      );
      return row?.at ?? null;
    },

    /** Returns the ranked models by date and tokens. A date without usage has no row. */
    async models(window: DayWindow, period: RankingsPeriod, slice: RankingsSlice): Promise<RankedModel[]> {
      const { from, bindings } = slice.dataset === 'exact' ? exact(window, slice) : sampled(window, slice);
      return uncheckedRowsOf<RankedModel>(handle, rankedModels(from), [...bindings, period]);
    },

    /** Returns public apps in the order of their rank. */
    async apps(window: DayWindow, sort: AppRankingsSort, { limit, offset }: Page): Promise<RankedApp[]> {
      const ofWindow = sort === 'popular' ? [window.startDate, window.endDate] : trendBindings(window);
      const rows = await uncheckedRowsOf<RankedApp & { id: string; totalRequests: string }>(
        handle,
        sort === 'popular' ? POPULAR_APPS : TRENDING_APPS,
        [...ofWindow, PUBLIC_ORIGIN, limit, offset],
      );
      return rows.map((row) => ({ ...row, id: Number(row.id), totalRequests: Number(row.totalRequests) }));
    },
  };
}

export type RankingsReadModel = ReturnType<typeof createRankingsReadModel>;

interface Source {
  /** A relation with `day`, `model`, `total_tokens`. */
  from: string;
  bindings: (string | number)[];
}

function exact(
  { startDate, endDate }: DayWindow,
  { surface, contextBucket }: Extract<RankingsSlice, { dataset: 'exact' }>,
): Source {
  const conditions = ['day between ? and ?'];
  const bindings: Source['bindings'] = [startDate, endDate];
  if (surface !== undefined) {
    conditions.push('surfaces & ? <> 0');
    bindings.push(1 << RANKED_SURFACES.indexOf(surface));
  }
  if (contextBucket !== undefined) {
    conditions.push('context_bucket = ?');
    bindings.push(Object.keys(CONTEXT_BUCKETS).indexOf(contextBucket));
  }
  const from = `select day, model, total_tokens from rankings_models where ${conditions.join(' and ')}`;
  return { from, bindings };
}

/** Returns a source of whole weeks that begin in the window; `day` is the first day of the week. */
function sampled(
  { startDate, endDate }: DayWindow,
  slice: Extract<RankingsSlice, { dataset: 'sampled' }>,
): Source {
  const [column, value] =
    'category' in slice ? ['category', slice.category] : ['language_type', slice.languageType];
  const week = `date_trunc('week', day::timestamp)::date`;
  return {
    from: `
      select ${week} "day", model, total_tokens from rankings_samples
      where ${week} between ? and ? and day between ? and ?::date + 6 and ${column} = ?`,
    bindings: [startDate, endDate, startDate, endDate, value],
  };
}

function rankedModels(from: string): string {
  return `
    with source as (${from}),
    totals as (
      select date_trunc(?, day::timestamp)::date date, model, sum(total_tokens) tokens
      from source group by 1, 2
    ),
    placed as (
      select *, row_number() over (partition by date order by tokens desc, model) > ${RANKED_MODELS} is_rest
      from totals
    )
    select date::text, case when is_rest then '${OTHER_MODELS}' else model end "model",
      sum(tokens)::text "totalTokens"
    from placed
    group by 1, is_rest, case when is_rest then '${OTHER_MODELS}' else model end
    order by date, is_rest, sum(tokens) desc, 2`;
}

const POPULAR_APPS = `
  select a.id, a.origin, a.title, sum(r.total_tokens)::text "totalTokens", sum(r.total_requests)::text "totalRequests"
  from rankings_apps r join apps a on a.id = r.app_id
  where r.day between ? and ? and a.origin ~ ?
  group by a.id
  order by sum(r.total_tokens) desc, a.id
  limit ? offset ?`;

/** Ranks by growth: three times the tokens of the window, minus those of the three windows before it. */
const TRENDING_APPS = `
  select a.id, a.origin, a.title, t.tokens::text "totalTokens", t.requests::text "totalRequests"
  from (
    select app_id, sum(total_tokens) filter (where day >= ?) tokens,
      sum(total_requests) filter (where day >= ?) requests,
      sum(case when day >= ? then 3 else -1 end * total_tokens) growth
    from rankings_apps where day between ? and ?
    group by app_id) t join apps a on a.id = t.app_id
  where t.growth > 0 and a.origin ~ ?
  order by t.growth desc, a.id
  limit ? offset ?`;

function trendBindings({ startDate, endDate }: DayWindow): string[] {
  const days = daysBetween(startDate, endDate).length;
  return [startDate, startDate, startDate, addDays(startDate, -3 * days), endDate];
}
