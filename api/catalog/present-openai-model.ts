/** Turns a model into the body that OpenAI's clients read. */
import type { OpenAiModel } from '../../contract/catalog/openai-model.ts';
import type { ListedModel } from '../../domain/catalog/listed-model.ts';
import { createdOf, presentModel } from './present-model.ts';

export function presentOpenAiModel(model: ListedModel): OpenAiModel {
  const [author = ''] = model.id.split('/');
  return {
    id: model.id,
    object: 'model',
    created: createdOf(model),
    owned_by: author,
    data: presentModel(model),
  };
}
