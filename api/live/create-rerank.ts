/** Handles `POST /rerank`: sorts documents by how well they answer a query. */
import { operations } from '../../contract/operations.ts';
import { presentRanking } from './present-ranking.ts';
import { defineRoute } from '../http/route.ts';
import { toLiveCall } from './to-live-call.ts';

export const createRerank = defineRoute(operations.createRerank, async (call, { services }) => {
  const ranking = await services.rerank.rank(toLiveCall(call));
  return { status: 200, headers: { 'x-generation-id': ranking.id }, body: presentRanking(ranking) };
});
