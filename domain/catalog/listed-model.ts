/** Converts models and endpoints of the catalog to the form that lists of models show. */
import type { LiveCapability, LiveEndpoint, Region, VideoEndpoint } from './catalog.ts';
import { pricingShownAt } from './dated-prices.ts';
import type { TokenPricing } from './token-pricing.ts';
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
  /** True: the provider itself refuses some contents. */
  isModerated: boolean;
  /** True: the provider caches prompts even if the request does not ask for it. */
  cachesImplicitly: boolean;
  voices: string[] | null;
  clonesVoices: boolean;
}

/** A model with its routable endpoints, best first; never empty. */
export interface ListedModel extends CatalogModel {
  endpoints: [ListedEndpoint, ...ListedEndpoint[]];
}

/** Presents a live endpoint with its prices as they are at a moment. */
export function listLiveEndpoint(endpoint: LiveEndpoint, atMs: number): ListedEndpoint {
  const { speech } = endpoint;
  return {
    ...whereOf(endpoint),
    capability: endpoint.capability,
    pricing: pricingShownAt(endpoint.pricing, atMs),
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

/**
 * Presents a video endpoint. Its token prices are zero: videos are priced by the job and the second, see `GET
 * /videos/models`.
 */
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

/** Presents a model in the lists, where the output of speech models is called `speech` instead of `audio`. */
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
