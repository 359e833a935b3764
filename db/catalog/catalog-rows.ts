/** Converts rows of the catalog's tables to models, providers and endpoints, and endpoints to rows. */
import {
  LIVE_CAPABILITIES,
  type LiveCapability,
  type LiveEndpoint,
  type Region,
  type VideoCapabilities,
  type VideoEndpoint,
} from '../../domain/catalog/catalog.ts';
import type { TokenPricing } from '../../domain/catalog/token-pricing.ts';
import type { CatalogModel, ProviderFacts } from '../../domain/catalog/model-facts.ts';

export interface ProviderRow extends ProviderFacts {
  slug: string;
  name: string;
  adapter: string;
  baseUrl: string | null;
}

export type ModelRow = CatalogModel;

/** The source of a row: bundled with an adapter, updated from public data since, or imported by an operator. */
export type CatalogSource = 'bundled' | 'updated' | 'imported';

type ModelFactNames = Exclude<
  keyof CatalogModel,
  'id' | 'canonicalSlug' | 'name' | 'description' | 'createdAt'
>;

export interface ProviderColumns {
  slug: string;
  name: string;
  adapter: string;
  base_url: string | null;
  facts: Partial<ProviderFacts>;
  source: CatalogSource;
}

export interface ModelColumns {
  id: string;
  canonical_slug: string;
  name: string;
  description: string | null;
  facts: Partial<Pick<CatalogModel, ModelFactNames>>;
  created_at: Date;
  source: CatalogSource;
}

interface SharedColumns {
  id: string;
  model_id: string;
  provider_slug: string;
  upstream_model_id: string;
  region: Region;
  max_run_seconds: number;
  collects_data: boolean;
  zdr: boolean;
  distillable: boolean;
  timeouts: LiveEndpoint['timeouts'];
  priority: number;
  enabled: boolean;
  source: CatalogSource;
}

type LiveAbilities = Pick<
  LiveEndpoint,
  | 'contextLength'
  | 'maxCompletionTokens'
  | 'maxPromptTokens'
  | 'tokensPerImage'
  | 'quantization'
  | 'supportedParameters'
  | 'isModerated'
  | 'cachesImplicitly'
  | 'deviations'
  | 'units'
  | 'image'
  | 'speech'
>;

export type EndpointColumns = SharedColumns &
  (
    | {
        capability: 'video';
        pricing: Record<string, string>;
        capabilities: VideoCapabilities & Pick<VideoEndpoint, 'meters'>;
      }
    | { capability: LiveCapability; pricing: TokenPricing; capabilities: LiveAbilities }
  );

export function toProvider({ slug, name, adapter, base_url: baseUrl, facts }: ProviderColumns): ProviderRow {
  return {
    slug,
    name,
    adapter,
    baseUrl,
    privacyPolicyUrl: facts.privacyPolicyUrl ?? null,
    termsOfServiceUrl: facts.termsOfServiceUrl ?? null,
    statusPageUrl: facts.statusPageUrl ?? null,
    headquarters: facts.headquarters ?? null,
    datacenters: facts.datacenters ?? null,
  };
}

/** Converts a row. Rows written before a fact existed lack it. */
export function toModel({ facts, ...row }: ModelColumns): ModelRow {
  return {
    id: row.id,
    canonicalSlug: row.canonical_slug,
    name: row.name,
    description: row.description,
    huggingFaceId: facts.huggingFaceId ?? null,
    inputModalities: facts.inputModalities ?? [],
    outputModalities: facts.outputModalities ?? [],
    contextLength: facts.contextLength ?? null,
    tokenizer: facts.tokenizer ?? null,
    instructType: facts.instructType ?? null,
    knowledgeCutoff: facts.knowledgeCutoff ?? null,
    expirationDate: facts.expirationDate ?? null,
    aliases: facts.aliases ?? [],
    categories: facts.categories ?? [],
    defaultParameters: facts.defaultParameters ?? null,
    reasoning: facts.reasoning ?? null,
    benchmarks: facts.benchmarks ?? null,
    createdAt: row.created_at,
  };
}

/** Converts a row without the version of its prices, which no catalog file has. */
export function toEndpoint(row: EndpointColumns): VideoEndpoint | LiveEndpoint {
  const shared = {
    id: row.id,
    modelId: row.model_id,
    providerSlug: row.provider_slug,
    upstreamModelId: row.upstream_model_id,
    region: row.region,
  };
  const { priority } = row;
  if (row.capability === 'video') {
    const { pricing: pricingSkus, max_run_seconds: maxRunSeconds } = row;
    const { meters, ...capabilities } = row.capabilities;
    return { ...shared, pricingSkus, ...(meters && { meters }), capabilities, maxRunSeconds, priority };
  }
  return {
    ...shared,
    capability: row.capability,
    pricing: row.pricing,
    ...row.capabilities,
    collectsData: row.collects_data,
    zdr: row.zdr,
    distillable: row.distillable,
    timeouts: row.timeouts,
    priority,
  };
}

/** Returns the written columns of a row, except `enabled` and `source`. */
export function fromEndpoint(
  endpoint: VideoEndpoint | LiveEndpoint,
): Omit<EndpointColumns, 'enabled' | 'source'> {
  const shared = {
    id: endpoint.id,
    model_id: endpoint.modelId,
    provider_slug: endpoint.providerSlug,
    upstream_model_id: endpoint.upstreamModelId,
    region: endpoint.region,
    priority: endpoint.priority,
  };
  if (!isLive(endpoint)) {
    const { pricingSkus: pricing, meters, maxRunSeconds: max_run_seconds } = endpoint;
    const capabilities = { ...endpoint.capabilities, ...(meters && { meters }) };
    const policy = { collects_data: true, zdr: false, distillable: false, timeouts: {} };
    return { ...shared, ...policy, capability: 'video', pricing, capabilities, max_run_seconds };
  }
  const { capability, pricing, collectsData, zdr, distillable, timeouts } = endpoint;
  return {
    ...shared,
    capability,
    pricing,
    capabilities: abilitiesOf(endpoint),
    max_run_seconds: UNUSED_RUN_SECONDS,
    collects_data: collectsData,
    zdr,
    distillable,
    timeouts,
  };
}

/** The default of `max_run_seconds`, which only video jobs use. */
const UNUSED_RUN_SECONDS = 3600;

export function isLive(endpoint: VideoEndpoint | LiveEndpoint): endpoint is LiveEndpoint {
  return 'capability' in endpoint && LIVE_CAPABILITIES.includes(endpoint.capability);
}

function abilitiesOf(endpoint: LiveEndpoint): LiveAbilities {
  const { contextLength, maxCompletionTokens, maxPromptTokens, tokensPerImage, quantization } = endpoint;
  const { supportedParameters, isModerated, cachesImplicitly, deviations, units, image, speech } = endpoint;
  return {
    contextLength,
    maxCompletionTokens,
    maxPromptTokens,
    tokensPerImage,
    quantization,
    supportedParameters,
    isModerated,
    cachesImplicitly,
    deviations,
    units,
    image,
    speech,
  };
}
