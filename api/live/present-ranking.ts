/** Turns a ranking of documents into the body of `POST /rerank`. */
import type { RankingBody } from '../../contract/live/rerank.ts';
import { nanosToUsd } from '../../domain/money.ts';
import type { Ranking } from '../../services/live/rerank/rerank-service.ts';

export function presentRanking({ id, model, provider, results, usage }: Ranking): RankingBody {
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
    usage: {
      ...(searchUnits === undefined ? {} : { search_units: searchUnits }),
      ...(totalTokens === undefined ? {} : { total_tokens: totalTokens }),
      cost: nanosToUsd(costNanos),
    },
  };
}
