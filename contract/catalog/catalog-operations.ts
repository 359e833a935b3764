import { listImageModels, listImageModelEndpoints } from './image-models.ts';
import {
  listEmbeddingsModels,
  listModels,
  countModels,
  listUserModels,
  getModel,
  listModelEndpoints,
  listZdrEndpoints,
  listProviders,
} from './models.ts';
import { getOpenAiModel, getOpenAiModelByName } from './openai-model.ts';

/** Lists the operations on models, endpoints and providers. */
export const catalogOperations = {
  listEmbeddingsModels,
  listImageModels,
  listImageModelEndpoints,
  listModels,
  countModels,
  listUserModels,
  getModel,
  getOpenAiModel,
  getOpenAiModelByName,
  listModelEndpoints,
  listZdrEndpoints,
  listProviders,
};
