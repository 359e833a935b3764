/** Answers requests to sort documents. */
import type { RankingBody, rerankOperations } from '../../contract/live/rerank.ts';
import { nanosToUsd } from '../../domain/money.ts';
import type { Ranking, RerankService } from '../../services/live/rerank/rerank-service.ts';
import type { RoutesOf } from '../http/route.ts';
import { answerHeaders, toLiveCall } from './to-live-call.ts';

export const rerankRoutes: RoutesOf<typeof rerankOperations, { rerank: RerankService }> = {
  /** Handles `POST /rerank`: sorts documents by how well they answer a query. */
  createRerank: async (call, { services }) => {
    const { result, ...facts } = await services.rerank.rank(toLiveCall(call));
    return { status: 200, headers: answerHeaders(facts), body: presentRanking(result) };
  },
};

/** Turns a ranking of documents into the body of `POST /rerank`. */
function presentRanking({ id, model, provider, results, usage }: Ranking): RankingBody {
  const { searchUnits, totalTokens, costNanos } = usage;
  return {
    id,
    model,
    provider,
    results: results.map(({ index, relevanceScore, document }) => ({
      index,
      relevance_score: relevanceScore,
      document,
    })),
    usage: { search_units: searchUnits, total_tokens: totalTokens, cost: nanosToUsd(costNanos) },
  };
}
