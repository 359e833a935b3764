/** Answers with a model in the shape that OpenAI's clients read. */
import type { OpenAiModel, openAiModelOperations } from '../../contract/catalog/openai-model.ts';
import type { ListedModel } from '../../domain/catalog/listed-model.ts';
import type { ModelService } from '../../services/catalog/model-service.ts';
import { answerConditionally } from '../http/answer-conditionally.ts';
import type { RoutesOf } from '../http/route.ts';
import { createdOf, ownerOf, presentModel } from './present-model.ts';

export const openAiModelRoutes: RoutesOf<typeof openAiModelOperations, { models: ModelService }> = {
  /**
   * Handles `GET /models/{author}/{slug}` and `GET /models/{name}`: returns a model in the shape that OpenAI's clients
   * read.
   */
  getOpenAiModel: async ({ headers, params: { author, slug } }, { services: { models } }) =>
    answerConditionally(headers, presentOpenAiModel(models.find(`${author}/${slug}`))),

  getOpenAiModelByName: async ({ headers, params: { name } }, { services: { models } }) =>
    answerConditionally(headers, presentOpenAiModel(models.find(name))),
};

/** Turns a model into the body that OpenAI's clients read. */
function presentOpenAiModel(model: ListedModel): OpenAiModel {
  return {
    id: model.id,
    object: 'model',
    created: createdOf(model),
    owned_by: ownerOf(model),
    data: presentModel(model),
  };
}
