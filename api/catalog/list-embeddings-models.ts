/** Handles `GET /embeddings/models`: lists the models that make embeddings. */
import { operations } from '../../contract/operations.ts';
import { defineRoute } from '../http/route.ts';
import { answerModelPage } from './model-page.ts';

export const listEmbeddingsModels = defineRoute(
  operations.listEmbeddingsModels,
  async (call, { services: { models } }) =>
    answerModelPage('/embeddings/models', call, models.list({ outputModalities: ['embeddings'] })),
);
