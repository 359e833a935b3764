/** Handles `GET /datasets/rankings-daily`: ranks the public models of each day, week or month by their tokens. */
import { operations } from '../../../contract/operations.ts';
import type { ModelRankingsQuery } from '../../../contract/insights/rankings.ts';
import type { RankingsSlice } from '../../../domain/insights/rankings.ts';
import { presentModelRankings } from './present-rankings.ts';
import { defineRoute } from '../../http/route.ts';
import { windowOf } from './ranking-window.ts';
import { answerConditionally } from '../../http/answer-conditionally.ts';

export const getModelRankings = defineRoute(
  operations.getModelRankings,
  async ({ query, headers }, { services }) => {
    const slice = sliceOf(query);
    const period = query.period ?? (slice.dataset === 'exact' ? 'day' : 'week');
    const rankings = await services.rankings.models({ window: windowOf(query), period, slice });
    return answerConditionally(headers, presentModelRankings(rankings));
  },
);

function sliceOf({
  category,
  language_type: languageType,
  modality: surface,
  context_bucket: contextBucket,
}: ModelRankingsQuery): RankingsSlice {
  if (category !== undefined) return { dataset: 'sampled', category };
  if (languageType !== undefined) return { dataset: 'sampled', languageType };
  return { dataset: 'exact', ...(surface && { surface }), ...(contextBucket && { contextBucket }) };
}
