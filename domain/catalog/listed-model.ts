import type { LiveCapability, LiveEndpoint, Region, TokenPricing, VideoEndpoint } from './catalog.ts';
import type { CatalogModel } from './model-facts.ts';

/** An endpoint of any kind, as the lists of models show it. */
export interface ListedEndpoint {
  id: string;
  modelId: string;
  providerSlug: string;
  capability: LiveCapability | 'video';
  region: Region;
  pricing: TokenPricing;
  contextLength: number | null;
  maxPromptTokens: number | null;
  maxCompletionTokens: number | null;
  quantization: string | null;
  supportedParameters: string[];
  zdr: boolean;
  distillable: boolean;
  /** The provider refuses some contents by itself. */
  isModerated: boolean;
  /** Prompts are cached without being asked to. */
  cachesImplicitly: boolean;
  voices: string[] | null;
  clonesVoices: boolean;
}

/** A model with the endpoints that can be reached, best first; never empty. */
export interface ListedModel extends CatalogModel {
  endpoints: [ListedEndpoint, ...ListedEndpoint[]];
}

export function listLiveEndpoint(endpoint: LiveEndpoint): ListedEndpoint {
  const { speech } = endpoint;
  return {
    ...whereOf(endpoint),
    capability: endpoint.capability,
    pricing: endpoint.pricing,
    contextLength: endpoint.contextLength,
    maxPromptTokens: endpoint.maxPromptTokens ?? null,
    maxCompletionTokens: endpoint.maxCompletionTokens,
    quantization: endpoint.quantization,
    supportedParameters: endpoint.supportedParameters,
    zdr: endpoint.zdr,
    distillable: endpoint.distillable,
    isModerated: endpoint.isModerated ?? false,
    cachesImplicitly: endpoint.cachesImplicitly ?? false,
    voices: speech?.voices ?? null,
    clonesVoices: speech?.references.includes('audio') ?? false,
  };
}

/** Videos are priced by the job and the second, not by the token; `GET /videos/models` tells how. */
export function listVideoEndpoint(endpoint: VideoEndpoint): ListedEndpoint {
  return {
    ...whereOf(endpoint),
    capability: 'video',
    pricing: { prompt: '0', completion: '0' },
    contextLength: null,
    maxPromptTokens: null,
    maxCompletionTokens: null,
    quantization: null,
    supportedParameters: [],
    zdr: false,
    distillable: false,
    isModerated: false,
    cachesImplicitly: false,
    voices: null,
    clonesVoices: false,
  };
}

/** Speech is sound that only says what it is given, and has a name of its own in the lists. */
export function listModel(model: CatalogModel, endpoints: ListedModel['endpoints']): ListedModel {
  const speaks = endpoints.every(({ capability }) => capability === 'speech');
  const outputModalities = model.outputModalities.map((name) =>
    speaks && name === 'audio' ? 'speech' : name,
  );
  return { ...model, outputModalities, endpoints };
}

function whereOf({ id, modelId, providerSlug, region }: LiveEndpoint | VideoEndpoint) {
  return { id, modelId, providerSlug, region };
}
