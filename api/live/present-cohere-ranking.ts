/** Turns a ranking into the body of `POST /api/v2/rerank`, in the shape of Cohere's API. */
import type { CohereRankingBody } from '../../contract/live/cohere-rerank.ts';
import type { Ranking } from '../../services/live/rerank/rerank-service.ts';

export function presentCohereRanking({ id, results, usage }: Ranking): CohereRankingBody {
  const { searchUnits, totalTokens } = usage;
  return {
    id,
    results: results.map(({ index, relevanceScore }) => ({ index, relevance_score: relevanceScore })),
    meta: {
      api_version: { version: '2' },
      billed_units: {
        ...(searchUnits === undefined ? {} : { search_units: searchUnits }),
        ...(totalTokens === undefined ? {} : { input_tokens: totalTokens }),
      },
    },
  };
}
