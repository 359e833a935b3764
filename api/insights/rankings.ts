/** Ranks models and apps by their use. */
import type {
  AppRankings,
  ModelRankings,
  ModelRankingsQuery,
  rankingOperations,
  RankingsMeta,
} from '../../contract/insights/rankings.ts';
import type { RankedApp, RankedModel } from '../../db/insights/rankings-read-model.ts';
import type { DayWindow, RankingsSlice } from '../../domain/insights/rankings.ts';
import type { Rankings, RankingsService } from '../../services/insights/rankings/rankings-service.ts';
import { answerConditionally } from '../http/answer-conditionally.ts';
import type { RoutesOf } from '../http/route.ts';

export const rankingRoutes: RoutesOf<typeof rankingOperations, { rankings: RankingsService }> = {
  /** Handles `GET /datasets/rankings-daily`: ranks the public models of each day, week or month by their tokens. */
  getModelRankings: async ({ query, headers }, { services }) => {
    const slice = sliceOf(query);
    const period = query.period ?? (slice.dataset === 'exact' ? 'day' : 'week');
    const rankings = await services.rankings.models({ window: windowOf(query), period, slice });
    return answerConditionally(headers, presentModelRankings(rankings));
  },

  /** Handles `GET /datasets/app-rankings`: ranks the apps of all organizations by their use of public models. */
  getAppRankings: async ({ query, headers }, { services }) => {
    const { sort, limit, offset } = query;
    const rankings = await services.rankings.apps({ window: windowOf(query), sort, limit, offset });
    return answerConditionally(headers, presentAppRankings(rankings, offset));
  },
};

function sliceOf({
  category,
  language_type: languageType,
  modality: surface,
  context_bucket: contextBucket,
}: ModelRankingsQuery): RankingsSlice {
  if (category !== undefined) return { dataset: 'sampled', category };
  if (languageType !== undefined) return { dataset: 'sampled', languageType };
  return { dataset: 'exact', surface, contextBucket };
}

/** Reads the first and last day of a requested ranking from the query. */
function windowOf(query: {
  start_date?: string | undefined;
  end_date?: string | undefined;
}): Partial<DayWindow> {
  const { start_date: startDate, end_date: endDate } = query;
  return { ...(startDate && { startDate }), ...(endDate && { endDate }) };
}

function presentModelRankings(rankings: Rankings<RankedModel>): ModelRankings {
  return {
    data: rankings.rows.map(({ date, model, totalTokens }) => ({
      date,
      model_permaslug: model,
      total_tokens: totalTokens,
    })),
    meta: presentMeta(rankings),
  };
}

/** Presents ranked apps. Ranks continue over pages: `offset` apps precede these. */
function presentAppRankings(rankings: Rankings<RankedApp>, offset: number): AppRankings {
  return {
    data: rankings.rows.map(({ id, origin, title, totalRequests, totalTokens }, place) => ({
      rank: offset + place + 1,
      app_id: id,
      app_name: title === '' ? new URL(origin).host : title,
      total_requests: totalRequests,
      total_tokens: totalTokens,
    })),
    meta: presentMeta(rankings),
  };
}

function presentMeta({ window, asOf }: Rankings<unknown>): RankingsMeta {
  return {
    as_of: asOf.toISOString(),
    start_date: window.startDate,
    end_date: window.endDate,
    version: 'v1',
  };
}
