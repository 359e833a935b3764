/** Answers requests to sort documents in the shape of Cohere's API. */
import type { CohereRankingBody, cohereRerankOperations } from '../../contract/live/cohere-rerank.ts';
import type { Ranking, RerankService } from '../../services/live/rerank/rerank-service.ts';
import type { RoutesOf } from '../http/route.ts';
import { answerHeaders, toLiveCall } from './to-live-call.ts';

export const cohereRerankRoutes: RoutesOf<typeof cohereRerankOperations, { rerank: RerankService }> = {
  /** Handles `POST /api/v2/rerank`: sorts documents by relevance and answers in the shape of Cohere's API. */
  createCohereRerank: async (call, { services }) => {
    const { result, ...facts } = await services.rerank.rank(toLiveCall(call));
    return { status: 200, headers: answerHeaders(facts), body: presentCohereRanking(result) };
  },
};

/** Turns a ranking into the body of `POST /api/v2/rerank`, in the shape of Cohere's API. */
function presentCohereRanking({ id, results, usage }: Ranking): CohereRankingBody {
  const { searchUnits, totalTokens } = usage;
  return {
    id,
    results: results.map(({ index, relevanceScore }) => ({ index, relevance_score: relevanceScore })),
    meta: {
      api_version: { version: '2' },
      billed_units: { search_units: searchUnits, input_tokens: totalTokens },
    },
  };
}
