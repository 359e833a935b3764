import {
  type ListedEndpoint,
  type ListedModel,
  listLiveEndpoint,
  listModel,
} from '../../domain/catalog/listed-model.ts';
import type { LiveEndpoint } from '../../domain/catalog/catalog.ts';
import type { CatalogModel } from '../../domain/catalog/model-facts.ts';
import { makeModel } from './make-model.ts';

/** A chat endpoint of which nothing is known, with the change. */
function makeLiveEndpoint(change: Partial<LiveEndpoint> & Pick<LiveEndpoint, 'modelId'>): LiveEndpoint {
  const { modelId, providerSlug = 'acme' } = change;
  return {
    id: `${modelId}@${providerSlug}`,
    providerSlug,
    capability: 'chat',
    upstreamModelId: modelId,
    region: 'global',
    pricing: { prompt: '0', completion: '0' },
    contextLength: null,
    maxCompletionTokens: null,
    quantization: null,
    supportedParameters: [],
    collectsData: true,
    zdr: false,
    distillable: false,
    timeouts: {},
    priority: 0,
    ...change,
  };
}

/** A model as it is listed, with one endpoint for each of the changes. */
export function makeListedModel(
  change: Partial<CatalogModel> & Pick<CatalogModel, 'id'>,
  ...endpoints: Partial<LiveEndpoint>[]
): ListedModel {
  const listed = endpoints.map((endpoint) =>
    listLiveEndpoint(makeLiveEndpoint({ modelId: change.id, ...endpoint }), Date.now()),
  );
  const [first = listLiveEndpoint(makeLiveEndpoint({ modelId: change.id }), Date.now()), ...others] = listed;
  return listModel(makeModel(change), [first, ...others] satisfies [ListedEndpoint, ...ListedEndpoint[]]);
}
