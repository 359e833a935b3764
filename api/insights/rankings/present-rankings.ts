/** Presents the rankings of models and apps. */
import type { AppRankings, ModelRankings, RankingsMeta } from '../../../contract/insights/rankings.ts';
import type { RankedApp, RankedModel } from '../../../db/insights/rankings-read-model.ts';
import type { Rankings } from '../../../services/insights/rankings/rankings-service.ts';

export function presentModelRankings(rankings: Rankings<RankedModel>): ModelRankings {
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
export function presentAppRankings(rankings: Rankings<RankedApp>, offset: number): AppRankings {
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
