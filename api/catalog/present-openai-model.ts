/** Turns a model into the body that OpenAI's clients read. */
import type { OpenAiModel } from '../../contract/catalog/openai-model.ts';
import type { ListedModel } from '../../domain/catalog/listed-model.ts';
import { createdOf, ownerOf, presentModel } from './present-model.ts';

export function presentOpenAiModel(model: ListedModel): OpenAiModel {
  return {
    id: model.id,
    object: 'model',
    created: createdOf(model),
    owned_by: ownerOf(model),
    data: presentModel(model),
  };
}
