/** Answers requests for embeddings. */
import type { EmbeddingListBody, embeddingOperations } from '../../contract/live/embeddings.ts';
import type { EmbeddingsService } from '../../services/live/embeddings-service.ts';
import type { RoutesOf } from '../http/route.ts';
import { answerHeaders, toLiveCall } from './to-live-call.ts';

export const embeddingRoutes: RoutesOf<typeof embeddingOperations, { embeddings: EmbeddingsService }> = {
  /** Handles `POST /embeddings`: returns the embeddings of the input. */
  createEmbeddings: async (call, { services }) => {
    const { answer, ...facts } = await services.embeddings.embed(toLiveCall(call));
    const body = answer as EmbeddingListBody;
    return { status: 200, headers: answerHeaders(facts), body };
  },
};
