/** Handles `POST /embeddings`: returns the embeddings of the input. */
import type { EmbeddingListBody } from '../../contract/live/embeddings.ts';
import { operations } from '../../contract/operations.ts';
import { defineRoute } from '../http/route.ts';
import { toLiveCall } from './to-live-call.ts';

export const createEmbeddings = defineRoute(operations.createEmbeddings, async (call, { services }) => {
  const { generationId, answer } = await services.embeddings.embed(toLiveCall(call));
  const body = answer as EmbeddingListBody;
  return { status: 200, headers: { 'x-generation-id': generationId }, body };
});
