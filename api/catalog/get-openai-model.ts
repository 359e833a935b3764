/**
 * Handles `GET /models/{author}/{slug}` and `GET /models/{name}`: returns a model in the shape that OpenAI's clients
 * read.
 */
import { operations } from '../../contract/operations.ts';
import { answerConditionally } from '../http/answer-conditionally.ts';
import { presentOpenAiModel } from './present-openai-model.ts';
import { defineRoute } from '../http/route.ts';

export const getOpenAiModel = defineRoute(
  operations.getOpenAiModel,
  async ({ headers, params: { author, slug } }, { services: { models } }) =>
    answerConditionally(headers, presentOpenAiModel(models.find(`${author}/${slug}`))),
);

export const getOpenAiModelByName = defineRoute(
  operations.getOpenAiModelByName,
  async ({ headers, params: { name } }, { services: { models } }) =>
    answerConditionally(headers, presentOpenAiModel(models.find(name))),
);
