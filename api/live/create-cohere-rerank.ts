/** Handles `POST /api/v2/rerank`: sorts documents by relevance and answers in the shape of Cohere's API. */
import { operations } from '../../contract/operations.ts';
import { presentCohereRanking } from './present-cohere-ranking.ts';
import { defineRoute } from '../http/route.ts';
import { toLiveCall } from './to-live-call.ts';

export const createCohereRerank = defineRoute(operations.createCohereRerank, async (call, { services }) => {
  const ranking = await services.rerank.rank(toLiveCall(call));
  return { status: 200, headers: { 'x-generation-id': ranking.id }, body: presentCohereRanking(ranking) };
});
