import { countModels } from './count-models.ts';
import { getModel } from './get-model.ts';
import { getOpenAiModel, getOpenAiModelByName } from './get-openai-model.ts';
import { listEmbeddingsModels } from './list-embeddings-models.ts';
import { listImageModelEndpoints } from './list-image-model-endpoints.ts';
import { listImageModels } from './list-image-models.ts';
import { listModelEndpoints } from './list-model-endpoints.ts';
import { listModels } from './list-models.ts';
import { listProviders } from './list-providers.ts';
import { listUserModels } from './list-user-models.ts';
import { listZdrEndpoints } from './list-zdr-endpoints.ts';

/** Lists the routes of the operations on models, endpoints and providers. */
export const catalogRoutes = {
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
